import * as v from 'valibot';
import { count, LIMITS, listOf, networkId, writtenText } from './limits.ts';
import { message } from './resources.ts';
import { isoTime } from './times.ts';

/** The states of a call. `ringing` is told only where the page can take calls. */
export const CALL_STATES = [
  ...(['ringing', 'ongoing', 'completed', 'missed', 'rejected', 'canceled', 'accepted_elsewhere', 'failed'] as const),
  'unknown',
] as const;

/** What people do, as others see it. */
export const PRESENCE_STATES = ['available', 'unavailable', 'typing', 'recording'] as const;

const participants = listOf(networkId, LIMITS.members);
/** `id` is that of the notice in the group. Without `by`, nobody knows who did it. */
const inGroup = { id: networkId, groupId: networkId, by: v.optional(networkId) };

/**
 * The data of the events that tell what becomes of an account's messages, groups and chats, by name. A reader gets them
 * only if it names them. `from` and `by` are people: by number where that is known, by hidden id otherwise.
 */
export const accountEventData = {
  /** This account sent a message on another device. */
  message_sent: message,
  /** Somebody reacted to a message; an empty `emoji` takes the reaction back. */
  message_reaction: v.object({
    ...{ messageId: networkId, chatId: networkId, from: networkId },
    emoji: writtenText(LIMITS.emoji),
    at: isoTime,
  }),
  /** Somebody edited a message of theirs; `body` is the new text. */
  message_edited: v.object({
    ...{ id: networkId, chatId: networkId, from: networkId },
    body: writtenText(LIMITS.body),
    at: isoTime,
  }),
  /** Somebody voted in a poll: `options` is all that they have chosen, and empty once that was taken back. */
  poll_vote: v.object({
    ...{ pollId: networkId, chatId: networkId, from: networkId },
    options: listOf(writtenText(LIMITS.name), LIMITS.pollOptions),
    at: isoTime,
  }),
  /** A message was deleted for everyone: by its author, or `by` an admin of the group. */
  message_revoked: v.object({ id: networkId, chatId: networkId, from: networkId, by: v.optional(networkId) }),
  /** People came into a group, each by themselves or `by` another; also the account itself. */
  group_joined: v.object({ ...inGroup, participants }),
  /** People left a group, or were removed from it. */
  group_left: v.object({ ...inGroup, participants }),
  /** People ask to be let into a group that the account administers. */
  group_request: v.object({ ...inGroup, participants }),
  /** `change` is the page's name for it, such as `subject` or `promote`; `participants` are those whom it concerns. */
  group_updated: v.object({
    ...inGroup,
    change: v.pipe(v.string(), v.regex(/^[\w.-]{1,60}$/)),
    participants,
    value: v.optional(writtenText(LIMITS.name)),
  }),
  /** A call of `from`, who may be the account itself, in each state that the page tells. */
  call: v.object({
    ...{ id: networkId, chatId: networkId, from: networkId, video: v.boolean(), group: v.boolean() },
    state: v.picklist(CALL_STATES),
    at: isoTime,
  }),
  /**
   * What somebody does, in a chat for which that was asked. In a group, without `from` once nobody does anything;
   * `lastSeen` where a person who is `unavailable` tells it.
   */
  presence: v.object({
    ...{ chatId: networkId, from: v.optional(networkId), state: v.picklist(PRESENCE_STATES) },
    lastSeen: v.optional(isoTime),
  }),
  /**
   * A chat was archived, pinned, muted, read or marked as unread, and is like this now; a message that makes it unread is no
   * such event. A field is absent where the page does not say it; `mutedUntil` is null for a chat that is not muted.
   */
  chat_updated: v.object({
    chatId: networkId,
    unreadCount: count(LIMITS.time),
    archived: v.optional(v.boolean()),
    pinned: v.optional(v.boolean()),
    mutedUntil: v.optional(v.nullable(v.union([v.literal('forever'), isoTime]))),
  }),
} as const;

export type AccountEventName = keyof typeof accountEventData;
export const ACCOUNT_EVENTS = Object.keys(accountEventData) as AccountEventName[];

/** One of these events. */
export type AccountEvent = {
  [N in AccountEventName]: { readonly name: N; readonly data: v.InferOutput<(typeof accountEventData)[N]> };
}[AccountEventName];

/** The same as a schema. */
export const accountEvent = v.variant(
  'name',
  Object.entries(accountEventData).map(([name, data]) => v.object({ name: v.literal(name), data })),
) as unknown as v.GenericSchema<AccountEvent>;
