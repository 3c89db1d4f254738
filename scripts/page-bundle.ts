import { rolldown } from 'rolldown';

/** Bundles a compiled entry and its imports into one script for browsers. Rejects on a warning. */
export async function bundleForPage(input: string): Promise<string> {
  const bundle = await rolldown({
    input,
    platform: 'browser',
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(`${log.code}: ${log.message}`);
    },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
  await bundle.close();
  return output[0].code;
}
