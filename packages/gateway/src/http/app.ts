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
} from '@chat-web/protocol';
import { type Handler, Hono } from 'hono';
import * as v from 'valibot';
import type { Access } from '../access/access.ts';
import type { Audit } from '../access/audit.ts';
import type { Refusals } from '../access/refusals.ts';
import { type Config, version } from '../config.ts';
import type { Log } from '../log.ts';
import type { Spool } from '../media/spool.ts';
import type { Metrics } from '../metrics.ts';
import { Admission } from './admission.ts';
import { auditTrail } from './audit-trail.ts';
import { authenticate } from './auth.ts';
import { errorResponse } from './error-response.ts';
import { type EventSource, eventRoute } from './event-route.ts';
import { requires } from './guard.ts';
import { openApiDocument } from './openapi.ts';
import { type AnyHandler, operationRoute } from './operation-route.ts';
import { originGuard } from './origin.ts';
import { qrImage } from './qr-image.ts';
import { referencePage } from './reference-page.ts';
import { parseParams } from './request-input.ts';
import type { ServerEnv } from './server-env.ts';

/** What the routes need from the sessions. */
export interface SessionDirectory extends EventSource {
  list(): readonly unknown[];
  /** The error that a call of that session would get now; undefined if it would be forwarded. */
  refusalOf(id: string): GatewayError | undefined;
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
  readonly handlers: Readonly<Record<OperationName, AnyHandler>>;
  readonly spool: Spool;
  readonly metrics: Pick<Metrics, 'answered' | 'text' | 'contentType'>;
  readonly log: Log;
}

/** All routes of the gateway: public routes, authentication, the operations, then the other routes. */
export function createApp(parts: AppParts): Hono<ServerEnv> {
  const { config, access, supervisor, handlers, spool, metrics, log } = parts;
  const app = new Hono<ServerEnv>();
  app.use(auditTrail(parts.audit, parts.refusals));
  app.use(originGuard({ asksForToken: access.asksForToken, allowedHosts: config.allowedHosts }));
  const admission = new Admission(config);
  const document = openApiDocument(version(), access.asksForToken);
  const others: Readonly<Record<OtherRouteName, Handler<ServerEnv>>> = {
    health: (c) => c.json({ ok: true, sessions: supervisor.list().length }),
    ready: readiness(supervisor),
    events: eventRoute(supervisor, admission),
    metrics: async (c) => c.body(await metrics.text(), 200, { 'Content-Type': metrics.contentType }),
    openapi: (c) => c.json(document),
    docs: referencePage(document),
  };
  const rest = Object.entries(otherRoutes) as [OtherRouteName, OtherRoute][];
  for (const [name, { path, scope }] of rest) if (scope === 'anyone') app.get(path, others[name]);
  app.use(authenticate(access));

  app.use(operations.getQr.path, qrImage);
  for (const [name, operation] of Object.entries(operations) as [OperationName, Operation][]) {
    const { method, path, scope } = operation;
    const { maxBodyBytes } = config;
    const refusalOf = isWorkerOperation(name) ? (id: string) => supervisor.refusalOf(id) : undefined;
    const options = { maxBodyBytes, spool, refusalOf, metrics, admission, log };
    const route = operationRoute(name, operation, handlers[name], options);
    app.on(method, path, requires(scope, route));
  }
  for (const [name, { path, scope }] of rest) if (scope !== 'anyone') app.get(path, requires(scope, others[name]));

  refuseOtherMethods(app);
  app.notFound((c) => refuseUnknown(c.req.path));
  app.onError((error, c) => errorResponse(c, error, log));
  return app;
}

/** 503 while the gateway stops, or while a session that should run does not. */
function readiness(supervisor: SessionDirectory): Handler<ServerEnv> {
  return (c) => {
    if (supervisor.isClosing) return c.json({ ready: false, reason: 'the gateway is stopping' }, 503);
    return supervisor.isHealthy
      ? c.json({ ready: true })
      : c.json({ ready: false, reason: 'a session that should run does not' }, 503);
  };
}

function refuseOtherMethods(app: Hono<ServerEnv>): void {
  const allowed = new Map<string, string[]>(Object.values(otherRoutes).map(({ path }) => [path, ['GET']]));
  for (const { method, path } of Object.values(operations)) allowed.set(path, [...(allowed.get(path) ?? []), method]);
  for (const [path, methods] of allowed) {
    app.all(path, (c) => {
      c.header('Allow', methods.join(', '));
      throw new GatewayError('method_not_allowed', `this path allows ${methods.join(' and ')}`);
    });
  }
}

function refuseUnknown(path: string): never {
  // A path with an empty id matches no route, but the error is an invalid id.
  if (/^\/sessions\/(\/|$)/.test(path)) parseParams({ id: '' }, v.object({ id: sessionId }));
  throw new GatewayError('route_not_found', 'route not found');
}
