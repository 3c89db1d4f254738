import { type OperationMethods, pause, unlessAborted } from '@chat-web/protocol';

export class Interrupted extends Error {}

export interface Patience {
  readonly timeoutMs: number;
  readonly everyMs?: number;
  readonly signal: AbortSignal;
}

/** The result of some work, unless the run is interrupted first. */
export function orInterrupted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return unlessAborted<T, never>(work, signal, () => {
    throw new Interrupted('interrupted');
  });
}

export async function eventually<T>(
  look: () => Promise<T | undefined> | T | undefined,
  { timeoutMs, everyMs = 250, signal }: Patience,
): Promise<T | undefined> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== undefined || Date.now() >= deadline) return found;
    await pauseUnlessInterrupted(Math.min(everyMs, deadline - Date.now()), signal);
  }
}

/** Waits. Rejects when the run is interrupted. */
export async function pauseUnlessInterrupted(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, signal);
  if (signal.aborted) throw new Interrupted('interrupted');
}

/** A client whose calls reject when the run is interrupted. */
export function interruptible(client: OperationMethods, signal: AbortSignal): OperationMethods {
  const methods = Object.entries(client).map(([name, method]) => {
    const call = method as (input?: unknown) => Promise<unknown>;
    return [name, (input?: unknown) => orInterrupted(call(input), signal)];
  });
  return Object.fromEntries(methods) as OperationMethods;
}
