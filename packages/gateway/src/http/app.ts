import {
  GatewayError,
  isWorkerOperation,
  type Operation,
  type OperationName,
  type OtherRoute,
  type OtherRouteName,
  operations,
  otherRoutes,
  sessionId,
  type WorkerOperationName,
} from '@chat-web/protocol';
import { type Context, Hono } from 'hono';
import * as v from 'valibot';
import type { Access } from '../access/access.ts';
import type { Audit } from '../access/audit.ts';
import type { Refusals } from '../access/refusals.ts';
import { type Config, version } from '../config.ts';
import type { EventLog } from '../events/event-log.ts';
import type { Log } from '../log.ts';
import type { Spool } from '../media/spool.ts';
import type { Metrics } from '../metrics.ts';
import type { Idempotency } from '../sends/idempotency.ts';
import { Admission } from './admission.ts';
import { audited } from './audit-trail.ts';
import { authenticated } from './auth.ts';
import { errorResponse } from './error-response.ts';
import { allEventsRoute, type EventSources, sessionEventsRoute } from './event-route.ts';
import { requires } from './guard.ts';
import { openApiDocument } from './openapi.ts';
import { type AnyHandler, operationRoute } from './operation-route.ts';
import { fromOwnOrigin } from './origin.ts';
import { withQrImage } from './qr-image.ts';
import { parseParams } from './request-input.ts';
import type { Route, ServerEnv } from './server-env.ts';
import { consolePages, referencePages, staticPages } from './static-pages.ts';

/** What the routes need from the sessions. */
export interface SessionDirectory extends Pick<EventSources, 'find'> {
  list(): readonly unknown[];
  /** The error that a call to this session would get now; undefined if it would be forwarded. */
  refusalOf(id: string, operation: WorkerOperationName): GatewayError | undefined;
  /** True once no new work is accepted. */
  readonly isClosing: boolean;
  /** False while a session that should run does not. */
  readonly isHealthy: boolean;
}

/** What the HTTP app depends on. */
export interface AppParts {
  readonly config: Config;
  readonly access: Access;
  readonly refusals: Refusals;
  readonly audit: Audit;
  readonly supervisor: SessionDirectory;
  readonly events: EventSources['events'] & Pick<EventLog, 'isStoring'>;
  readonly handlers: Readonly<Record<OperationName, AnyHandler>>;
  readonly spool: Spool;
  readonly idempotency: Idempotency;
  readonly metrics: Pick<Metrics, 'answered' | 'text' | 'contentType'>;
  readonly log: Log;
}

/**
 * All routes of the gateway. The steps of each request are composed here, not as a chain of Hono's middleware: if one
 * function matches, Hono calls it directly, and the chain took a tenth of the time of a short request.
 *
 * Call it in a microtask after Node reports the request, not at once: Node reports a request before it parses what
 * follows the head, and then runs microtasks. Until then no request is complete, and each looks as if it had a body.
 */
export function createApp(parts: AppParts): Hono<ServerEnv> {
  const { config, access, supervisor, events, handlers, spool, idempotency, metrics, log } = parts;
  const app = new Hono<ServerEnv>();
  const answerError = (c: Context<ServerEnv>, error: unknown) => errorResponse(c, error, log);
  const origins = { asksForToken: access.asksForToken, allowedHosts: config.allowedHosts };
  const open = (route: Route) => audited({ ...parts, answerError }, fromOwnOrigin(origins, route));
  const guarded = (route: Route) => open(authenticated(access, route));

  const admission = new Admission(config);
  const eventSources = { find: (id: string) => supervisor.find(id), events, admission, log };
  const document = openApiDocument(version(), access.asksForToken);
  const others: Readonly<Record<OtherRouteName, Route>> = {
    health: (c) => c.json({ ok: true, sessions: supervisor.list().length }),
    ready: readiness(supervisor, events),
    allEvents: allEventsRoute(eventSources),
    events: sessionEventsRoute(eventSources),
    metrics: async (c) => c.body(await metrics.text(), 200, { 'Content-Type': metrics.contentType }),
    openapi: (c) => c.json(document),
    docs: staticPages(referencePages),
    console: staticPages(consolePages),
  };
  for (const [name, { path, scope }] of Object.entries(otherRoutes) as [OtherRouteName, OtherRoute][])
    app.get(path, scope === 'anyone' ? open(others[name]) : guarded(requires(scope, others[name])));

  for (const [name, operation] of Object.entries(operations) as [OperationName, Operation][]) {
    const { method, path, scope } = operation;
    const { maxBodyBytes, importMaxBytes } = config;
    const refusalOf = isWorkerOperation(name) ? (id: string) => supervisor.refusalOf(id, name) : undefined;
    const options = { maxBodyBytes, importMaxBytes, spool, refusalOf, metrics, admission, idempotency, log };
    const route = operationRoute(name, operation, handlers[name], options);
    app.on(method, path, guarded(requires(scope, name === 'getQr' ? withQrImage(route) : route)));
  }

  app.notFound(guarded((c) => refuseUnrouted(app, c)));
  app.onError((error, c) => answerError(c, error)); // Only for our own faults: `audited` answers all other errors.
  return app;
}

/** 503 while the gateway stops, while events cannot be stored, or while a session that should run does not. */
function readiness(supervisor: SessionDirectory, events: Pick<EventLog, 'isStoring'>): Route {
  return (c) => {
    if (!events.isStoring) return c.json({ ready: false, reason: 'events cannot be stored: look at the disk' }, 503);
    if (supervisor.isClosing) return c.json({ ready: false, reason: 'the gateway is stopping' }, 503);
    return supervisor.isHealthy
      ? c.json({ ready: true })
      : c.json({ ready: false, reason: 'a session that should run does not' }, 503);
  };
}

/** The methods of each path. */
const methodsOf = new Map<string, string[]>(Object.values(otherRoutes).map(({ path }) => [path, ['GET']]));
for (const { method, path } of Object.values(operations)) methodsOf.set(path, [...(methodsOf.get(path) ?? []), method]);

/** 405 for a path with other methods, 404 for any other. */
function refuseUnrouted(app: Hono<ServerEnv>, c: Context<ServerEnv>): never {
  const { path } = c.req;
  const matched = ['GET', 'POST', 'PUT', 'DELETE'].map((method) => app.router.match(method, path)[0][0]);
  // Several, if one has a word where another has a parameter.
  const patterns = matched.flatMap((match) => match?.[0][1].path ?? []);
  const methods = [...new Set(patterns.flatMap((pattern) => methodsOf.get(pattern) ?? []))];
  if (methods.length > 0) {
    c.header('Allow', methods.join(', '));
    throw new GatewayError('method_not_allowed', `this path allows ${methods.join(' and ')}`);
  }
  // A path with an empty id matches no route, but the error is an invalid id.
  if (/^\/sessions\/(\/|$)/.test(path)) parseParams({ id: '' }, v.object({ id: sessionId }));
  throw new GatewayError('route_not_found', 'route not found');
}
