import {
  author,
  chatKind,
  DEFAULT_EVENTS,
  EVENT_ID,
  EVENT_NAMES,
  eventNameOf,
  GatewayError,
  reaches,
  SECOND_MS,
  SECRET_EVENTS,
  type SessionEvent,
  sessionId,
  writtenNumber,
  writtenTime,
} from '@chat-web/protocol';
import type { Context } from 'hono';
import * as v from 'valibot';
import type { Caller } from '../access/caller.ts';
import { passes } from '../events/chat-filter.ts';
import type { EventStreams } from '../events/event-streams.ts';
import { type EventSource, type Feed, jsonOf, shownEntry, sseEvent, type Takes } from '../events/feed.ts';
import type { Log } from '../log.ts';
import type { Admission } from './admission.ts';
import { parseParams, parseQuery } from './request-input.ts';
import { ResponseStream } from './response-stream.ts';
import { onResponseClose, RESPONSE_ALREADY_SENT } from './server/guarded-response.ts';
import type { Route, ServerEnv } from './server-env.ts';

export interface ShownSessions {
  /** The session with this id, and the QR or code that it shows; 404 if there is none. */
  find(id: string): { readonly shown: SessionEvent | undefined };
}

export interface EventDependencies {
  readonly sessions: ShownSessions;
  /** Of all hosts. */
  readonly events: EventSource;
  readonly streams: EventStreams;
  readonly admission: Admission;
  readonly log: Pick<Log, 'error'>;
}

const MAX_WAIT_SECONDS = 60;
const MAX_LIMIT = 1_000;
const DEFAULT_LIMIT = 100;
/** A page has at least one event, and at most this much text plus one event. */
const MAX_PAGE_LENGTH = 1_048_576;

const params = v.object({ id: sessionId });

/** A list of names in one parameter. */
const commaSeparated = <S extends v.GenericSchema<string>>(item: S) =>
  v.pipe(
    v.string(),
    v.transform((text) => text.split(',').map((name) => name.trim())),
    v.array(item),
  );
const MUST_BE_POSITION =
  'must be the id of an event, oldest, or a time in ISO 8601 with its time zone, such as 2027-01-31T00:00:00Z';

/** An id of an event that is unknown is reported as a gap. The plus of a time zone arrives as a blank. */
const position = v.pipe(
  v.string(),
  v.transform((written) => written.replace(/^(\S{1,40}) (\d\d:?\d\d)$/, '$1+$2')),
  v.check((written) => written === 'oldest' || EVENT_ID.test(written) || v.is(writtenTime, written), MUST_BE_POSITION),
);
const queryOfSession = {
  after: v.optional(position),
  events: v.optional(commaSeparated(eventNameOf(EVENT_NAMES))),
  chats: v.optional(commaSeparated(chatKind)),
  from: v.optional(author),
  limit: v.optional(writtenNumber(1, MAX_LIMIT)),
  wait: v.optional(writtenNumber(0, MAX_WAIT_SECONDS)),
};
const sessionQuery = v.strictObject(queryOfSession);
const query = v.strictObject({ ...queryOfSession, sessions: v.optional(commaSeparated(sessionId)) });
/** What is delivered is chosen when the ticket is created: whoever has it must not get more. */
const ticketQuery = v.strictObject({
  after: queryOfSession.after,
  limit: queryOfSession.limit,
  wait: queryOfSession.wait,
  ticket: v.string(),
});
type Query = v.InferOutput<typeof query>;

/** The events of one session: as a stream, until the session is deleted, or as pages. */
export function sessionEventsRoute(dependencies: EventDependencies): Route {
  return (c) => {
    const { id } = parseParams(c.req.param(), params);
    const { shown } = dependencies.sessions.find(id);
    return answer(dependencies, c, parseQuery(c, sessionQuery), id, shown);
  };
}

/** The events of all sessions that the caller may see, or of what a ticket was created for. */
export function allEventsRoute(dependencies: EventDependencies): Route {
  return (c) => {
    const chosen = c.get('chosen');
    const requested = chosen ? { ...parseQuery(c, ticketQuery), ...chosen } : parseQuery(c, query);
    return answer(dependencies, c, requested, undefined, undefined);
  };
}

