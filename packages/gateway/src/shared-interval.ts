const timers = new Map<number, { readonly callbacks: Set<() => void>; readonly timer: NodeJS.Timeout }>();

/**
 * Calls back at an interval, in milliseconds, until the returned function is called. Callbacks with the same interval
 * share one timer, so that a hundred sessions wake this process as rarely as one. The first call is within one
 * interval.
 */
export function everyShared(intervalMs: number, callback: () => void): () => void {
  const shared = timers.get(intervalMs) ?? startTimer(intervalMs);
  const own = () => callback(); // The same callback may be passed twice.
  shared.callbacks.add(own);
  return () => {
    shared.callbacks.delete(own);
    if (shared.callbacks.size > 0) return;
    clearInterval(shared.timer);
    if (timers.get(intervalMs) === shared) timers.delete(intervalMs);
  };
}

function startTimer(intervalMs: number) {
  const callbacks = new Set<() => void>();
  const timer = setInterval(() => {
    for (const callback of [...callbacks]) callback();
  }, intervalMs).unref();
  const shared = { callbacks, timer };
  timers.set(intervalMs, shared);
  return shared;
}
