import { GatewayError, operations, otherRoutes, sessionId } from '@chat-web/protocol';
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import * as v from 'valibot';
import type { Audit } from '../access/audit.ts';
import { Refusal } from '../access/refusal.ts';
import type { Refusals } from '../access/refusals.ts';
import type { ServerEnv } from './server-env.ts';

/** Reads that are audited: a QR is as good as a password, a stream carries all future messages. */
const AUDITED_READS: readonly string[] = ['getQr', 'events'];

interface RouteName {
  readonly name: string;
  readonly isAudited: boolean;
  readonly changes: boolean;
}

/** By method and path. */
const routes = new Map<string, Map<string, RouteName>>();
for (const [name, route] of Object.entries({ ...operations, ...otherRoutes })) {
  const method = 'method' in route ? route.method : 'GET';
  const changes = method !== 'GET';
  const ofMethod = routes.get(method) ?? new Map<string, RouteName>();
  routes.set(method, ofMethod.set(route.path, { name, isAudited: changes || AUDITED_READS.includes(name), changes }));
}

/**
 * Audits each answered request that changes something, reads a QR, opens a stream or is refused because of its caller.
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
    else if (!route?.isAudited || c.req.method === 'HEAD') return; // HEAD returns no data.
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
  for (const { method, path } of matchedRoutes(c)) {
    const route = routes.get(method)?.get(path);
    if (route) return route;
  }
  return undefined;
}

/** The session id in a path; undefined if it is invalid, since that would be arbitrary text in the log. */
function sessionIn(path: string): string | undefined {
  const [, id] = /^\/sessions\/([^/]+)/.exec(path) ?? [];
  return v.is(sessionId, id) ? id : undefined;
}

/** The key id in the path, or of the key that was created. */
function keyIn(c: Context<ServerEnv>): string | undefined {
  if (!c.req.path.startsWith('/keys')) return undefined;
  const [, id] = /^\/keys\/(key_[0-9a-f]{12})$/.exec(c.res.headers.get('Location') ?? c.req.path) ?? [];
  return id;
}
