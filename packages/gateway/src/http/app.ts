import {
  changesSomething,
  GatewayError,
  isWorkerOperation,
  type Operation,
  type OperationName,
  type OtherRoute,
  type OtherRouteName,
  operations,
  otherRoutes,
  reaches,
  type Scope,
  type SessionArchive,
  sessionId,
  type WorkerOperationName,
} from '@chat-web/protocol';
import { type Context, Hono } from 'hono';
import { getPath } from 'hono/utils/url';
import * as v from 'valibot';
import type { Access } from '../access/access.ts';
import type { Audit } from '../access/audit.ts';
import type { EventTickets } from '../access/event-tickets.ts';
import { Refusal, type Refusals } from '../access/refusal.ts';
import { ARCHIVE_PATH } from '../cluster/archive-request.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { type Config, version } from '../config.ts';
import type { EventLog } from '../events/event-log.ts';
import type { EventSource } from '../events/feed.ts';
import type { Damage } from '../host/damage.ts';
import type { Log } from '../log.ts';
import type { Spool } from '../media/spool.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import type { Idempotency } from '../sends/idempotency.ts';
import { Admission } from './admission.ts';
import { audited } from './audit-trail.ts';
import type { Calls } from './calls.ts';
import { errorResponse } from './error-response.ts';
import { allEventsRoute, type ShownSessions, sessionEventsRoute } from './event-route.ts';
import { atOwner, atWebhooks, withHop } from './forwarding.ts';
import { openApiDocument } from './openapi.ts';
import { type AnyHandler, archiveResponse, operationRoute } from './operation-route.ts';
import { fromOwnOrigin } from './origin.ts';
import { plainPath } from './plain-path.ts';
import { parseParams } from './request-input.ts';
import { OwnRequests } from './server/own-requests.ts';
import { addressOf, type Route, type ServerEnv } from './server-env.ts';
import { consolePages, referencePages, staticPages } from './static-pages.ts';

/** Operations that create a session. */
const CREATING: readonly OperationName[] = ['startSession', 'importSession'];
const AGENTS_PATH = '/mcp';
const OF_SESSION = '/sessions/:id';
const OF_WEBHOOKS = '/webhooks';
/** Operations on a session that each gateway answers. */
const ANYWHERE: readonly OperationName[] = ['moveSession'];
/** Of the events of a session: a stream, or a page. */
const EVENTS = { isNew: false, changes: false, timeoutMs: undefined, isStatus: false, isEvents: true };
const QR_PREFIX = 'data:image/png;base64,';

export interface SessionDirectory extends ShownSessions {
  list(): readonly unknown[];
  /** The error that a call to this session would get now; undefined if it would be forwarded. */
  refusalOf(id: string, operation: WorkerOperationName): GatewayError | undefined;
  has(id: string): boolean;
  /** True once no new work is accepted. */
  readonly isClosing: boolean;
  /** False while a session that should run does not. */
  readonly isHealthy: boolean;
}

interface Dependencies {
  readonly config: Config;
  readonly access: Access;
  readonly tickets: Pick<EventTickets, 'redeem'>;
  readonly refusals: Refusals;
  readonly audit: Audit;
  readonly supervisor: SessionDirectory;
  readonly events: Pick<EventLog, 'isStoring' | 'streams'>;
  /** The events that callers read: of all hosts. */
  readonly source: EventSource;
  readonly cluster: Cluster;
  readonly calls: Calls;
  /** The archive of a session that is moved to another host. `confirm` rejects if it no longer is. */
  departure(session: string, confirm: () => Promise<void>): Promise<SessionArchive>;
  readonly handlers: Readonly<Record<OperationName, AnyHandler>>;
  readonly spool: Spool;
  readonly damage: Pick<Damage, 'counts'>;
  readonly idempotency: Idempotency;
  readonly metrics: Pick<Metrics, 'answered' | 'text' | 'contentType'>;
  /** The route of agents, if there is one; it sends requests to the others. */
  readonly agents?: ((own: OwnRequests, admission: Admission) => Route) | undefined;
  readonly log: Log;
}

/**
 * All routes of the gateway. The steps of each request are composed here, not as a chain of Hono's middleware: if one
 * function matches, Hono calls it directly, and the chain took a tenth of the time of a short request.
 *
 * Call it in a microtask after Node reports the request, not at once: Node reports a request before it parses what
 * follows the head, and then runs microtasks. Until then no request is complete, and each looks as if it had a body.
 */
