/** What arrives within this time is drawn at once: events may come by the hundred a second. */
const EVERY_MS = 100;

/**
 * Gathers what arrives one by one, and hands it over in portions, in order. Returns the function that takes one. Nothing
 * is handed over any more once the signal has aborted.
 */
export function inPortions<T>(
  signal: AbortSignal,
  tell: (portion: readonly T[]) => void,
  everyMs = EVERY_MS,
): (one: T) => void {
  let portion: T[] = [];
  const flush = () => {
    const gathered = portion;
    portion = [];
    if (!signal.aborted) tell(gathered);
  };
  return (one) => {
    if (portion.length === 0) setTimeout(flush, everyMs);
    portion.push(one);
  };
}
