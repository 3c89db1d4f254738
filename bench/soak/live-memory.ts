import { collectGarbage } from '@chat-web/testing/garbage';

/** Loaded into the gateway with --import: SIGUSR2 collects its garbage, and prints the memory that remains. */

process.on('SIGUSR2', () => {
  collectGarbage();
  collectGarbage(); // The first one may leave buffers to be freed.
  const { heapUsed, heapTotal, external } = process.memoryUsage();
  console.log(JSON.stringify({ msg: 'live memory', liveBytes: heapUsed + external, heapBytes: heapTotal }));
});
