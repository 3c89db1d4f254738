import { setTimeout as delay } from 'node:timers/promises';

const INTERVAL_MS = 50;

/** Runs a check again and again until it does not throw; when the time is up, throws what it threw last. */
export async function eventually<T>(check: () => T | Promise<T>, timeoutMs = 20_000): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(INTERVAL_MS);
    }
  }
}
