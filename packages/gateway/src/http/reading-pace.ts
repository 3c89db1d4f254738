import type { MiddlewareHandler } from 'hono';
import type { ServerEnv } from './server-env.ts';

/** What a reader must keep up. */
export interface ReadingLimits {
  readonly windowMs: number;
  readonly bytesInWindow: number;
}

/** What everybody must keep up who asked for something: 16 KB/s over 30 s. */
const PACE: ReadingLimits = { windowMs: 30_000, bytesInWindow: 30 * 16_384 };

/**
 * Cuts off who takes an answer too slowly: it would hold a file of the spool, or memory, for as long as it likes. Only as
 * long as something waits to be taken. Event streams look after their readers by themselves.
 */
export function cutOffSlowReaders({ windowMs, bytesInWindow } = PACE): MiddlewareHandler<ServerEnv> {
  return async ({ env: { outgoing } }, next) => {
    await next();
    const { socket } = outgoing;
    if (outgoing.headersSent || outgoing.destroyed || !socket) return;
    const taken = () => socket.bytesWritten - socket.writableLength;
    let before = taken();
    const timer = setInterval(() => {
      const now = taken();
      if (socket.writableLength > 0 && now - before < bytesInWindow) socket.destroy();
      before = now;
    }, windowMs);
    outgoing.once('close', () => clearInterval(timer));
  };
}
