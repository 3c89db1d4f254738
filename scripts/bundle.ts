import { type InputOptions, type OutputOptions, type RolldownOutput, rolldown } from 'rolldown';

/** Bundles compiled programs with all that they import; writes them if `output` names a folder. Rejects on a warning. */
export async function bundle(input: InputOptions, output: OutputOptions): Promise<RolldownOutput> {
  const programs = await rolldown({
    ...input,
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(`${log.code}: ${log.message}`);
    },
  });
  const made = await (output.dir === undefined ? programs.generate(output) : programs.write(output));
  await programs.close();
  return made;
}

/** The same for Node. Formatted, so that stack traces name readable lines; without comments, which would stay in memory. */
export function bundleForNode(input: InputOptions, output: OutputOptions): Promise<RolldownOutput> {
  return bundle({ ...input, platform: 'node' }, { ...output, comments: false });
}
