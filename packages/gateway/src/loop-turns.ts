let last = Promise.resolve();

/**
 * Resolves in a turn of the event loop that no other caller gets: what takes a few milliseconds, for many requests at
 * once, is done for one after the other, and others are served between.
 */
export function takeTurn(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
