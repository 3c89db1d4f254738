import * as v from 'valibot';
import { author, chatKind, eventNameOf } from '../event-filters.ts';
import { EVENT_NAMES, SECRET_EVENTS } from '../events.ts';
import { exampleWebhook } from '../examples.ts';
import { sessionPattern } from '../ids.ts';
import type { Operation } from '../operation.ts';
import { isoTime } from '../times.ts';
import { SECOND_MS } from '../units.ts';
import { basicAuth, webhookHeaders } from '../webhook-headers.ts';
import { itemsOf } from './common.ts';

const MAX_PATTERNS = 100;
const MAX_URL_LENGTH = 2_048;

const eventId = v.string();

/** The events that a webhook can have: all that are stored. */
export const webhookEvents = EVENT_NAMES.filter((name) => !SECRET_EVENTS.includes(name));
const eventName = eventNameOf(webhookEvents);

/** Where a webhook posts to. Whether it may is checked at each connection. */
export const webhookUrl = v.pipe(
  v.string(),
  v.maxLength(MAX_URL_LENGTH, `must be at most ${MAX_URL_LENGTH} characters`),
  v.check((written) => URL.canParse(written) && /^https?:\/\//i.test(written), 'must be an https or http URL'),
  v.check((written) => {
    const parsed = URL.canParse(written) ? new URL(written) : undefined;
    return !parsed?.username && !parsed?.password;
  }, 'must not contain a user name or a password'),
  v.check((written) => !written.includes('#'), 'must not contain a fragment'),
);

/** Where a webhook begins: the id of an event, or `oldest`. */
const position = v.pipe(
  v.string(),
  v.regex(/^(oldest|[0-9a-z]{1,32}-\d{1,15})$/, 'must be the id of an event, or oldest'),
);

const subscription = {
  url: webhookUrl,
  /** Absent: all sessions that the caller's key covers. */
  sessions: v.optional(
    v.pipe(itemsOf(sessionPattern, MAX_PATTERNS), v.minLength(1, 'must name a session, or a pattern such as shop-*')),
  ),
  /** Absent: all but those that have to be named. A `gap` is delivered whatever is chosen. */
  events: v.optional(v.pipe(itemsOf(eventName, MAX_PATTERNS), v.minLength(1, 'must name an event'))),
  /** Absent: all kinds. Events without a chat are not affected, and neither are they by `from`. */
  chats: v.optional(v.pipe(itemsOf(chatKind, MAX_PATTERNS), v.minLength(1, 'must name a kind of chat'))),
  /** Only what the account itself did, or only what others did. Absent: both. */
  from: v.optional(author),
  /** Sent with each request. Never shown again. In a change, absent: they stay; `{}`: none. */
  headers: v.optional(webhookHeaders),
  /** The same for the header `Authorization`. Null: none. */
  basicAuth: v.optional(v.nullable(basicAuth)),
};

/** What a webhook is made of. A misspelt field must not be ignored: it could be the one that limits it. */
const newWebhook = v.strictObject({ ...subscription, after: v.optional(position) });
export type NewWebhook = v.InferOutput<typeof newWebhook>;

const changedWebhook = v.strictObject(subscription);
export type ChangedWebhook = v.InferOutput<typeof changedWebhook>;

/** Why a delivery failed, or a webhook is disabled, as a sentence. It has no part of what the endpoint answered. */
const failure = v.object({ at: isoTime, message: v.string() });

/** A webhook, without its secret and the values of its headers. Times are ISO 8601. */
export const webhookView = v.object({
  id: v.string(),
  url: v.string(),
  sessions: v.array(v.string()),
  events: v.array(v.string()),
  /** Absent: all. */
  chats: v.optional(v.array(chatKind)),
  from: v.optional(author),
  /** The names of its own headers, with `Authorization` for Basic credentials. Their values are never shown. */
  headerNames: v.optional(v.array(v.string())),
  /** `failing`: the newest attempt failed, and events wait for the next. `disabled`: none is made. */
  status: v.picklist(['active', 'failing', 'disabled']),
  /**
   * Why it is disabled: the endpoint returned 410, nothing was delivered for 72 h, or its creator no longer has access.
   */
  reason: v.optional(v.picklist(['gone', 'no_success', 'no_access'])),
  createdAt: isoTime,
  /** All events up to this id were delivered, or are dead letters, apart from those of `waiting` sessions. */
  position: v.string(),
  /** Sessions of which an event waits for its next attempt. */
  waiting: v.number(),
  deadLetters: v.number(),
  lastSuccessAt: v.optional(isoTime),
  lastFailure: v.optional(failure),
  nextAttemptAt: v.optional(isoTime),
});
export type WebhookView = v.InferOutput<typeof webhookView>;

/** An event that was given up after its last attempt. */
const deadLetter = v.object({
  id: eventId,
  event: v.string(),
  session: v.optional(v.string()),
  /** When it was given up. */
  at: isoTime,
  attempts: v.number(),
  message: v.string(),
});
export type DeadLetter = v.InferOutput<typeof deadLetter>;

const webhookDelivery = v.object({
  id: eventId,
  event: v.string(),
  session: v.optional(v.string()),
  /** When it began. */
  at: isoTime,
  /** How long it took. */
  ms: v.number(),
  ok: v.boolean(),
  /** Why it failed, as a sentence. It has no part of what the endpoint answered. */
  message: v.optional(v.string()),
});
export type WebhookDelivery = v.InferOutput<typeof webhookDelivery>;

export const webhookId = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be the id of a webhook'));
const ofWebhook = v.object({ webhookId });
const onWebhook = {
  scope: 'manage',
  params: ofWebhook,
  errors: ['webhook_not_found'],
  timeoutMs: 5 * SECOND_MS,
} as const;
const withSecret = v.object({ ...webhookView.entries, secret: v.string() });

/** Operations on webhooks, answered by the gateway. A key sees those of its own sessions. */
export const webhookOperations = {
  listWebhooks: {
    summary: 'List the webhooks, without their secrets',
    method: 'GET',
    path: '/webhooks',
    scope: 'manage',
    params: v.object({}),
    answer: v.object({ webhooks: v.array(webhookView) }),
    errors: [],
    timeoutMs: 5 * SECOND_MS,
    examples: { all: {} },
  },
  createWebhook: {
    summary: 'Create a webhook, which receives events from now on; `secret` is shown only this once',
    method: 'POST',
    path: '/webhooks',
    scope: 'manage',
    params: v.object({}),
    body: newWebhook,
    answer: withSecret,
    status: 201,
    errors: ['session_not_found', 'url_not_allowed', 'rate_limited', 'insufficient_resources'],
    timeoutMs: 15 * SECOND_MS,
    examples: {
      all: { url: 'http://localhost:8080/chat-events' },
      messages: { url: 'http://localhost:8080/chat-events', sessions: ['main', 'shop-*'], events: ['message'] },
      groups: { url: 'http://localhost:8080/chat-events', chats: ['group'], headers: { 'X-Key': 'a long secret' } },
    },
  },
  getWebhook: {
    ...onWebhook,
    summary: 'Get a webhook',
    method: 'GET',
    path: '/webhooks/:webhookId',
    answer: webhookView,
    examples: { known: exampleWebhook },
  },
  updateWebhook: {
    ...onWebhook,
    summary:
      'Change a webhook; it keeps its position, its secret and the headers that are not given, and is enabled again if it was disabled',
    method: 'PUT',
    path: '/webhooks/:webhookId',
    body: changedWebhook,
    answer: webhookView,
    errors: ['webhook_not_found', 'session_not_found', 'url_not_allowed', 'insufficient_resources'],
    timeoutMs: 15 * SECOND_MS,
    examples: { known: { ...exampleWebhook, url: 'http://localhost:8080/chat-events', events: ['message'] } },
  },
  deleteWebhook: {
    ...onWebhook,
    summary: 'Delete a webhook',
    method: 'DELETE',
    path: '/webhooks/:webhookId',
    answer: v.object({ id: v.string(), status: v.literal('removed') }),
    errors: ['webhook_not_found', 'insufficient_resources'],
    examples: { known: exampleWebhook },
  },
  replayWebhook: {
    ...onWebhook,
    summary: 'Deliver all events after a position again',
    method: 'POST',
    path: '/webhooks/:webhookId/replay',
    body: v.strictObject({ after: position }),
    answer: webhookView,
    errors: ['webhook_not_found', 'insufficient_resources'],
    timeoutMs: 10 * SECOND_MS,
    examples: { oldest: { ...exampleWebhook, after: 'oldest' } },
  },
  testWebhook: {
    ...onWebhook,
    summary: 'Send a `test` event now; returns the result',
    method: 'POST',
    path: '/webhooks/:webhookId/test',
    answer: v.object({ id: v.string(), ok: v.boolean(), ms: v.number(), message: v.optional(v.string()) }),
    timeoutMs: 25 * SECOND_MS,
    examples: { known: exampleWebhook },
  },
  rotateWebhookSecret: {
    ...onWebhook,
    summary: 'Give a webhook a new secret, shown only this once; former ones also sign for 24 h',
    method: 'POST',
    path: '/webhooks/:webhookId/rotate-secret',
    answer: withSecret,
    errors: ['webhook_not_found', 'insufficient_resources'],
    examples: { known: exampleWebhook },
  },
  listDeadLetters: {
    ...onWebhook,
    summary: 'List the dead letters, events that were not delivered even after the last attempt, oldest first',
    method: 'GET',
    path: '/webhooks/:webhookId/dead-letters',
    answer: v.object({ deadLetters: v.array(deadLetter) }),
    examples: { known: exampleWebhook },
  },
  replayDeadLetters: {
    ...onWebhook,
    summary: 'Deliver the dead letters again, each once; those that fail again stay dead letters',
    method: 'POST',
    path: '/webhooks/:webhookId/dead-letters/replay',
    answer: v.object({ id: v.string(), replaying: v.number() }),
    examples: { known: exampleWebhook },
  },
  listDeliveries: {
    ...onWebhook,
    summary: 'List the last 50 attempts to deliver an event since the gateway started, newest first',
    method: 'GET',
    path: '/webhooks/:webhookId/deliveries',
    answer: v.object({ deliveries: v.array(webhookDelivery) }),
    examples: { known: exampleWebhook },
  },
} as const satisfies Record<string, Operation>;
