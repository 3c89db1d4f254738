import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { GatewayError, sessionId } from '@chat-web/protocol';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import * as v from 'valibot';
import { Refusal } from '../access/refusal.ts';
import type { Cluster, Peer } from '../cluster/cluster.ts';
import { HOP_HEADER } from '../cluster/hop.ts';
import { openSockets } from '../host/open-files.ts';
import type { Log } from '../log.ts';
import type { Calls } from './calls.ts';
import { hasBody } from './server/body-headers.ts';
import { closeOnAbort, onResponseClose } from './server/guarded-response.ts';
import { lingeringBody } from './server/lingering-close.ts';
import { addressOf, type Route, type ServerEnv } from './server-env.ts';

/** The answer of a gateway that does not have the session, to one that forwards a request. */
const MISDIRECTED = 421;
const UNAUTHORIZED = 401;
const LOG_REFUSALS_MS = 60_000;
/** When that was last logged, by host. */
const refusedAt = new Map<string, number>();
const UNAUTHORIZED_HINT = 'the hosts of a cluster need the same CHAT_WEB_TOKEN';
const CONNECT_TIMEOUT_MS = 3_000;
/** For the owner to ask for the body: it may hold the call while the session arrives, and look for it in the database. */
const CONTINUE_TIMEOUT_MS = 12_000;
/** For what the owner needs beyond the time limit of the operation. */
const GRACE_MS = 5_000;
/** For a stream to begin, or a page of events to be sent, which may wait for events. */
const STREAM_BEGINS_MS = 65_000;
/** A shorter answer is sent at once: a stream costs more than it. */
const MAX_HELD_BYTES = 65_536;
/** Streams have a comment every 30 s. */
const IDLE_MS = 90_000;
/** A lost host may only be cut off from the database. After a failure, it is asked again after this time. */
const LOST_RETRY_MS = 5_000;

/** While a session is moved: for how long a call of it waits, and how many may wait. */
const [MAX_WAIT_MS, MAX_WAITING] = [5_000, 64];
const [RETRY_AFTER_SECONDS, WEBHOOKS_RETRY_SECONDS] = [2, 10];

/** Of one connection (RFC 9110), or checked here already. */
const NOT_FORWARDED = new Set(
  `connection keep-alive proxy-authenticate proxy-authorization te trailer upgrade transfer-encoding expect host origin
  referer cookie ${HOP_HEADER}`.split(/\s+/),
);
const NOT_ANSWERED = new Set(['connection', 'keep-alive', 'transfer-encoding', 'x-request-id']);
/** By which a browser names the page that sends a request. */
const OF_PAGES = 'sec-fetch-';

/** Idle connections are closed long before the other gateway does. */
const options = { keepAlive: true, maxFreeSockets: 32, timeout: 30_000 };
const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };

export interface ForwardingDependencies {
  readonly calls: Calls;
  readonly cluster: Pick<
    Cluster,
    | 'isAlone'
    | 'ownerOf'
    | 'webhooksAt'
    | 'refreshWebhooks'
    | 'foreignView'
    | 'refresh'
    | 'signHop'
    | 'verifyHop'
    | 'isMoving'
    | 'moved'
  >;
  /** True for a session that is known here. */
  isOwn(session: string): boolean;
  readonly log: Pick<Log, 'error'>;
}

/** How the owner of a session is looked for. */
type Asked = Parameters<Cluster['ownerOf']>[1];

export interface ForwardedRoute {
  /** It creates a session, which is placed on a host. */
  readonly isNew: boolean;
  /** It may have an effect even if its answer is lost. */
  readonly changes: boolean;
  /** Absent for a stream, which has none. */
  readonly timeoutMs: number | undefined;
  /** The directory answers while the host is lost. */
  readonly isStatus: boolean;
  /** The database has the events while the host is lost. */
  readonly isEvents?: boolean;
}

/** True if another gateway forwards the request: its body is asked for once it has reached its session. */
export function hasHop({ headers }: IncomingMessage): boolean {
  return headers[HOP_HEADER] !== undefined;
}