export function createApp(dependencies: Dependencies): Hono<ServerEnv> {
  const { config, access, cluster, calls, supervisor, events, source, handlers, spool, idempotency, metrics, log } =
    dependencies;
  const app = new Hono<ServerEnv>({ getPath: (request) => plainPath(getPath(request)) });
  const answerError = (c: Context<ServerEnv>, error: unknown) => errorResponse(c, error, log);
  const { allowedHosts, corsOrigins } = config;
  const origins = { asksForToken: access.asksForToken, allowedHosts, corsOrigins };
  const open = (route: Route) =>
    audited({ ...dependencies, answerError }, withHop(dependencies, fromOwnOrigin(origins, route)));
  const guarded = (route: Route) => open(authenticated(access, route));

  const admission = new Admission(config);
  const forwarding = { cluster, calls, isOwn: (id: string) => supervisor.has(id), log };
  const sessions: ShownSessions = {
    find: (id) => (!supervisor.has(id) && cluster.foreignView(id) ? { shown: undefined } : supervisor.find(id)),
  };
  const eventDependencies = { sessions, events: source, streams: events.streams, admission, log };
  const others: Readonly<Record<OtherRouteName, Route>> = {
    health: (c) => c.json({ ok: true, sessions: supervisor.list().length }),
    front: (c) => (supervisor.isClosing ? c.json({ ok: false }, 503) : c.json({ ok: true })),
    ready: readiness(supervisor, events, dependencies.damage),
    allEvents: allEventsRoute(eventDependencies),
    events: atOwner(forwarding, EVENTS, sessionEventsRoute(eventDependencies)),
    metrics: async (c) => c.body(await metrics.text(), 200, { 'Content-Type': metrics.contentType }),
    openapi: openApiRoute(access),
    docs: staticPages(referencePages),
    console: staticPages(consolePages),
  };
  for (const [name, { path, scope }] of Object.entries(otherRoutes) as [OtherRouteName, OtherRoute][]) {
    const route = scope === 'anyone' ? others[name] : authenticated(access, requires(scope, others[name]));
    app.get(path, open(name === 'allEvents' ? orByTicket(dependencies.tickets, others.allEvents, route) : route));
  }

  const { maxBodyBytes, importMaxBytes } = config;
  const { getContact } = handlers;
  const ofRoutes = { maxBodyBytes, importMaxBytes, spool, metrics, admission, idempotency, getContact, log };
  for (const [name, operation] of Object.entries(operations) as [OperationName, Operation][]) {
    const { method, path, scope } = operation;
    const refusalOf = isWorkerOperation(name) ? (id: string) => supervisor.refusalOf(id, name) : undefined;
    const route = operationRoute(name, operation, handlers[name], { ...ofRoutes, refusalOf });
    const answered = name === 'getQr' ? withQrImage(route) : route;
    const about = {
      isNew: CREATING.includes(name),
      changes: changesSomething(operation),
      timeoutMs: operation.timeoutMs,
      isStatus: name === 'getSessionStatus',
    };
    const isOfSession = path.startsWith(OF_SESSION) && !ANYWHERE.includes(name);
    const isOfWebhooks = path.startsWith(OF_WEBHOOKS);
    const at = isOfSession ? atOwner : isOfWebhooks ? atWebhooks : undefined;
    const routed = at ? at(forwarding, about, answered) : answered;
    app.on(method, path, guarded(requires(scope, routed)));
  }

  if (dependencies.agents) {
    const own = new OwnRequests((request, env) => Promise.resolve().then(() => app.fetch(request, env)));
    app.post(AGENTS_PATH, guarded(requires('read', dependencies.agents(own, admission))));
  }
  if (!cluster.isAlone) app.post(ARCHIVE_PATH, open(archiveRoute(dependencies)));
  app.notFound(guarded((c) => refuseUnrouted(app, c)));
  app.onError((error, c) => answerError(c, error)); // Only for our own faults: `audited` answers all other errors.
  return app;
}

/** Builds the document when it is first requested: that takes about as long as the rest of the gateway's start. */
function openApiRoute({ asksForToken }: Access): Route {
  let document: ReturnType<typeof openApiDocument> | undefined;
  return (c) => {
    document ??= openApiDocument(version(), asksForToken);
    return c.json(document);
  };
}

/** Sends the archive of a session to the gateway of the host that it is moved to. */
function archiveRoute({ cluster, departure }: Pick<Dependencies, 'cluster' | 'departure'>): Route {
  return async (c) => {
    const { id } = parseParams(c.req.param(), v.object({ id: sessionId }));
    const { from = '' } = c.get('forwardedFor') ?? {};
    const confirm = async () => {
      if (!(await cluster.mayTake(id, from)))
        throw new Refusal('not_forwarded', 'the session is not being moved to this host');
    };
    await confirm();
    return archiveResponse(c, id, await departure(id, confirm));
  };
}

