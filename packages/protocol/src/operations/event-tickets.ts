import * as v from 'valibot';
import { author, chatKind, eventNameOf } from '../event-filters.ts';
import { EVENT_NAMES } from '../events.ts';
import { exampleSession } from '../examples.ts';
import { sessionId } from '../ids.ts';
import type { Operation } from '../operation.ts';
import { isoTime } from '../times.ts';
import { itemsOf } from './common.ts';

const MAX_ITEMS = 100;

/** What a stream that is opened with a ticket delivers. */
const eventTicket = v.strictObject({
  /** Absent: all sessions that the caller may see. */
  sessions: v.optional(v.pipe(itemsOf(sessionId, MAX_ITEMS), v.minLength(1, 'must name a session'))),
  /** Absent: all but the opt-in ones. */
  events: v.optional(v.pipe(itemsOf(eventNameOf(EVENT_NAMES), MAX_ITEMS), v.minLength(1, 'must name an event'))),
  /** Absent: of all kinds of chats. */
  chats: v.optional(v.pipe(itemsOf(chatKind, MAX_ITEMS), v.minLength(1, 'must name a kind of chat'))),
  /** Absent: what the account itself did, and what others did. */
  from: v.optional(author),
});
export type EventTicket = Readonly<v.InferOutput<typeof eventTicket>>;

export const eventTicketOperations = {
  createEventTicket: {
    summary: 'Create a ticket that opens `GET /events?ticket=…` once within a minute, without a token',
    method: 'POST',
    path: '/events/ticket',
    scope: 'read',
    params: v.object({}),
    optionalBody: eventTicket,
    answer: v.object({ ticket: v.string(), expiresAt: isoTime }),
    errors: [],
    timeoutMs: 5_000,
    examples: { messages: { sessions: [exampleSession.id], events: ['message', 'message_ack'] }, all: {} },
  },
} as const satisfies Record<string, Operation>;
