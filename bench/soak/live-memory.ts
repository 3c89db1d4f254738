import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Loaded into the gateway with --import: SIGUSR2 collects its garbage, and prints what remains. */

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

process.on('SIGUSR2', () => {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  console.log(`live memory: ${heapUsed + external} bytes`);
});
