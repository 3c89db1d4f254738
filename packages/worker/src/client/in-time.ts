import { setTimeout as delay } from 'node:timers/promises';

/** The result of some work; undefined if it rejects, or when the time is up. A later result is ignored. */
export async function inTime<T>(work: Promise<T> | undefined, timeoutMs: number): Promise<T | undefined> {
  const over = new AbortController();
  const outcome = work?.catch(() => undefined);
  const timer = delay(timeoutMs, undefined, { signal: over.signal }).catch(() => undefined);
  const first = await Promise.race([outcome, timer]);
  over.abort();
  return first;
}