/** The route of GET qr, which returns the PNG itself if the caller asks for an image. */
function withQrImage(route: Route): Route {
  return async (c) => {
    const answer = await route(c);
    if (answer.status !== 200 || !/\bimage\/png\b/i.test(c.req.header('Accept') ?? '')) return answer;
    const { qr } = (await answer.json()) as { qr: string };
    return new Response(Buffer.from(qr.slice(QR_PREFIX.length), 'base64'), {
      headers: { 'Content-Type': 'image/png' },
    });
  };
}

/**
 * 503 while the gateway stops, while events cannot be stored, or while a session that should run does not. Names the
 * damaged parts of the data folder: the gateway works without them.
 */
function readiness(
  supervisor: SessionDirectory,
  events: Pick<EventLog, 'isStoring'>,
  damage: Pick<Damage, 'counts'>,
): Route {
  const reason = () => {
    if (!events.isStoring) return 'events cannot be stored: check the disk';
    if (supervisor.isClosing) return 'the gateway is stopping';
    return supervisor.isHealthy ? undefined : 'a session that should run does not';
  };
  return (c) => {
    const why = reason();
    const damaged = [...damage.counts.keys()];
    const about = damaged.length > 0 ? { damaged } : {};
    return why === undefined ? c.json({ ready: true, ...about }) : c.json({ ready: false, reason: why, ...about }, 503);
  };
}

const methodsOf = new Map<string, string[]>(Object.values(otherRoutes).map(({ path }) => [path, ['GET']]));
methodsOf.set(AGENTS_PATH, ['POST']);
for (const { method, path } of Object.values(operations)) methodsOf.set(path, [...(methodsOf.get(path) ?? []), method]);

/** 405 for a path with other methods, 404 for any other. */
function refuseUnrouted(app: Hono<ServerEnv>, c: Context<ServerEnv>): never {
  const { path } = c.req;
  // A path with an empty id matches no route, but the error is an invalid id.
  if (/^\/sessions\/(\/|$)/.test(getPath(c.req.raw))) parseParams({ id: '' }, v.object({ id: sessionId }));
  const matched = ['GET', 'POST', 'PUT', 'DELETE'].map((method) => app.router.match(method, path)[0][0]);
  // Several, if one has a word where another has a parameter.
  const patterns = matched.flatMap((match) => match?.[0][1].path ?? []);
  const methods = [...new Set(patterns.flatMap((pattern) => methodsOf.get(pattern) ?? []))];
  if (methods.length > 0) {
    c.header('Allow', methods.join(', '));
    throw new GatewayError('method_not_allowed', `this path allows ${methods.join(' and ')}`);
  }
  throw new GatewayError('route_not_found', 'route not found');
}

/** A route that knows its `caller`; 401 for missing or invalid credentials, 429 after too many wrong tokens. */
function authenticated(access: Access, route: Route): Route {
  return (c) => {
    const address = addressOf(c);
    c.set('caller', access.identify({ authorization: c.req.header('Authorization'), address }));
    return route(c);
  };
}

/** A route that a ticket opens instead of a token. Who has one may read: it was created by a caller who may. */
function orByTicket(tickets: Pick<EventTickets, 'redeem'>, route: Route, withoutTicket: Route): Route {
  return (c) => {
    const ticket = c.req.query('ticket');
    if (ticket === undefined) return withoutTicket(c);
    const { caller, chosen } = tickets.redeem(ticket);
    c.set('caller', caller);
    c.set('chosen', chosen);
    return route(c);
  };
}

/**
 * A route behind a guard: refuses callers whose key does not cover the session in the path, whether that session exists
 * or not, or lacks the scope. Uses the path only, so that nothing else of the request is read before.
 */
function requires(scope: Scope, route: Route): Route {
  return (c) => {
    const caller = c.get('caller');
    const session = c.req.param('id');
    if (session !== undefined && !caller.sees(session)) {
      throw new Refusal('foreign_session', 'there is no session with this id that the key may access');
    }
    if (!reaches(caller.scope, scope)) {
      const required = scope === 'operator' ? 'CHAT_WEB_TOKEN' : `a key with scope ${scope}`;
      throw new Refusal('insufficient_scope', `this requires ${required}; the key has scope ${caller.scope}`);
    }
    return route(c);
  };
}
