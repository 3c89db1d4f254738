import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleForPage } from './page-bundle.ts';

/** Makes one script of the simulator's phones' page, from what the compiler has made. */

const FOLDER = fileURLToPath(new URL('../../packages/simulator/dist/phones-page/', import.meta.url));

writeFileSync(`${FOLDER}bundle.js`, await bundleForPage(`${FOLDER}main.js`));
