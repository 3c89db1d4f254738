/**
 * Runs something while the page is visible, each time until its signal aborts. A browser has six connections to a
 * gateway for all tabs together: streams of hidden tabs would block requests of visible ones. Returns a function that
 * ends it.
 */
export function whileVisible(run: (signal: AbortSignal) => void): () => void {
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
