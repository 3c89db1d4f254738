import {
  type AccountEvent,
  type AccountEventName,
  CALL_STATES,
  cutText,
  LIMITS,
  networkId,
  PRESENCE_STATES,
} from '@chat-web/protocol';
import * as v from 'valibot';
import { toMessage, toMutedUntil } from '../resources.ts';
import { orNone } from '../schemas.ts';

/** The range of dates, in milliseconds. */
const LAST_MS = LIMITS.time * 1_000;

/** A text that a person wrote: cut rather than rejected. */
const written = (max: number) =>
  v.pipe(
    v.nullish(v.string(), ''),
    v.transform((text) => cutText(text, max)),
  );

const time = v.pipe(
  v.number(),
  v.finite(),
  v.transform((ms) => new Date(Math.max(0, Math.min(LAST_MS, ms))).toISOString()),
);

/** A person who may be unknown. */
const person = orNone(networkId);

/** Present if the account itself did it. */
const fromMe = orNone(v.literal(true));

/** Only people with valid ids. */
const participants = v.pipe(
  v.array(v.unknown()),
  v.transform((ids) => ids.filter((id): id is string => v.is(networkId, id)).slice(0, LIMITS.members)),
);
const inGroup = { id: networkId, groupId: networkId, by: person, fromMe };

/** The name that a person chose. */
const senderName = v.optional(written(LIMITS.name));

/** A person's presence or activity. */
const activity = v.object({ state: v.picklist(PRESENCE_STATES), lastSeen: v.optional(time) });

const forms = {
  message_sent: v.pipe(v.unknown(), v.transform(toMessage)),
  message_reaction: v.object({
    messageId: networkId,
    chatId: networkId,
    from: networkId,
    senderName,
    fromMe,
    emoji: written(LIMITS.emoji),
    at: time,
  }),
  poll_vote: v.object({
    pollId: networkId,
    chatId: networkId,
    from: networkId,
    fromMe,
    options: v.pipe(
      v.array(written(LIMITS.name)),
      v.transform((options) => options.slice(0, LIMITS.pollOptions)),
    ),
    at: time,
  }),
  message_edited: v.object({
    id: networkId,
    chatId: networkId,
    from: networkId,
    fromMe,
    body: written(LIMITS.body),
    at: time,
  }),
  message_revoked: v.object({ id: networkId, chatId: networkId, from: networkId, by: person, fromMe }),
  group_joined: v.object({ ...inGroup, participants }),
  group_left: v.object({ ...inGroup, participants }),
  group_request: v.object({ ...inGroup, participants }),
  group_updated: v.object({
    ...inGroup,
    change: v.pipe(
      v.string(),
      v.transform((subtype) => subtype.replace(/[^\w.-]/g, '_').slice(0, 60) || 'unknown'),
    ),
    participants,
    value: v.optional(written(LIMITS.name)),
  }),
  call: v.object({
    id: networkId,
    chatId: networkId,
    from: networkId,
    senderName,
    fromMe,
    video: v.boolean(),
    group: v.boolean(),
    state: v.fallback(v.picklist(CALL_STATES), 'unknown'),
    at: time,
  }),
  presence: v.object({
    chatId: networkId,
    from: person,
    ...activity.entries,
  }),
  chat_updated: v.object({
    chatId: networkId,
    // The page uses -1 for a chat marked as unread.
    unreadCount: v.pipe(
      v.nullish(v.number(), 0),
      v.finite(),
      v.transform((unread) => Math.min(LIMITS.time, Math.abs(Math.trunc(unread)))),
    ),
    archived: v.optional(v.boolean()),
    pinned: v.optional(v.boolean()),
    mutedUntil: v.optional(v.pipe(v.number(), v.finite(), v.transform(toMutedUntil))),
  }),
} satisfies Record<AccountEventName, v.GenericSchema>;

/** An event of the API, from the page's data. Throws if that is invalid; the error contains none of it. */
export function toAccountEvent(name: unknown, data: unknown): AccountEvent {
  const known = v.parse(v.picklist(Object.keys(forms) as AccountEventName[]), name);
  const read = v.safeParse(forms[known], data);
  if (read.success) return { name: known, data: read.output } as AccountEvent;
  throw new Error(`${v.getDotPath(read.issues[0]) ?? 'it'} has an invalid form`);
}

/** A person's presence or activity, from the page's data; empty if that is invalid. */
export function toActivity(read: unknown): Partial<v.InferOutput<typeof activity>> {
  const parsed = v.safeParse(activity, read);
  return parsed.success ? parsed.output : {};
}
