/** Resolves after that time. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

const POLL_MS = 50;

/** Waits until a condition holds in the page's models; false if it does not in time. */
export async function holds(is: () => boolean, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  while (!is() && Date.now() < deadline) await delay(POLL_MS);
  return is();
}

/** What a promise settles with, or `late` if that takes longer. */
export async function within<T, const L = undefined>(promise: T, ms: number, late?: L): Promise<Awaited<T> | L> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isLate = new Promise<L>((resolve) => {
    timer = setTimeout(() => resolve(late as L), ms);
  });
  try {
    return await Promise.race([promise, isLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** The result of some work, or undefined if it rejects or the time is up first. */
export function resultWithin<T>(work: T, ms: number): Promise<Awaited<T> | undefined> {
  return within(work, ms).catch(() => undefined);
}
