import type { Context } from 'hono';
import type { ServerEnv } from './server-env.ts';

const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, DELETE';
const ALLOWED_HEADERS = [
  'Authorization',
  'Content-Digest',
  'Content-Encoding',
  'Content-Type',
  'Idempotency-Key',
  'If-None-Match',
  'If-Range',
  'Last-Event-ID',
  'MCP-Protocol-Version',
  'Range',
  'Repr-Digest',
  'X-Request-Id',
].join(', ');
const EXPOSED_HEADERS = [
  'Accept-Ranges',
  'Allow',
  'Content-Digest',
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Idempotent-Replayed',
  'Location',
  'Retry-After',
  'X-Request-Id',
].join(', ');
/** How long a browser remembers the answer to a preflight. */
const MAX_AGE_SECONDS = 600;

/** True for an origin in `CHAT_WEB_CORS_ORIGINS`. */
export function isAllowedOrigin(origin: string | undefined, corsOrigins: readonly string[]): origin is string {
  return origin !== undefined && corsOrigins.includes(origin.toLowerCase());
}

/**
 * Lets a page of an allowed origin read the response; undefined for any other. The headers are set on the Node response,
 * since streams are written there. There are no cookies, so no credentials are allowed.
 */
export function setCorsHeaders(c: Context<ServerEnv>, allowedOrigin: string | undefined): void {
  const { outgoing } = c.env;
  outgoing.setHeader('Vary', 'Origin');
  if (allowedOrigin === undefined) return;
  outgoing.setHeader('Access-Control-Allow-Origin', allowedOrigin);
  outgoing.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
}

/** Before a request with a token, a browser asks whether it is allowed, without the token. */
export function isPreflight({ req }: Context<ServerEnv>): boolean {
  return req.method === 'OPTIONS' && req.header('Access-Control-Request-Method') !== undefined;
}

export function preflightResponse(c: Context<ServerEnv>): Response {
  return c.body(null, 204, {
    'Access-Control-Allow-Methods': ALLOWED_METHODS,
    'Access-Control-Allow-Headers': ALLOWED_HEADERS,
    'Access-Control-Max-Age': String(MAX_AGE_SECONDS),
  });
}
