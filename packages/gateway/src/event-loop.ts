let last = Promise.resolve();

/**
 * Resolves in a turn of the event loop of its own, in order of calling: work of a few milliseconds for many requests at
 * once runs one piece per turn, and other requests are served in between.
 */
export function yieldToEventLoop(): Promise<void> {
  last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
  return last;
}
