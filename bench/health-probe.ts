import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

/** Polls GET /health in its own thread until a message stops it; then posts how long each answer took, in ms. */

let isOver = false;
const url = new URL('/health', String(workerData));
const times: number[] = [];
parentPort?.once('message', () => {
  isOver = true;
});
while (!isOver) {
  const startedAt = performance.now();
  await new Promise<void>((resolve, reject) => {
    get(url, { agent: false }, (response) => response.resume().on('end', resolve)).on('error', reject);
  });
  times.push(performance.now() - startedAt);
  await delay(2);
}
parentPort?.postMessage(times);
