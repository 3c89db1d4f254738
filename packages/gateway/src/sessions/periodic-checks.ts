const ROUND_MS = 2_000;

export interface Watch<S> {
  /** Never rejects. */
  check(sessions: readonly S[]): Promise<void>;
}

/**
 * Has each watch check the sessions every two seconds until the signal aborts. A watch that has not finished skips the
 * round; none waits for another. One timer serves all: each timer wakes this process.
 */
export function checkPeriodically<S>(
  watches: readonly Watch<S>[],
  sessions: () => readonly S[],
  signal: AbortSignal,
): void {
  const busy = new Set<Watch<S>>();
  const timer = setInterval(() => {
    for (const watch of watches) {
      if (busy.has(watch)) continue;
      busy.add(watch);
      void watch.check(sessions()).finally(() => busy.delete(watch));
    }
  }, ROUND_MS).unref();
  signal.addEventListener('abort', () => clearInterval(timer));
}
