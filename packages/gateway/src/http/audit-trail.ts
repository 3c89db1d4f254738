import { GatewayError, getOrAdd, operations, otherRoutes, sessionId } from '@chat-web/protocol';
import type { Context } from 'hono';
import { matchedRoutes } from 'hono/route';
import * as v from 'valibot';
import type { Audit } from '../access/audit.ts';
import { Refusal, type Refusals } from '../access/refusal.ts';
import { isAfterChange } from '../after-change.ts';
import { requestIdOf } from './server/guarded-response.ts';
import { callingToolOf } from './server/own-requests.ts';
import { addressOf, type Route, type ServerEnv } from './server-env.ts';

/** Reads that are audited: a stream carries all future messages. */
const AUDITED_READS: readonly string[] = ['events', 'allEvents'];
/** A read like a change: a QR is as good as a password. */
const LIKE_CHANGES: readonly string[] = ['getQr'];

interface RouteName {
  readonly name: string;
  readonly isAudited: boolean;
  /** Its successes are always recorded. */
  readonly changes: boolean;
}

const routes = new Map<string, Map<string, RouteName>>();
for (const [name, route] of Object.entries({ ...operations, ...otherRoutes })) {
  const method = 'method' in route ? route.method : 'GET';
  const changes = method !== 'GET' || LIKE_CHANGES.includes(name);
  const ofMethod = getOrAdd(routes, method, () => new Map<string, RouteName>());
  ofMethod.set(route.path, { name, isAudited: changes || AUDITED_READS.includes(name), changes });
}

interface Dependencies {
  readonly audit: Audit;
  readonly refusals: Refusals;
  answerError(c: Context<ServerEnv>, thrown: unknown): Response;
}

/**
 * An audited route: writes a line for each request that changes something, reads a QR, opens a stream, is a tool call of
 * an agent, or is refused because of its caller.
 */
export function audited({ audit, refusals, answerError }: Dependencies, route: Route): Route {
  return async (c) => {
    const startedAt = performance.now();
    let thrown: unknown;
    let response: Response;
    try {
      response = await route(c);
    } catch (error) {
      thrown = error;
      response = answerError(c, error);
    }
    const named = routeOf(c);
    const caller = c.get('caller');
    const address = addressOf(c);
    const tool = callingToolOf(c.env);
    if (thrown instanceof Refusal) refusals.note(thrown.kind, { address, key: caller?.id });
    else if (tool === undefined && (!named?.isAudited || c.req.method === 'HEAD')) return response; // HEAD returns no data.
    const { status } = response;
    const entry = {
      who: caller?.id ?? 'nobody',
      address,
      operation: named?.name ?? 'none',
      tool,
      session: sessionIn(c.req.path),
      key: idIn(KEY, c.req.path, response),
      webhook: idIn(WEBHOOK, c.req.path, response),
      status,
      code: thrown instanceof GatewayError ? thrown.code : undefined,
      request: requestIdOf(c.env.outgoing),
      ms: Math.round(performance.now() - startedAt),
    };
    const isReplayed = response.headers.has('Idempotent-Replayed');
    const isDone = (status < 400 && !isReplayed) || status === 500 || isAfterChange(thrown);
    audit.write(entry, { mayHaveChanged: named?.changes === true && isDone });
    return response;
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

const KEY = /^\/keys\/(key_[0-9a-f]{12})$/;
const WEBHOOK = /^\/webhooks\/(wh_[0-9a-f]{12})(?:\/|$)/;

/** The id in the path, or of what was created. */
function idIn(pattern: RegExp, path: string, response: Response): string | undefined {
  const [, id] = pattern.exec(response.headers.get('Location') ?? path) ?? [];
  return id;
}
