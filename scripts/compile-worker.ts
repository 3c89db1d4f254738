import { writeFileSync } from 'node:fs';
import { cacheOf, readProgram } from '@chat-web/worker/load-program';

/** Writes the code cache of the program named by the argument, for a V8 with the flags of this process. */

const [path = ''] = process.argv.slice(2);
const program = readProgram(path);
program.run();
writeFileSync(cacheOf(path), program.cache());
