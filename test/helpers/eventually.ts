import { setTimeout as delay } from 'node:timers/promises';

/** Frequent checks take a good part of a core where ten stories wait at once. */
const SHORTEST_INTERVAL_MS = 50;
const LONGEST_INTERVAL_MS = 250;
const INTERVAL_SHARE = 0.05;

/** Repeats a check until it does not throw. After the timeout, throws its last error. */
export async function eventually<T>(check: () => T | Promise<T>, timeoutMs = 20_000): Promise<T> {
  const startedAt = Date.now();
  for (;;) {
    try {
      return await check();
    } catch (error) {
      const waitedMs = Date.now() - startedAt;
      if (waitedMs > timeoutMs) throw error;
      await delay(Math.min(Math.max(waitedMs * INTERVAL_SHARE, SHORTEST_INTERVAL_MS), LONGEST_INTERVAL_MS));
    }
  }
}
