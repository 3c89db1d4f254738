import type { MiddlewareHandler } from 'hono';
import type { Access } from '../access/access.ts';
import type { ServerEnv } from './server-env.ts';

/** Finds out who asks, for all that follows; 401 for those who may not ask at all. */
export function authenticate(access: Access): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    c.set('caller', access.identify(c.req.header('Authorization')));
    await next();
  };
}
