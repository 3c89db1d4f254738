import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { bundleForPage } from './page-bundle.ts';

/** Bundles the simulator's phones page into one script, from the compiler's output. */

const FOLDER = fileURLToPath(new URL('../../packages/simulator/dist/phones-page/', import.meta.url));

writeFileSync(`${FOLDER}bundle.js`, await bundleForPage(`${FOLDER}main.js`));
