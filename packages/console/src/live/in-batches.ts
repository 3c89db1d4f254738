/** Items that arrive within this time are drawn together: there may be hundreds of events a second. */
const EVERY_MS = 100;

/**
 * Collects items, and passes them on in batches, in order. Returns the function that adds one. Passes nothing on once
 * the signal has aborted.
 */
export function inBatches<T>(
  signal: AbortSignal,
  onBatch: (batch: readonly T[]) => void,
  everyMs = EVERY_MS,
): (one: T) => void {
  let batch: T[] = [];
  const flush = () => {
    const collected = batch;
    batch = [];
    if (!signal.aborted) onBatch(collected);
  };
  return (one) => {
    if (batch.length === 0) setTimeout(flush, everyMs);
    batch.push(one);
  };
}
