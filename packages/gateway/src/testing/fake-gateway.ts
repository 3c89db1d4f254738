import { once } from 'node:events';
import { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { GatewayError, type OperationName, operations } from '@chat-web/protocol';
import { temporaryFolder } from '@chat-web/testing';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import { pino } from 'pino';
import { Access } from '../access/access.ts';
import { Audit } from '../access/audit.ts';
import { EventTickets } from '../access/event-tickets.ts';
import { FailureLimit } from '../access/failure-limit.ts';
import { KeyFile } from '../access/key-store.ts';
import { Keys } from '../access/keys.ts';
import { OperatorToken } from '../access/operator-token.ts';
import { Refusals } from '../access/refusal.ts';
import { standalone } from '../cluster/open-cluster.ts';
import { readConfig } from '../config.ts';
import { DeliveredMessages } from '../events/delivered-messages.ts';
import { EventLog } from '../events/event-log.ts';
import { OpenAcks } from '../events/open-acks.ts';
import { PublishedEvents } from '../events/published-events.ts';
import { SessionMetadata } from '../events/session-metadata.ts';
import { Damage } from '../host/damage.ts';
import { createApp, type SessionDirectory } from '../http/app.ts';
import { Calls } from '../http/calls.ts';
import type { AnyHandler } from '../http/operation-route.ts';
import { GuardedResponse } from '../http/server/guarded-response.ts';
import type { ServerEnv } from '../http/server-env.ts';
import { Journal } from '../journal/journal.ts';
import { Spool } from '../media/spool.ts';
import { Idempotency } from '../sends/idempotency.ts';
import { SentKeys } from '../sends/sent-keys.ts';

/** The operator's token of a fake gateway that requires one. */
export const TOKEN = 'correct-horse';

/** A request of a test. A body is sent as JSON; a string unchanged. */
export interface FakeRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Receives the callback that marks the answer as received; without it, the answer is received at once. */
  readonly onAnswer?: (taken: () => void) => void;
}

/** Lines of JSON from a log. */
export class Lines {
  readonly all: Record<string, unknown>[] = [];

  write(line: string): void {
    this.all.push(JSON.parse(line));
  }
}

/**
 * Sends one request to routes, with the bindings that Node provides: a body that has arrived whole, and no connection.
 */
export async function request(
  app: Hono<ServerEnv>,
  path: string,
  { method = 'GET', headers = {}, body, onAnswer = (taken) => taken() }: FakeRequest = {},
): Promise<Response> {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const all = { host: 'localhost', ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers };
  const incoming = new IncomingMessage(new Socket());
  Object.assign(incoming.headers, all, { 'content-length': String(Buffer.byteLength(text ?? '')) });
  if (text) incoming.push(text);
  incoming.push(null);
  incoming.complete = true;
  const env: HttpBindings = { incoming, outgoing: new ServerResponse(incoming) };
  const answer = await app.request(path, { method, headers: all }, env);
  onAnswer(() => env.outgoing.emit('close'));
  return answer;
}

/** Serves routes over HTTP on loopback, as the gateway does; `close` ends every connection. */
export async function serve(app: Hono<ServerEnv>) {
  const server = createAdaptorServer({
    // In a microtask, as in the gateway: see `createApp`.
    fetch: (request, env) => Promise.resolve().then(() => app.fetch(request, env)),
    serverOptions: { ServerResponse: GuardedResponse },
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      if ('closeAllConnections' in server) server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** How a fake gateway differs from one without a token, on which only the session `main` runs. */
export interface FakeGatewayOptions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly handlers?: Partial<Record<OperationName, AnyHandler>>;
  readonly sessions?: Partial<SessionDirectory>;
}

/** All routes, with handlers that answer null and record their input. `asyncDispose` removes the folder. */
export async function fakeGateway({ settings = {}, handlers = {}, sessions = {} }: FakeGatewayOptions = {}) {
  const folder = temporaryFolder();
  const dataDir = folder.path;
  const config = readConfig({ CHAT_WEB_DATA_DIR: dataDir, CHAT_WEB_MIN_FREE_DISK_MB: '0', ...settings });
  const [log, audit] = [new Lines(), new Lines()];
  const logger = pino({ level: 'debug', base: null }, log);
  const keys = await Keys.load(new KeyFile(join(dataDir, 'keys.json')), logger);
  const token = await OperatorToken.load(config, logger);
  const damage = new Damage(dataDir, logger);
  const folds = {
    delivered: new DeliveredMessages(),
    openAcks: new OpenAcks(),
    published: new PublishedEvents(),
    metadata: new SessionMetadata(),
    sentKeys: new SentKeys(),
  };
  const journalLimits = { maxBytes: config.journalMaxBytes, maxAgeMs: config.journalMaxAgeMs };
  const journal = await Journal.open({
    dir: join(dataDir, 'journal'),
    folds: Object.values(folds),
    log: logger,
    damage,
    ...journalLimits,
  });
  const events = new EventLog(journal, folds, journalLimits, logger);
  const handled: { name: string; input: unknown; caller: string }[] = [];
  const counted: [operation: string, status: number][] = [];
  const recording = (name: OperationName): AnyHandler => {
    const answer = handlers[name] ?? (() => null);
    return (input, caller, attempt) => {
      handled.push({ name, input, caller: caller.id });
      return answer(input, caller, attempt);
    };
  };
  const tickets = new EventTickets();
  const names = Object.keys(operations) as OperationName[];
  const app = createApp({
    config,
    access: new Access(token, keys, new FailureLimit(config.authFailuresPerMinute)),
    tickets,
    refusals: new Refusals(logger),
    audit: new Audit(undefined, audit, logger),
    spool: new Spool(dataDir, config, logger),
    damage,
    events,
    source: events,
    cluster: standalone,
    calls: new Calls(),
    departure: async () => Promise.reject(new Error('not in a cluster')),
    idempotency: new Idempotency(events.requests, folds.sentKeys, folds.published),
    log: logger,
    metrics: {
      answered: (operation, status) => counted.push([operation, status]),
      text: async () => 'chat_web_sessions 1\n',
      contentType: 'text/plain',
    },
    supervisor: {
      isClosing: false,
      isHealthy: true,
      has: (id) => id === 'main',
      list: () => ['main'],
      refusalOf: () => undefined,
      find: (id) => {
        if (id !== 'main') throw new GatewayError('session_not_found', `there is no session ${id}`);
        return { shown: { name: 'qr', data: 'data:image/png;base64,' } };
      },
      ...sessions,
    },
    handlers: Object.fromEntries(names.map((name) => [name, recording(name)])) as Record<OperationName, AnyHandler>,
  });
  return {
    app,
    keys,
    tickets,
    journal,
    events,
    damage,
    handled,
    counted,
    dataDir,
    log,
    audit,
    request: (path: string, sent?: FakeRequest) => request(app, path, sent),
    [Symbol.asyncDispose]: async () => {
      await journal.close(); // Otherwise it would create the folder again, for a record that it could not write.
      folder[Symbol.dispose]();
    },
  };
}
