import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Loaded into the gateway with --import: SIGUSR2 collects its garbage, and prints the memory that remains. */

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

process.on('SIGUSR2', () => {
  collectGarbage();
  collectGarbage(); // The first one may leave buffers to be freed.
  const { heapUsed, heapTotal, external } = process.memoryUsage();
  console.log(JSON.stringify({ msg: 'live memory', liveBytes: heapUsed + external, heapBytes: heapTotal }));
});
