import { setTimeout as delay } from 'node:timers/promises';

/** Frequent checks take a good part of a core where many stories wait at once. */
const MIN_INTERVAL_MS = 50;
const MAX_INTERVAL_MS = 250;
const INTERVAL_SHARE = 0.05;

/**
 * Repeats a check until it does not throw. After the timeout, which no busy machine reaches by default, throws its last
 * error.
 */
export async function eventually<T>(check: () => T | Promise<T>, timeoutMs = 60_000): Promise<T> {
  const startedAt = Date.now();
  for (;;) {
    try {
      return await check();
    } catch (error) {
      const waitedMs = Date.now() - startedAt;
      if (waitedMs > timeoutMs) throw error;
      await delay(Math.min(Math.max(waitedMs * INTERVAL_SHARE, MIN_INTERVAL_MS), MAX_INTERVAL_MS));
    }
  }
}
