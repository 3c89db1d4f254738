import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** Makes one script of the simulator's phones' page, from what the compiler has made. */

const FOLDER = fileURLToPath(new URL('../../packages/simulator/dist/phones-page/', import.meta.url));

const bundle = await rolldown({
  input: `${FOLDER}main.js`,
  platform: 'browser',
  onLog: (level, log) => {
    if (level === 'warn') throw new Error(`${log.code}: ${log.message}`);
  },
});
await bundle.write({ file: `${FOLDER}bundle.js`, format: 'es', minify: true });
await bundle.close();
