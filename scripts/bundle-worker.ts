import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LEAN_FLAGS } from '@chat-web/gateway/sessions/worker-process';
import { type Plugin, rolldown } from 'rolldown';

/** Makes the worker's bundle, and its code cache, from what the compiler has made. */

const DIST = fileURLToPath(new URL('../../packages/worker/dist/', import.meta.url));
const BUNDLE = fileURLToPath(new URL('.', import.meta.resolve('@chat-web/worker/main')));

/**
 * What the library requires for functions of its own that no worker calls: to launch a browser, to make stickers, and to
 * send media by path or URL.
 */
const UNUSED = new Set(['puppeteer', 'fluent-ffmpeg', 'node-webpmux', 'node-fetch', 'mime']);
const PREFIX = '\0unused:';

const withoutUnused: Plugin = {
  name: 'without-unused',
  resolveId: (id, importer) =>
    UNUSED.has(id) && importer?.includes('/whatsapp-web.js/') ? `${PREFIX}${id}` : undefined,
  // Its client sets a path for ffmpeg when it is made.
  load: (id) => (id.startsWith(PREFIX) ? 'exports.setFfmpegPath = () => {};' : undefined),
};

rmSync(BUNDLE, { recursive: true, force: true });
// One after the other: two programs, and nothing shared that would have to be loaded apart.
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
    // Formatted, so that a stack trace names a line that can be read; without comments, which would stay in memory.
    comments: false,
    entryFileNames: '[name].cjs',
    chunkFileNames: `${name}-[name].cjs`,
  });
  await bundle.close();
}
// With the flags of a worker: V8 takes no code cache that was made with others.
const compiler = fileURLToPath(new URL('compile-worker.js', import.meta.url));
const { status } = spawnSync(process.execPath, [...LEAN_FLAGS, compiler, join(BUNDLE, 'worker.cjs')], {
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
