import { createHash, timingSafeEqual } from 'node:crypto';
import { GatewayError } from '@chat-web/protocol';
import type { MiddlewareHandler } from 'hono';

/** Refuses requests without the bearer token. Compares digests, so that neither content nor length shows in the time. */
export function bearerAuth(token: string): MiddlewareHandler {
  const expected = digest(token);
  return async (c, next) => {
    const [, presented] = /^Bearer +([\x21-\x7e]+) *$/i.exec(c.req.header('Authorization') ?? '') ?? [];
    if (presented === undefined) {
      throw new GatewayError('unauthorized', 'send the header Authorization: Bearer <CHAT_WEB_TOKEN>');
    }
    if (!timingSafeEqual(digest(presented), expected)) {
      throw new GatewayError('unauthorized', 'the bearer token is not the one of this gateway');
    }
    await next();
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
