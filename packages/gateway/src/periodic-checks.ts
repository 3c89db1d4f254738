import { errorText } from '@chat-web/protocol';
import type { Log } from './log.ts';

const ROUND_MS = 2_000;

export interface Watch<S> {
  check(sessions: readonly S[]): Promise<void>;
}

/**
 * Has each watch check the sessions every two seconds until the signal aborts. A watch that has not finished skips the
 * round; none waits for another. A failure is logged, once until the watch has succeeded again. One timer serves all:
 * each timer wakes this process.
 */
export function checkPeriodically<S>(
  watches: readonly Watch<S>[],
  sessions: () => readonly S[],
  signal: AbortSignal,
  log: Pick<Log, 'error'>,
): void {
  const busy = new Set<Watch<S>>();
  const failing = new Set<Watch<S>>();
  const check = async (watch: Watch<S>) => {
    try {
      await watch.check(sessions());
      failing.delete(watch);
    } catch (error) {
      if (!failing.has(watch)) log.error({ error: errorText(error) }, 'periodic check failed');
      failing.add(watch);
    }
    busy.delete(watch);
  };
  const timer = setInterval(() => {
    for (const watch of watches) {
      if (busy.has(watch)) continue;
      busy.add(watch);
      void check(watch);
    }
  }, ROUND_MS).unref();
  signal.addEventListener('abort', () => clearInterval(timer));
}
