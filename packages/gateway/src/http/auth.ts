import type { MiddlewareHandler } from 'hono';
import type { Access } from '../access/access.ts';
import type { ServerEnv } from './server-env.ts';

/** Sets `caller`; 401 for missing or invalid credentials, 429 after too many wrong tokens. */
export function authenticate(access: Access): MiddlewareHandler<ServerEnv> {
  return (c, next) => {
    const address = c.env.incoming?.socket.remoteAddress;
    c.set('caller', access.identify({ authorization: c.req.header('Authorization'), address }));
    return next();
  };
}
