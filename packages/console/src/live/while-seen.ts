/**
 * Runs something while the page is looked at, each time until its signal aborts. A browser has six connections to a
 * gateway for all tabs together: streams of hidden ones would keep those that are seen from their answers. Returns what
 * ends it.
 */
export function whileSeen(run: (signal: AbortSignal) => void): () => void {
  let over: AbortController | undefined;
  const onChange = () => {
    if (document.hidden === (over === undefined)) return;
    over?.abort();
    over = document.hidden ? undefined : new AbortController();
    if (over) run(over.signal);
  };
  document.addEventListener('visibilitychange', onChange);
  onChange();
  return () => {
    document.removeEventListener('visibilitychange', onChange);
    over?.abort();
  };
}
