import type { ServerResponse } from 'node:http';

/** Calls `done` once the caller has taken the answer, or has gone. */
export function whenOver(outgoing: ServerResponse, done: () => void): void {
  if (outgoing.closed || outgoing.destroyed) done();
  else outgoing.once('close', done);
}
