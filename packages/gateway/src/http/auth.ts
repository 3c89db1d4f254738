import type { Access } from '../access/access.ts';
import type { Route } from './server-env.ts';

/** A route that knows its `caller`; 401 for missing or invalid credentials, 429 after too many wrong tokens. */
export function authenticated(access: Access, route: Route): Route {
  return (c) => {
    const address = c.env.incoming?.socket.remoteAddress;
    c.set('caller', access.identify({ authorization: c.req.header('Authorization'), address }));
    return route(c);
  };
}
