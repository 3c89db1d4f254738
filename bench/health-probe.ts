import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** Asks GET /health again and again in a thread of its own, until it is told to stop; then tells the longest answer in ms. */

let isOver = false;
let longest = 0;
parentPort?.once('message', () => {
  isOver = true;
});
while (!isOver) {
  const startedAt = performance.now();
  await new Promise<void>((resolve, reject) => {
    get(new URL('/health', String(workerData)), (response) => response.resume().on('end', resolve)).on('error', reject);
  });
  longest = Math.max(longest, performance.now() - startedAt);
  await delay(2);
}
parentPort?.postMessage(longest);
