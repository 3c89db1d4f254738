import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'rolldown';
import { bundleForNode } from './bundle.ts';
import { writeLicences } from './licences.ts';

/** Bundles the gateway, the worker and the page program, and builds the code cache of the worker, from the compiler's output. */

const GATEWAY = fileURLToPath(new URL('../../packages/gateway/dist/', import.meta.url));
const GATEWAY_BUNDLE = join(GATEWAY, 'bundle');
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

const gateway = await bundleForNode(
  { input: { main: join(GATEWAY, 'main.js'), 'tethered-main': join(GATEWAY, 'tools', 'tethered-main.js') } },
  { dir: GATEWAY_BUNDLE, format: 'esm', cleanDir: true },
);
writeLicences(GATEWAY_BUNDLE, [gateway]);

rmSync(WORKER_BUNDLE, { recursive: true, force: true });
// Built separately: two programs, without shared chunks that would have to be loaded separately.
const worker = [];
for (const name of ['main', 'worker']) {
  const made = await bundleForNode(
    { input: { [name]: join(WORKER, `${name}.js`) }, plugins: [withoutUnused] },
    {
      dir: WORKER_BUNDLE,
      format: 'cjs',
      strict: true,
      charset: 'ascii',
      entryFileNames: '[name].cjs',
      chunkFileNames: `${name}-[name].cjs`,
    },
  );
  worker.push(made);
}
// The page program: its function `call` is the only thing that the worker needs of it.
const page = await bundleForNode(
  { input: { page: join(WORKER, 'page', 'main.js') } },
  {
    dir: WORKER_BUNDLE,
    format: 'iife',
    strict: true,
    name: 'program',
    charset: 'ascii',
    entryFileNames: '[name].js',
  },
);
writeLicences(WORKER_BUNDLE, [...worker, page]);
const compiler = fileURLToPath(new URL('compile-worker.js', import.meta.url));
const { status } = spawnSync(process.execPath, [compiler, join(WORKER_BUNDLE, 'worker.cjs')], { stdio: 'inherit' });
process.exitCode = status ?? 1;
