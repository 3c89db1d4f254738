import type { ServerResponse } from 'node:http';

/** Calls `done` once the response is sent or the connection is closed. */
export function onResponseClose(outgoing: ServerResponse, done: () => void): void {
  if (outgoing.closed || outgoing.destroyed) done();
  else outgoing.once('close', done);
}
