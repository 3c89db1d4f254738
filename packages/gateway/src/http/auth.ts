import type { MiddlewareHandler } from 'hono';
import type { Access } from '../access/access.ts';
import type { ServerEnv } from './server-env.ts';

/** Finds out who asks, for all that follows; 401 for those who may not ask at all. */
export function authenticate(access: Access): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const address = c.env.incoming?.socket.remoteAddress;
    c.set('caller', access.identify({ authorization: c.req.header('Authorization'), address }));
    await next();
  };
}
