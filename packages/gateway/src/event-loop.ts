import type { Writable } from 'node:stream';

let last = Promise.resolve();

/**
 * Resolves in a separate turn of the event loop, in call order: when many requests each need a few milliseconds of
 * work, one piece runs per turn, and other requests are served in between.
 */
export function yieldToEventLoop(): Promise<void> {
  last = last.then(endOfTurn);
  return last;
}

/** Resolves when this turn of the event loop has read all available input. */
export function endOfTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

const MAX_PER_TURN = 8;
let inThisTurn = 0;

/**
 * Like `yieldToEventLoop`, for work of well below a millisecond: a task waits for another turn only if this one is
 * full.
 */
export async function shareTurn(): Promise<void> {
  if (inThisTurn === 0)
    setImmediate(() => {
      inThisTurn = 0;
    });
  inThisTurn += 1;
  if (inThisTurn > MAX_PER_TURN) await yieldToEventLoop();
}

/** Everything written to a stream within one turn of the event loop is sent as one write, at the end of the turn. */
export function corkTurn(stream: Writable): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
