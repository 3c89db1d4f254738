import { type ErrorCode, errorTable, GatewayError } from '@chat-web/protocol';
import type { Context } from 'hono';
import { routePath } from 'hono/route';
import type { Log } from '../log.ts';
import { requestIdOf } from './server/guarded-response.ts';
import { lingeringBody } from './server/lingering-close.ts';
import type { ServerEnv } from './server-env.ts';

/** Default of `Retry-After`, in seconds. */
const RETRY_AFTER: Partial<Record<ErrorCode, number>> = {
  too_many_streams: 10,
  rate_limited: 60,
  insufficient_resources: 60,
};

/** Answers an error: code and message of a GatewayError, `internal_error` and a log line for any other. */
export function errorResponse(c: Context<ServerEnv>, thrown: unknown, log: Log): Response {
  const error = thrown instanceof GatewayError ? thrown : unexpected(c, thrown, log);
  const { code, message, issues, id, retryAfterSeconds = RETRY_AFTER[code] } = error;
  if (code === 'unauthorized') c.header('WWW-Authenticate', 'Bearer');
  if (retryAfterSeconds !== undefined) c.header('Retry-After', String(retryAfterSeconds));
  const { status } = errorTable[code];
  const answer = { error: message, code, ...(issues ? { issues } : {}), ...(id === undefined ? {} : { id }) };
  if (c.env.incoming?.complete !== false) return c.json(answer, status);
  // The unread rest of the body must not be parsed as the next request.
  const bytes = Buffer.from(JSON.stringify(answer));
  const headers = { 'Content-Type': 'application/json', 'Content-Length': `${bytes.length}`, Connection: 'close' };
  return c.body(lingeringBody(bytes, c.env), status, headers);
}

function unexpected(c: Context, thrown: unknown, log: Log): GatewayError {
  // The route pattern, since the path itself may contain a phone number.
  const request = requestIdOf(c.env.outgoing);
  log.error({ err: thrown, method: c.req.method, route: routePath(c, -1), request }, 'request failed');
  return new GatewayError('internal_error', 'the gateway failed; see its log');
}
