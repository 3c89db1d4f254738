/** Milliseconds of a wait that doubles from `first` to `longest`. */
export interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** The maximum delay of a timer: a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** The longest that a gateway, or a proxy in front of it, can make us wait. */
const LONGEST_ASKED_MS = 3_600_000;

/** How long to wait after this many failures in a row (1 is the first), with jitter of half of it. */
export function backoffMs({ firstMs, longestMs }: Backoff, failures: number): number {
  return Math.min(firstMs * 2 ** Math.min(failures - 1, 30), longestMs) * (0.5 + Math.random() / 2);
}

/** The same, but no earlier than requested; clients with the same request do not all return at once. */
export function askedBackoffMs(backoff: Backoff, failures: number, askedSeconds: number | undefined): number {
  const ownMs = backoffMs(backoff, failures);
  if (askedSeconds === undefined) return ownMs;
  return Math.max(ownMs, Math.min(askedSeconds * 1_000, LONGEST_ASKED_MS) + Math.random() * backoff.firstMs);
}

/** Resolves after this time, or when the signal aborts. */
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

/** Resolves like the promise; with undefined if the signal aborts first. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const over = () => resolve(undefined);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', over));
    if (signal.aborted) over();
    else signal.addEventListener('abort', over);
  });
}
