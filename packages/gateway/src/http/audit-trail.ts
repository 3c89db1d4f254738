import { GatewayError, operations, otherRoutes, sessionId } from '@chat-web/protocol';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import * as v from 'valibot';
import type { Audit } from '../access/audit.ts';
import { Refusal } from '../access/refusal.ts';
import type { Refusals } from '../access/refusals.ts';
import type { ServerEnv } from './server-env.ts';

/** What is read by these is as good as a password, or is every message to come. */
const READS_TOLD: readonly string[] = ['getQr', 'events'];

interface RouteName {
  readonly name: string;
  readonly isTold: boolean;
  readonly changes: boolean;
}

const routes = new Map<string, RouteName>(
  [
    ...Object.entries(operations).map(([name, { method, path }]) => ({ name, method, path })),
    ...Object.entries(otherRoutes).map(([name, { path }]) => ({ name, method: 'GET', path })),
  ].map(({ name, method, path }) => [
    `${method} ${path}`,
    { name, isTold: method !== 'GET' || READS_TOLD.includes(name), changes: method !== 'GET' },
  ]),
);

/**
 * Writes down who did what, once it is answered: what changes something, what shows a QR, each stream, and all that was
 * refused because of who asked.
 */
export function auditTrail(audit: Audit, refusals: Refusals): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const startedAt = performance.now();
    await next();
    const route = routeOf(c);
    const refused = c.error instanceof Refusal ? c.error.kind : undefined;
    const caller = c.get('caller');
    const address = c.env.incoming?.socket.remoteAddress;
    if (refused) refusals.note(refused, { address, key: caller?.id });
    else if (!route?.isTold || c.req.method === 'HEAD') return; // A HEAD shows nothing.
    const { status } = c.res;
    const entry = {
      ...{ who: caller?.id ?? 'nobody', address, operation: route?.name ?? 'none' },
      ...{ session: sessionIn(c.req.path), key: keyIn(c) },
      ...{ status, code: c.error instanceof GatewayError ? c.error.code : undefined },
      ms: Math.round(performance.now() - startedAt),
    };
    audit.write(entry, { mayHaveChanged: route?.changes === true && (status < 400 || status === 500) });
  };
}

function routeOf(c: Context<ServerEnv>): RouteName | undefined {
  const found = matchedRoutes(c).map(({ method, path }) => routes.get(`${method} ${path}`));
  return found.find((route) => route !== undefined);
}

/** The session that a path names, if it can be one: anything else is text that somebody sent. */
function sessionIn(path: string): string | undefined {
  const [, id] = /^\/sessions\/([^/]+)/.exec(path) ?? [];
  return v.is(sessionId, id) ? id : undefined;
}

/** The key that a path names, or that was made. */
function keyIn(c: Context<ServerEnv>): string | undefined {
  if (!c.req.path.startsWith('/keys')) return undefined;
  const [, id] = /^\/keys\/(key_[0-9a-f]{12})$/.exec(c.res.headers.get('Location') ?? c.req.path) ?? [];
  return id;
}
