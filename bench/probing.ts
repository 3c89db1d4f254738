import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** Resets a process's memory peak. Returns its memory now, in KB. */
export function resetPeak(pid: number): number {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return peakKb(pid);
}

/** A process's memory peak since the last reset, in KB. */
export function peakKb(pid: number): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
}

/** How long each GET /health took during some work, in ms. Measured from another thread, because this one is busy. */
export async function whileProbing(url: string, work: () => Promise<unknown>): Promise<number[]> {
  const probe = new Worker(new URL('./health-probe.js', import.meta.url), { workerData: url });
  await once(probe, 'online');
  await delay(300);
  await work();
  probe.postMessage('stop');
  const [times] = await once(probe, 'message');
  return times as number[];
}
