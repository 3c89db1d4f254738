/** Milliseconds of a wait that doubles from `first` to `longest`. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The longest time of a timer: it would fire at once after a longer one. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** The longest that a gateway, or a proxy before it, can make us wait. */
const LONGEST_ASKED_MS = 3_600_000;

/** How long to wait after that many failures in a row (1 is the first), with jitter of half of it. */
export function backoffMs({ firstMs, longestMs }: Backoff, failures: number): number {
  return Math.min(firstMs * 2 ** Math.min(failures - 1, 30), longestMs) * (0.5 + Math.random() / 2);
}

/** The same, but no earlier than was asked for; those who were all told the same do not come back all at once. */
export function askedBackoffMs(backoff: Backoff, failures: number, askedSeconds: number | undefined): number {
  const ownMs = backoffMs(backoff, failures);
  if (askedSeconds === undefined) return ownMs;
  return Math.max(ownMs, Math.min(askedSeconds * 1_000, LONGEST_ASKED_MS) + Math.random() * backoff.firstMs);
}

/** Resolves after that time, or when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', over);
      resolve();
    };
    const timer = setTimeout(over, Math.min(ms, LONGEST_TIMER_MS));
    signal.addEventListener('abort', over);
  });
}

/** Resolves when the promise has settled, or the time is up: true if it has settled. Never rejects. */
export function settledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const over = (hasSettled: boolean) => {
      clearTimeout(timer);
      resolve(hasSettled);
    };
    const timer = setTimeout(() => over(false), Math.min(ms, LONGEST_TIMER_MS));
    promise.then(
      () => over(true),
      () => over(true),
    );
  });
}

/** What a promise resolves with; undefined if the signal aborts before. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const over = () => resolve(undefined);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', over));
    if (signal.aborted) over();
    else signal.addEventListener('abort', over);
  });
}
