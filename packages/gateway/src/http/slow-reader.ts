import type { ServerResponse } from 'node:http';

/** A reader must read this many bytes in any `ticks` consecutive ticks. */
interface ReadingLimits {
  readonly tickMs: number;
  readonly ticks: number;
  readonly bytes: number;
}

/**
 * 1 MB in 2 minutes. The kernel buffers more than a megabyte at a time, so that shorter intervals or fewer bytes cannot
 * be measured: a reader at 16 KB/s takes 90 s for one buffer.
 */
const LIMITS: ReadingLimits = { tickMs: 30_000, ticks: 4, bytes: 1_000_000 };

/**
 * Closes the connection of a client that reads a response too slowly: it would occupy the spool or memory indefinitely.
 */
export function disconnectSlowReader(response: ServerResponse, limits = LIMITS): void {
  const { socket } = response;
  if (!socket) response.once('socket', () => disconnectSlowReader(response, limits));
  if (!socket || response.closed) return;
  const { tickMs, ticks, bytes } = limits;
  const taken = () => socket.bytesWritten - socket.writableLength;
  const before = [taken()];
  // After a pause of this process, pending writes must be counted first.
  const timer = setInterval(() => setImmediate(check), tickMs);
  const check = () => {
    const now = taken();
    if (socket.writableLength === 0) before.length = 0;
    else if (before.length === ticks && now - (before.shift() ?? now) < bytes) socket.destroy();
    before.push(now);
  };
  response.once('close', () => clearInterval(timer));
}
