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

/** How much small work may share one turn. */
const MOST_IN_A_TURN = 8;
let inThisTurn = 0;

/** The same for work of well below a millisecond: only what is too much for this turn waits for one of its own. */
export async function shareTurn(): Promise<void> {
  if (inThisTurn === 0)
    setImmediate(() => {
      inThisTurn = 0;
    });
  inThisTurn += 1;
  if (inThisTurn > MOST_IN_A_TURN) await yieldToEventLoop();
}

/** What is written to a stream within one turn of the event loop goes out as one write, at the end of the turn. */
export function corkTurn(stream: Writable): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