/** A route that knows for whom another gateway forwards the request. 403 if the header of that is not valid. */
export function withHop({ cluster }: Pick<ForwardingDependencies, 'cluster'>, route: Route): Route {
  if (cluster.isAlone) return route;
  return async (c) => {
    const header = c.req.header(HOP_HEADER);
    if (header === undefined) return route(c);
    const hop = await cluster.verifyHop(header, requestOf(c));
    if (!hop) {
      c.header(HOP_HEADER, 'refused');
      throw new Refusal('not_forwarded', 'the request was not forwarded by a gateway of this cluster');
    }
    c.set('forwardedFor', hop);
    return route(c);
  };
}

/**
 * A route of a session, which may be on another host: then its gateway answers. The caller's own credentials are
 * forwarded and checked again there, so that the hop adds no rights. A forwarded request is never forwarded again.
 */
export function atOwner(dependencies: ForwardingDependencies, about: ForwardedRoute, route: Route): Route {
  const { cluster, calls, isOwn } = dependencies;
  if (cluster.isAlone) return route;
  /** By host: when a lost one was last asked in vain. */
  const failedAt = new Map<string, number>();

  return async (c) => {
    const session = c.req.param('id') ?? '';
    if (!v.is(sessionId, session)) return route(c); // It is refused there.
    if (!about.isStatus && cluster.isMoving(session)) await wait(session);
    const isForwarded = c.get('forwardedFor') !== undefined;
    const isNew = about.isNew && !isForwarded && !isOwn(session);
    const asked = { isNew, wanted: c.req.query('host') };
    const owner = await ownerOf(dependencies, session, asked, isForwarded);
    if (isForwarded && owner) return c.body(null, MISDIRECTED);
    if (isForwarded && c.env.incoming.headers.expect !== undefined) c.env.outgoing.writeContinue();
    if (about.timeoutMs !== undefined) onResponseClose(c.env.outgoing, calls.enter(owner ? undefined : session));
    return owner ? atOthers(c, owner, session, asked) : route(c);
  };

  /** 503 if a session is still being moved after some seconds. */
  async function wait(session: string): Promise<void> {
    const hasRoom = calls.waiting < MAX_WAITING;
    calls.waiting += 1;
    try {
      if (hasRoom && (await cluster.moved(session, MAX_WAIT_MS))) return;
    } finally {
      calls.waiting -= 1;
    }
    const why = `session ${session} is being moved to another host`;
    throw new GatewayError('session_moving', why, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  async function atOthers(c: Context<ServerEnv>, first: Peer, session: string, asked: Asked): Promise<Response> {
    const tried = new Map<string, string>(); // The host of each address.
    for (let owner: Peer | undefined = first; owner; ) {
      const { id, name, address = '' } = owner;
      if (tried.has(address)) throw new GatewayError('host_unreachable', `host ${name} does not answer`);
      const isGivenUp =
        owner.isLost && performance.now() - (failedAt.get(id) ?? Number.NEGATIVE_INFINITY) < LOST_RETRY_MS;
      const answer = isGivenUp ? undefined : await answerOf(c, owner, about, dependencies);
      if (answer) return answer;
      if (!isGivenUp) failedAt.set(id, performance.now());
      const view = owner.isLost ? cluster.foreignView(session) : undefined;
      if (view && about.isStatus) return c.json(view);
      if (view && about.isEvents) return route(c);
      tried.set(address, id);
      // It may have moved, its gateway may have started elsewhere, or there is another host for a new session.
      await cluster.refresh();
      owner = await ownerOf(dependencies, session, { ...asked, notOn: [...tried.values()] }, false);
    }
    return route(c);
  }
}

/** A route of the webhooks, which one gateway has: it answers. */
export function atWebhooks(dependencies: ForwardingDependencies, about: ForwardedRoute, route: Route): Route {
  const { cluster, calls } = dependencies;
  if (cluster.isAlone) return route;
  return async (c) => {
    const isForwarded = c.get('forwardedFor') !== undefined;
    for (let isRetry = false; ; isRetry = true) {
      const peer = cluster.webhooksAt();
      if (isForwarded && peer) return c.body(null, MISDIRECTED);
      if (isForwarded && c.env.incoming.headers.expect !== undefined) c.env.outgoing.writeContinue();
      if (!peer) return route(c);
      if (!isRetry) onResponseClose(c.env.outgoing, calls.enter(undefined));
      const answer = await answerOf(c, peer, about, dependencies);
      if (answer) return answer;
      const why = `host ${peer.name}, which delivers the webhooks, does not answer: another one takes over within 40 s`;
      if (isRetry) throw new GatewayError('host_unreachable', why, { retryAfterSeconds: WEBHOOKS_RETRY_SECONDS });
      await cluster.refreshWebhooks(); // Another one may have them by now.
    }
  };
}

/** Signs the request, and returns what `forward` returns. */
async function answerOf(
  c: Context<ServerEnv>,
  peer: Peer,
  about: ForwardedRoute,
  { cluster, log }: ForwardingDependencies,
): Promise<Response | undefined> {
  const hop = cluster.signHop({ request: requestOf(c), address: addressOf(c) ?? '', to: peer.id });
  const answer = await forward(c, peer, about, hop);
  if (answer?.status === UNAUTHORIZED) noteRefusal(peer.name, log); // They were valid here.
  if (answer && !about.changes) closeOnAbort(c.env.outgoing, c.get('caller').signal);
  return answer;
}

async function ownerOf(
  { cluster, isOwn }: ForwardingDependencies,
  session: string,
  options: Asked,
  isForwarded: boolean,
) {
  try {
    return await cluster.ownerOf(session, options);
  } catch (error) {
    const isOutage = error instanceof GatewayError && error.code === 'engine_unavailable';
    if (isOutage && (isOwn(session) || isForwarded)) return undefined; // What is here goes on.
    throw error;
  }
}

/**
 * The answer of the gateway that has the session. Undefined if it does not answer, or no longer has it, and nothing of
 * the request has reached it. `outcome_unknown` if it may have carried out a change.
 */
async function forward(
  c: Context<ServerEnv>,
  owner: Peer,
  { changes, timeoutMs = STREAM_BEGINS_MS }: ForwardedRoute,
  hop: string,
): Promise<Response | undefined> {
  const { incoming, outgoing } = c.env;
  // Such a change is sent at once. A connection that the owner is just closing would leave its outcome unknown.
  let agent = changes && !hasBody(incoming) ? false : undefined;
  for (;;) {
    const { sent, answered, mayHaveArrived } = send(incoming, owner, hop, agent);
    sent.setTimeout(timeoutMs + GRACE_MS, () => sent.destroy(new Error('no answer in time')));
    onResponseClose(outgoing, () => sent.destroy());
    try {
      return await responseOf(c, sent, await answered);
    } catch {
      if (outgoing.destroyed) throw new GatewayError('host_unreachable', 'the caller has closed the connection');
      if (sent.reusedSocket && agent !== false && (!changes || !mayHaveArrived())) {
        agent = false; // The owner was just closing it.
        continue;
      }
      if (!mayHaveArrived()) return undefined;
      if (!changes) throw new GatewayError('host_unreachable', `host ${owner.name} has not answered`);
      throw new GatewayError(
        'outcome_unknown',
        `host ${owner.name} has not answered: the request may have taken effect`,
      );
    }
  }
}

/** Undefined if the other gateway has not carried out the request because of where it was sent, or by whom. */
async function responseOf(
  c: Context<ServerEnv>,
  sent: ClientRequest,
  answer: IncomingMessage,
): Promise<Response | undefined> {
  const { incoming } = c.env;
  const status = answer.statusCode ?? 0;
  const headers = answeredHeaders(answer);
  if (status === MISDIRECTED || answer.headers[HOP_HEADER] !== undefined) {
    answer.resume();
    return undefined;
  }
  sent.setTimeout(IDLE_MS); // From here on, it is silent only while the caller does not read, or if it hangs.
  if (status === 204 || status === 304 || incoming.method === 'HEAD') {
    answer.resume();
    return c.newResponse(null, status as ContentfulStatusCode, headers);
  }
  const length = Number(answer.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  const isWhole = !hasBody(incoming) || incoming.complete;
  if (isWhole && length > MAX_HELD_BYTES) {
    // If the other gateway dies, what was begun cannot be ended properly.
    answer.once('error', () => c.env.outgoing.destroy());
    const body = Readable.toWeb(answer.pipe(new PassThrough())) as ReadableStream;
    return c.newResponse(body, status as ContentfulStatusCode, headers);
  }
  const bytes = await buffer(answer);
  if (isWhole) return c.newResponse(new Uint8Array(bytes), status as ContentfulStatusCode, headers);
  // A refusal, before the body has ended.
  sent.destroy();
  const closing = { ...headers, Connection: 'close' };
  return c.newResponse(lingeringBody(bytes, c.env), status as ContentfulStatusCode, closing);
}

/** Once a minute for each host: it may only be a key that was just deleted. */
function noteRefusal(host: string, log: ForwardingDependencies['log']): void {
  const last = refusedAt.get(host) ?? Number.NEGATIVE_INFINITY;
  if (performance.now() - last < LOG_REFUSALS_MS) return;
  refusedAt.set(host, performance.now());
  log.error({ host, hint: UNAUTHORIZED_HINT }, 'host refuses credentials');
}

/**
 * Sends a request on. Its body follows only once the other gateway has asked for it: no byte is sent to a wrong one.
 * Without an agent (`false`), a connection of its own is used.
 */
function send(incoming: IncomingMessage, { address = '' }: Peer, hop: string, agent: false | undefined) {
  const { protocol, hostname, port } = new URL(address);
  const isTls = protocol === 'https:';
  const withBody = hasBody(incoming);
  const sent = (isTls ? httpsRequest : httpRequest)({
    host: hostname.replace(/^\[|\]$/g, ''),
    port,
    method: incoming.method,
    path: incoming.url,
    headers: { ...forwardedHeaders(incoming), [HOP_HEADER]: hop, ...(withBody ? bodyHeaders(incoming) : {}) },
    agent: agent ?? (isTls ? agents.https : agents.http),
  });
  let mayHaveArrived = false;
  const failAfter = (ms: number, why: string) => setTimeout(() => sent.destroy(new Error(why)), ms);
  let waiting = failAfter(CONNECT_TIMEOUT_MS, 'no connection in time');
  const endWait = () => clearTimeout(waiting);
  sent.once('close', endWait).once('response', endWait).once('continue', endWait);
  sent.once('socket', (socket) => {
    const connected = () => {
      endWait();
      // A host that was cut off may still have a connection, over which nothing arrives.
      if (withBody) waiting = failAfter(CONTINUE_TIMEOUT_MS, 'the body was not asked for in time');
      else mayHaveArrived = true;
    };
    if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', connected);
    else connected();
  });
  sent.once('continue', () => {
    mayHaveArrived = true;
    // Not by a pipeline: that would destroy what is left of the caller's request, and its socket with it.
    incoming.pipe(sent);
    const closed = () => {
      if (!incoming.complete) sent.destroy(new Error('the caller has closed the connection'));
    };
    incoming.once('close', closed);
    sent.once('close', () => incoming.off('close', closed).unpipe(sent));
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', (answer) => {
      incoming.unpipe(sent);
      resolve(answer);
    });
    sent.on('error', reject);
  });
  if (withBody) sent.flushHeaders();
  else sent.end();
  return { sent, answered, mayHaveArrived: () => mayHaveArrived };
}

/** Node would send a body without its length where the method has none as a rule: as another request. */
function bodyHeaders({ headers }: IncomingMessage): OutgoingHttpHeaders {
  return {
    Expect: '100-continue',
    ...(headers['content-length'] === undefined ? { 'Transfer-Encoding': 'chunked' } : {}),
  };
}

/** What a hop is signed for. */
function requestOf({ env }: Context<ServerEnv>): string {
  return `${env.incoming.method} ${env.incoming.url}`;
}

/** How many connections to other gateways are open. */
export function forwardedConnections(): number {
  return openSockets(agents.http) + openSockets(agents.https);
}

function forwardedHeaders({ headers }: IncomingMessage): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !NOT_FORWARDED.has(name) && !name.startsWith(OF_PAGES)),
  );
}

function answeredHeaders({ headers }: IncomingMessage): Record<string, string | string[]> {
  const entries = Object.entries(headers).filter(([name, value]) => value !== undefined && !NOT_ANSWERED.has(name));
  return Object.fromEntries(entries) as Record<string, string | string[]>;
}
