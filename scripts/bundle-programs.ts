import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LEAN_FLAGS } from '@chat-web/gateway/tools';
import { type OutputOptions, type Plugin, rolldown } from 'rolldown';

/** Bundles the gateway, the worker and the page program, and builds the code cache of the worker, from the compiler's output. */

const GATEWAY = fileURLToPath(new URL('../../packages/gateway/dist/', import.meta.url));
const WORKER = fileURLToPath(new URL('../../packages/worker/dist/', import.meta.url));
const WORKER_BUNDLE = join(WORKER, 'bundle');

/**
 * Modules that the library requires for features that no worker uses: launching a browser, making stickers, and sending
 * media by path or URL.
 */
const UNUSED = new Set(['puppeteer', 'fluent-ffmpeg', 'node-webpmux', 'node-fetch', 'mime']);
const PREFIX = '\0unused:';

const withoutUnused: Plugin = {
  name: 'without-unused',
  resolveId: (id, importer) =>
    UNUSED.has(id) && importer?.includes('/whatsapp-web.js/') ? `${PREFIX}${id}` : undefined,
  // The library's client sets a path for ffmpeg in its constructor.
  load: (id) => (id.startsWith(PREFIX) ? 'exports.setFfmpegPath = () => {};' : undefined),
};

await bundle({ main: join(GATEWAY, 'main.js'), 'tethered-main': join(GATEWAY, 'tools', 'tethered-main.js') }, [], {
  dir: join(GATEWAY, 'bundle'),
  format: 'esm',
  cleanDir: true,
});

rmSync(WORKER_BUNDLE, { recursive: true, force: true });
// Built separately: two programs, without shared chunks that would have to be loaded separately.
for (const name of ['main', 'worker']) {
  await bundle({ [name]: join(WORKER, `${name}.js`) }, [withoutUnused], {
    dir: WORKER_BUNDLE,
    format: 'cjs',
    strict: true,
    charset: 'ascii',
    entryFileNames: '[name].cjs',
    chunkFileNames: `${name}-[name].cjs`,
  });
}
// The page program: its function `call` is the only thing that the worker needs of it.
await bundle({ page: join(WORKER, 'page', 'main.js') }, [], {
  dir: WORKER_BUNDLE,
  format: 'iife',
  strict: true,
  name: 'program',
  charset: 'ascii',
  entryFileNames: '[name].js',
});
// With the flags of a worker: V8 rejects a code cache that was created with other flags.
const compiler = fileURLToPath(new URL('compile-worker.js', import.meta.url));
const { status } = spawnSync(process.execPath, [...LEAN_FLAGS, compiler, join(WORKER_BUNDLE, 'worker.cjs')], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;

/** Bundles compiled programs with all that they import. Rejects on a warning. */
async function bundle(input: Readonly<Record<string, string>>, plugins: readonly Plugin[], output: OutputOptions) {
  const programs = await rolldown({
    input,
    platform: 'node',
    plugins: [...plugins],
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(`${log.code}: ${log.message}`);
    },
  });
  // Formatted, so that stack traces name readable lines; without comments, which would stay in memory.
  await programs.write({ ...output, comments: false });
  await programs.close();
}
