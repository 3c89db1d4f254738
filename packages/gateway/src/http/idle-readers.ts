import type { MiddlewareHandler } from 'hono';
import type { ServerEnv } from './server-env.ts';

/** How long who asked for something may take nothing of the answer. */
const READER_TIMEOUT_MS = 30_000;

/**
 * Cuts off who does not take an answer: it would hold a file or memory for as long as it likes. Not who takes it slowly:
 * the socket's timer begins anew where some was taken meanwhile, so that the end comes after one to two times as long.
 * Event streams look after their readers by themselves.
 */
export function cutOffIdleReaders(timeoutMs = READER_TIMEOUT_MS): MiddlewareHandler<ServerEnv> {
  return async ({ env }, next) => {
    await next();
    // Without a listener for `timeout`, Node ends the connection; the next request on it begins without a timer.
    if (!env.outgoing.headersSent) env.outgoing.setTimeout(timeoutMs);
  };
}
