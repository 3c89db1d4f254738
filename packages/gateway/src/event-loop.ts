import type { Writable } from 'node:stream';

let last = Promise.resolve();

/**
 * Resolves in a turn of the event loop of its own, in order of calling: work of a few milliseconds for many requests at
 * once runs one piece per turn, and other requests are served in between.
 */
export function yieldToEventLoop(): Promise<void> {
  last = last.then(endOfTurn);
  return last;
}

/** Resolves when this turn of the event loop has read all available input. */
export function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** What is written to a stream within one turn of the event loop goes out as one write, at the end of the turn. */
export function corkTurn(stream: Writable): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
