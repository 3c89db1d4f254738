import { type ErrorCode, errorTable, GatewayError } from '@chat-web/protocol';
import type { Context } from 'hono';
import { routePath } from 'hono/route';
import type { Log } from '../log.ts';
import { lingering } from './lingering-close.ts';
import type { ServerEnv } from './server-env.ts';

/** When a refusal is worth another try, in seconds. */
const RETRY_AFTER: Partial<Record<ErrorCode, number>> = {
  ...{ too_many_streams: 10, rate_limited: 60, insufficient_resources: 60 },
};

/** Answers an error: its own code and text if it is one of ours, else `internal_error` and a line in the log. */
export function errorResponse(c: Context<ServerEnv>, thrown: unknown, log: Log): Response {
  const error = thrown instanceof GatewayError ? thrown : unexpected(c, thrown, log);
  const { code, message, issues, retryAfterSeconds = RETRY_AFTER[code] } = error;
  if (code === 'unauthorized') c.header('WWW-Authenticate', 'Bearer');
  if (retryAfterSeconds !== undefined) c.header('Retry-After', String(retryAfterSeconds));
  const { status } = errorTable[code];
  const answer = { error: message, code, ...(issues ? { issues } : {}) };
  if (c.env.incoming?.complete !== false) return c.json(answer, status);
  // The rest of a body that nobody will read must not be taken for the next request.
  const bytes = Buffer.from(JSON.stringify(answer));
  const headers = { 'Content-Type': 'application/json', 'Content-Length': `${bytes.length}`, Connection: 'close' };
  return c.body(lingering(bytes, c.env), status, headers);
}

function unexpected(c: Context, thrown: unknown, log: Log): GatewayError {
  // The path as it was registered: what it was filled with may be somebody's number.
  log.error({ err: thrown, method: c.req.method, route: routePath(c, -1) }, 'request failed');
  return new GatewayError('internal_error', 'the gateway failed; its log says more');
}
