import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LEAN_FLAGS } from '@chat-web/gateway/sessions/worker-process';
import { type Plugin, rolldown } from 'rolldown';

/** Builds the worker's bundle, and its code cache, from the compiler's output. */

const DIST = fileURLToPath(new URL('../../packages/worker/dist/', import.meta.url));
const BUNDLE = fileURLToPath(new URL('.', import.meta.resolve('@chat-web/worker/main')));

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

rmSync(BUNDLE, { recursive: true, force: true });
// Built separately: two programs, without shared chunks that would have to be loaded separately.
for (const name of ['main', 'worker']) {
  const bundle = await rolldown({
    input: { [name]: join(DIST, `${name}.js`) },
    platform: 'node',
    plugins: [withoutUnused],
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(`${log.code}: ${log.message}`);
    },
  });
  await bundle.write({
    dir: BUNDLE,
    format: 'cjs',
    strict: true,
    charset: 'ascii',
    // Formatted, so that stack traces name readable lines; without comments, which would stay in memory.
    comments: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: `${name}-[name].cjs`,
  });
  await bundle.close();
}
// With the flags of a worker: V8 rejects a code cache that was created with other flags.
const compiler = fileURLToPath(new URL('compile-worker.js', import.meta.url));
const { status } = spawnSync(process.execPath, [...LEAN_FLAGS, compiler, join(BUNDLE, 'worker.cjs')], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
