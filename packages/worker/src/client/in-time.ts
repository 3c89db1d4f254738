/** Returns the result of some work, or undefined if it rejects or times out. A later result is ignored. */
export function inTime<T>(work: Promise<T> | undefined, timeoutMs: number): Promise<T | undefined> {
  return withDeadline(work ?? Promise.resolve(undefined), timeoutMs, () => undefined).catch(() => undefined);
}

/** Returns the outcome of some work, or that of `onLate` if it times out. A later outcome is ignored. */
export function withDeadline<T, L>(work: Promise<T>, timeoutMs: number, onLate: () => L): Promise<T | L> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      try {
        resolve(onLate());
      } catch (error) {
        reject(error);
      }
    }, timeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
