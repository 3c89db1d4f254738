import { setTimeout as delay } from 'node:timers/promises';

/**
 * The pace of what a test does: the time between two messages, or before a fault. To wait for an effect, use
 * `eventually`; for its absence, a stack's `settled`.
 */
export async function pace(ms: number): Promise<void> {
  await delay(ms);
}

/** How long a stand-in takes, such as a slow handler or disk. Resolves with the value. */
export function takes<T = void>(ms: number, value?: T): Promise<T> {
  return delay(ms, value as T);
}
