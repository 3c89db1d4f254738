import type { ServerResponse } from 'node:http';

/** What a reader must keep up, in each so many ticks that follow each other. */
interface ReadingLimits {
  readonly tickMs: number;
  readonly ticks: number;
  readonly bytes: number;
}

/**
 * What everybody must keep up who asked for something: 1 MB in 2 minutes. The kernel takes a stream in pieces of more than
 * a megabyte, so that nothing can be said of shorter times, or of fewer bytes: a reader of 16 KB/s fetches a piece in 90 s.
 */
const PACE: ReadingLimits = { tickMs: 30_000, ticks: 4, bytes: 1_000_000 };

/**
 * Cuts off who takes an answer too slowly: it would hold a file of the spool, or memory, for as long as it likes. Only as
 * long as something waits to be taken.
 */
export function cutOffSlowReader(response: ServerResponse, limits = PACE): void {
  const { socket } = response;
  if (!socket) response.once('socket', () => cutOffSlowReader(response, limits));
  if (!socket || response.closed) return;
  const { tickMs, ticks, bytes } = limits;
  const taken = () => socket.bytesWritten - socket.writableLength;
  const before = [taken()];
  // A process that stood still has first to see what was taken meanwhile.
  const timer = setInterval(() => setImmediate(judge), tickMs);
  const judge = () => {
    const now = taken();
    if (socket.writableLength === 0) before.length = 0;
    else if (before.length === ticks && now - (before.shift() ?? now) < bytes) socket.destroy();
    before.push(now);
  };
  response.once('close', () => clearInterval(timer));
}