function answer(
  dependencies: EventDependencies,
  c: Context<ServerEnv>,
  requested: Query,
  session: string | undefined,
  shown: SessionEvent | undefined,
): Response | Promise<Response> {
  const asPages = wantsJson(c);
  if (c.req.method === 'HEAD') {
    return c.body(null, 200, { 'Content-Type': asPages ? 'application/json' : 'text/event-stream' });
  }
  const caller = c.get('caller');
  caller.signal.throwIfAborted();
  const { incoming, outgoing } = c.env;
  // A body would be read for as long as the stream is open.
  if (!incoming.complete) throw new GatewayError('invalid_request', 'this request must not have a body');
  const takes = filterOf(caller, requested);
  const after = c.req.header('Last-Event-ID') || requested.after;
  const by = { owner: caller.keyId ?? '', requireWanted: () => requireWanted(caller, outgoing) };
  const feed = dependencies.events.feed({ after, session, takes, by });
  const leave = dependencies.admission.enter(undefined, caller.keyId);
  if (leave) onResponseClose(outgoing, leave);
  if (asPages)
    return page(feed, requested, caller.signal, outgoing).then((text) =>
      c.body(text, 200, { 'Content-Type': 'application/json' }),
    );
  return stream(dependencies, c, { feed, session, shown, takes });
}

function requireWanted({ signal }: Caller, outgoing: ServerEnv['Bindings']['outgoing']): void {
  signal.throwIfAborted();
  if (outgoing.destroyed) throw new GatewayError('request_timeout', 'the caller is gone');
}

function filterOf({ scope, sees }: Caller, { events, sessions, ...filter }: Query): Takes {
  // A reader that chooses names still has to learn about gaps.
  const names = new Set<string>(events ? [...events, 'gap'] : DEFAULT_EVENTS);
  if (!reaches(scope, 'manage')) for (const name of SECRET_EVENTS) names.delete(name);
  const wanted = sessions && new Set(sessions);
  return (session, name, event) =>
    names.has(name) && (wanted === undefined || wanted.has(session)) && sees(session) && passes(filter, name, event);
}

function stream(
  { streams, log }: EventDependencies,
  c: Context<ServerEnv>,
  { feed, session, shown, takes }: StreamRequest,
): Response {
  const { signal, keyId } = c.get('caller');
  const { outgoing } = c.env;
  const opened = new ResponseStream(outgoing, feed, { withSession: session === undefined, takes, log });
  const close = streams.add(opened, session, keyId);
  const revoke = () => {
    close();
    opened.cutOff('the key or token is no longer valid');
  };
  signal.addEventListener('abort', revoke, { once: true });
  onResponseClose(outgoing, () => {
    close();
    signal.removeEventListener('abort', revoke);
  });
  if (outgoing.destroyed) return RESPONSE_ALREADY_SENT;
  opened.open();
  if (shown && session !== undefined && takes(session, shown.name))
    opened.write(sseEvent(shownEntry(session, shown), false));
  return RESPONSE_ALREADY_SENT;
}

interface StreamRequest {
  readonly feed: Feed;
  readonly session: string | undefined;
  readonly shown: SessionEvent | undefined;
  readonly takes: Takes;
}

/** One page of events as JSON. If there is none, waits for as long as requested. */
async function page(
  feed: Feed,
  { limit = DEFAULT_LIMIT, wait = 0 }: Query,
  revoked: AbortSignal,
  outgoing: ServerEnv['Bindings']['outgoing'],
): Promise<string> {
  const until = performance.now() + wait * SECOND_MS;
  const events: string[] = [];
  let lastId: string | undefined;
  let [length, isFull] = [0, false];
  const isOver = () => revoked.aborted || outgoing.destroyed;
  for (;;) {
    while (!feed.isAtEnd && !isFull && !isOver()) {
      for (const entry of await feed.read()) {
        isFull ||= events.length === limit || length > MAX_PAGE_LENGTH;
        if (isFull) break; // The next page begins with it.
        const event = jsonOf(entry); // Metadata of its session can be longer than the event.
        events.push(event);
        lastId = entry.id ?? feed.position; // Such a gap is the only one of its read.
        length += event.length;
      }
    }
    const leftMs = until - performance.now();
    if (events.length > 0 || leftMs <= 0 || isOver()) break;
    await more(feed, leftMs, revoked, outgoing);
  }
  revoked.throwIfAborted();
  const next = isFull ? (lastId ?? feed.position) : feed.position;
  return `{"events":[${events.join(',')}],"next":"${next}"}`;
}

/** Resolves when more may be available, when the time is up, or when the caller is gone. */
function more(
  feed: Feed,
  timeoutMs: number,
  revoked: AbortSignal,
  outgoing: ServerEnv['Bindings']['outgoing'],
): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      stop();
      revoked.removeEventListener('abort', over);
      outgoing.off('close', over);
      resolve();
    };
    const timer = setTimeout(over, timeoutMs);
    const stop = feed.onMore(over);
    revoked.addEventListener('abort', over, { once: true });
    outgoing.once('close', over);
  });
}

function wantsJson(c: Context<ServerEnv>): boolean {
  const accept = (c.req.header('Accept') ?? '').toLowerCase();
  return accept.includes('application/json') && !accept.includes('text/event-stream');
}
