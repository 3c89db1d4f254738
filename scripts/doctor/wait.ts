import { setTimeout as delay } from 'node:timers/promises';
import type { OperationMethods } from '@chat-web/protocol';

/** The run was interrupted. */
export class Interrupted extends Error {}

/** How long to poll, and how often. */
export interface Patience {
  readonly timeoutMs: number;
  readonly everyMs?: number;
  readonly signal: AbortSignal;
}

/** The result of some work, unless the run is interrupted first. */
export async function orInterrupted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const over = new AbortController();
  const interrupted = new Promise<never>((_, reject) => {
    const interrupt = () => reject(new Interrupted('interrupted'));
    if (signal.aborted) interrupt();
    signal.addEventListener('abort', interrupt, { signal: over.signal });
  });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    over.abort();
  }
}

/** Polls until a result is found; undefined when the time is up. */
export async function eventually<T>(
  look: () => Promise<T | undefined> | T | undefined,
  { timeoutMs, everyMs = 250, signal }: Patience,
): Promise<T | undefined> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined || Date.now() >= deadline) return found;
    await pause(Math.min(everyMs, deadline - Date.now()), signal);
  }
}

/** Waits. Rejects when the run is interrupted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return orInterrupted(
    delay(Math.max(0, ms), undefined, { signal }).catch(() => {}),
    signal,
  );
}

/** A client whose calls reject when the run is interrupted. */
export function interruptible(client: OperationMethods, signal: AbortSignal): OperationMethods {
  const methods = Object.entries(client).map(([name, method]) => {
    const call = method as (input?: unknown) => Promise<unknown>;
    return [name, (input?: unknown) => orInterrupted(call(input), signal)];
  });
  return Object.fromEntries(methods) as OperationMethods;
}
