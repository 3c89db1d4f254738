/** What arrives within this time is drawn at once: events may come by the hundred a second. */
const EVERY_MS = 100;

/**
 * Collects what arrives one by one, and passes it on in batches, in order. Returns the function that takes one. Nothing is
 * passed on any more once the signal has aborted.
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
