/** The maximum delay of a timer: a longer one would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** A promise that is settled by its owner. Node 20 has no `Promise.withResolvers`. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | PromiseLike<T>) => void;
  readonly reject: (reason: unknown) => void;
}

/** `resolve` and `reject` settle the promise. */
export function deferred<T = void>(): Deferred<T> {
  let [resolve, reject]: [Deferred<T>['resolve'], Deferred<T>['reject']] = [() => {}, () => {}];
  const promise = new Promise<T>((onResolved, onRejected) => {
    [resolve, reject] = [onResolved, onRejected];
  });
  return { promise, resolve, reject };
}

/** Resolves after this time, or when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(ms, MAX_TIMER_MS));
    signal.addEventListener('abort', end);
  });
}

/** The outcome of some work, or that of `onLate` if the time is up first. The work itself continues. */
export function withDeadline<T, L>(work: Promise<T>, timeoutMs: number, onLate: () => L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(resolve, reject, onLate), Math.min(timeoutMs, MAX_TIMER_MS));
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** The result of some work, or undefined if it rejects or the time is up first. */
export function resultWithin<T>(work: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  return withDeadline(work, timeoutMs, () => undefined).catch(() => undefined);
}

/** Resolves when the work has settled, or when the time is up: true if it has settled. Never rejects. */
export function settledWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const settled = () => true;
  return withDeadline(work.then(settled, settled), timeoutMs, () => false);
}

/** The outcome of some work, or that of `onAborted` if the signal aborts first. The work itself continues. */
export function unlessAborted<T, L>(work: Promise<T>, signal: AbortSignal, onAborted: () => L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const abort = () => settle(resolve, reject, onAborted);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort);
  });
}

function settle<L>(resolve: (value: L) => void, reject: (reason: unknown) => void, outcome: () => L): void {
  try {
    resolve(outcome());
  } catch (error) {
    reject(error);
  }
}
