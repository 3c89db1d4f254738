import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { GatewayError } from '@chat-web/protocol';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { Refusal } from '../access/refusal.ts';
import type { Cluster, Peer } from '../cluster/cluster.ts';
import { HOP_HEADER } from '../cluster/hop.ts';
import type { Calls } from './calls.ts';
import { onResponseClose } from './server/guarded-response.ts';
import { mayHaveBody } from './server/listeners.ts';
import { addressOf, type Route, type ServerEnv } from './server-env.ts';

/** The answer of a gateway that does not have the session, to one that forwards a request. */
const MISDIRECTED = 421;
const CONNECT_TIMEOUT_MS = 3_000;
/** For what the owner needs beyond the time limit of the operation. */
const GRACE_MS = 5_000;

/** While a session is moved: for how long a call of it waits, and how many may wait. */
const [MAX_WAIT_MS, MAX_WAITING] = [5_000, 64];
const RETRY_AFTER_SECONDS = 2;

/** Of one connection (RFC 9110), or checked here already. */
const NOT_FORWARDED = new Set(
  `connection keep-alive proxy-authenticate proxy-authorization te trailer upgrade transfer-encoding expect host origin
  referer cookie ${HOP_HEADER}`.split(/\s+/),
);
const NOT_ANSWERED = new Set(['connection', 'keep-alive', 'transfer-encoding', 'x-request-id']);
/** By which a browser names the page that sends a request. */
const OF_PAGES = 'sec-fetch-';

let waiting = 0;

const options = { keepAlive: true, maxFreeSockets: 32 };
const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };

export interface ForwardingDependencies {
  readonly calls: Calls;
  readonly cluster: Pick<
    Cluster,
    'isAlone' | 'ownerOf' | 'foreignView' | 'refresh' | 'signHop' | 'verifyHop' | 'isMoving' | 'moved'
  >;
  /** True for a session that is known here. */
  isOwn(session: string): boolean;
}

export interface ForwardedRoute {
  /** It creates a session, which is placed on a host. */
  readonly isNew: boolean;
  /** It may have an effect even if its answer is lost. */
  readonly changes: boolean;
  /** Absent for a stream, which has none. */
  readonly timeoutMs: number | undefined;
  /** The directory answers while the host is lost. */
  readonly isStatus: boolean;
}

/** A route that knows for whom another gateway forwards the request. 403 if the header of that is not valid. */
export function withHop({ cluster }: Pick<ForwardingDependencies, 'cluster'>, route: Route): Route {
  if (cluster.isAlone) return route;
  return async (c) => {
    const header = c.req.header(HOP_HEADER);
    if (header === undefined) return route(c);
    const hop = await cluster.verifyHop(header, requestOf(c));
    if (!hop) throw new Refusal('not_forwarded', 'the request was not forwarded by a gateway of this cluster');
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
  return async (c) => {
    const session = c.req.param('id') ?? '';
    if (!about.isStatus && cluster.isMoving(session)) await wait(session);
    const isForwarded = c.get('forwardedFor') !== undefined;
    const isNew = about.isNew && !isForwarded && !isOwn(session);
    const owner = await ownerOf(dependencies, session, { isNew });
    if (isForwarded && owner) return c.body(null, MISDIRECTED);
    if (isForwarded && c.env.incoming.headers.expect !== undefined) c.env.outgoing.writeContinue();
    if (about.timeoutMs !== undefined) onResponseClose(c.env.outgoing, calls.enter(owner ? undefined : session));
    return owner ? atOthers(c, owner, session, isNew) : route(c);
  };

  /** 503 if a session is still being moved after some seconds. */
  async function wait(session: string): Promise<void> {
    const hasRoom = waiting < MAX_WAITING;
    waiting += 1;
    try {
      if (hasRoom && (await cluster.moved(session, MAX_WAIT_MS))) return;
    } finally {
      waiting -= 1;
    }
    const why = `session ${session} is being moved to another host`;
    throw new GatewayError('session_moving', why, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  async function atOthers(c: Context<ServerEnv>, first: Peer, session: string, isNew: boolean): Promise<Response> {
    const tried = new Map<string, string>(); // The host of each address.
    for (let owner: Peer | undefined = first; owner; ) {
      const { id, name, address = '' } = owner;
      if (tried.has(address)) throw new GatewayError('host_unreachable', `host ${name} does not answer`);
      const view = about.isStatus && owner.isLost ? cluster.foreignView(session) : undefined;
      if (view) return c.json(view);
      const answer = owner.isLost ? undefined : await forward(c, owner, about, cluster);
      if (answer) return answer;
      tried.set(address, id);
      // It may have moved, its gateway may have started elsewhere, or there is another host for a new session.
      await cluster.refresh();
      owner = await ownerOf(dependencies, session, { isNew, notOn: [...tried.values()] });
    }
    return route(c);
  }
}

async function ownerOf(
  { cluster, isOwn }: ForwardingDependencies,
  session: string,
  options: Parameters<Cluster['ownerOf']>[1],
) {
  try {
    return await cluster.ownerOf(session, options);
  } catch (error) {
    const isOutage = error instanceof GatewayError && error.code === 'engine_unavailable';
    if (isOutage && (isOwn(session) || !options.isNew)) return undefined; // What is here goes on.
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
  { changes, timeoutMs }: ForwardedRoute,
  cluster: Pick<Cluster, 'signHop'>,
): Promise<Response | undefined> {
  const hop = cluster.signHop(requestOf(c), addressOf(c) ?? '');
  const { sent, answered, mayHaveArrived } = send(c.env.incoming, owner, hop);
  if (timeoutMs !== undefined)
    sent.setTimeout(timeoutMs + GRACE_MS, () => sent.destroy(new Error('no answer in time')));
  onResponseClose(c.env.outgoing, () => sent.destroy());
  try {
    const answer = await answered;
    const status = answer.statusCode ?? 0;
    const hasBody = status !== 204 && status !== 304 && c.env.incoming.method !== 'HEAD';
    if (!hasBody || status === MISDIRECTED) answer.resume();
    if (status === MISDIRECTED) return undefined;
    const stream = hasBody ? (Readable.toWeb(answer) as ReadableStream) : null;
    return c.newResponse(stream, status as ContentfulStatusCode, answeredHeaders(answer));
  } catch {
    if (!mayHaveArrived()) return undefined;
    if (!changes) throw new GatewayError('host_unreachable', `host ${owner.name} has not answered`);
    throw new GatewayError('outcome_unknown', `host ${owner.name} has not answered: the request may have taken effect`);
  }
}

/** Sends a request on. Its body follows only once the other gateway has asked for it: no byte is sent to a wrong one. */
function send(incoming: IncomingMessage, { address = '' }: Peer, hop: string) {
  const { protocol, hostname, port } = new URL(address);
  const isTls = protocol === 'https:';
  const hasBody = mayHaveBody(incoming);
  const sent = (isTls ? httpsRequest : httpRequest)({
    host: hostname.replace(/^\[|\]$/g, ''),
    port,
    method: incoming.method,
    path: incoming.url,
    headers: { ...forwardedHeaders(incoming), [HOP_HEADER]: hop, ...(hasBody ? { Expect: '100-continue' } : {}) },
    agent: isTls ? agents.https : agents.http,
  });
  let [mayHaveArrived, isAnswered] = [false, false];
  const connecting = setTimeout(() => sent.destroy(new Error('no connection in time')), CONNECT_TIMEOUT_MS);
  sent.once('close', () => clearTimeout(connecting));
  sent.once('socket', (socket) => {
    const connected = () => {
      clearTimeout(connecting);
      mayHaveArrived ||= !hasBody;
    };
    if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', connected);
    else connected();
  });
  sent.once('continue', () => {
    mayHaveArrived = true;
    // An answer may come before the end of the body, which nobody reads then.
    pipeline(incoming, sent).catch(() => isAnswered || sent.destroy());
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    sent.once('response', (answer) => {
      isAnswered = true;
      resolve(answer);
    });
    sent.on('error', reject);
  });
  if (hasBody) sent.flushHeaders();
  else sent.end();
  return { sent, answered, mayHaveArrived: () => mayHaveArrived };
}

/** What a hop is signed for. */
function requestOf({ env }: Context<ServerEnv>): string {
  return `${env.incoming.method} ${env.incoming.url}`;
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
