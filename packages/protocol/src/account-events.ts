import * as v from 'valibot';
import { count, LIMITS, listOf, networkId, writtenText } from './limits.ts';
import { message } from './resources.ts';
import { isoTime } from './times.ts';

/** The states of a call. `ringing` is reported only where the page can take calls, `ongoing` only for groups. */
export const CALL_STATES = [
  'ringing',
  'ongoing',
  'completed',
  'missed',
  'rejected',
  'canceled',
  'accepted_elsewhere',
  'failed',
  'unknown',
] as const;

/** What people are doing, as others see it. */
export const PRESENCE_STATES = ['available', 'unavailable', 'typing', 'recording'] as const;

const participants = listOf(networkId, LIMITS.members);
/** The name that the person `from` chose; absent for the account itself, and if the page does not know it. */
const senderName = v.optional(writtenText(LIMITS.name));
/** Present if the account itself did it, on any of its devices. */
const fromMe = v.optional(v.literal(true));
/** `id` is that of the notice in the group. Without `by`, the author is unknown. */
const inGroup = { id: networkId, groupId: networkId, by: v.optional(networkId), fromMe };

/**
 * The data of the events about changes of an account's messages, groups and chats, by name. They are opt-in. `from` and
 * `by` are people: by number if it is known, otherwise by hidden id.
 */
export const accountEventData = {
  /** This account sent a message on another device. */
  message_sent: message,
  /** Somebody reacted to a message; an empty `emoji` removes the reaction. */
  message_reaction: v.object({
    messageId: networkId,
    chatId: networkId,
    from: networkId,
    senderName,
    fromMe,
    emoji: writtenText(LIMITS.emoji),
    at: isoTime,
  }),
  /** Somebody edited their message; `body` is the new text. */
  message_edited: v.object({
    id: networkId,
    chatId: networkId,
    from: networkId,
    fromMe,
    body: writtenText(LIMITS.body),
    at: isoTime,
  }),
  /** Somebody voted in a poll: `options` is their whole choice, empty once they have withdrawn it. */
  poll_vote: v.object({
    pollId: networkId,
    chatId: networkId,
    from: networkId,
    fromMe,
    options: listOf(writtenText(LIMITS.name), LIMITS.pollOptions),
    at: isoTime,
  }),
  /** A message was deleted for everyone: by its author, or `by` an admin of the group. */
  message_revoked: v.object({
    id: networkId,
    chatId: networkId,
    from: networkId,
    by: v.optional(networkId),
    fromMe,
  }),
  /** People joined a group by themselves, or `by` another person added them. Includes the account itself. */
  group_joined: v.object({ ...inGroup, participants }),
  /** People left a group, or were removed from it. */
  group_left: v.object({ ...inGroup, participants }),
  /** People ask to join a group that the account administers. */
  group_request: v.object({ ...inGroup, participants }),
  /** `change` is the page's name for it, such as `subject` or `promote`; `participants` are the people affected. */
  group_updated: v.object({
    ...inGroup,
    change: v.pipe(v.string(), v.regex(/^[\w.-]{1,60}$/)),
    participants,
    value: v.optional(writtenText(LIMITS.name)),
  }),
  /** A call from `from`, who may be the account itself, in each state that the page reports. */
  call: v.object({
    id: networkId,
    chatId: networkId,
    from: networkId,
    senderName,
    fromMe,
    video: v.boolean(),
    group: v.boolean(),
    state: v.picklist(CALL_STATES),
    at: isoTime,
  }),
  /**
   * What someone is doing, in a chat whose presence is subscribed. In a group, `from` is absent once everyone has
   * stopped; `lastSeen` is present if a person who is `unavailable` shares it.
   */
  presence: v.object({
    chatId: networkId,
    from: v.optional(networkId),
    state: v.picklist(PRESENCE_STATES),
    lastSeen: v.optional(isoTime),
  }),
  /**
   * A chat was archived, pinned, muted, read or marked as unread, with its state now. A message that makes it unread is
   * not such an event. A field is absent if the page does not report it; `mutedUntil` is null for a chat that is not
   * muted.
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

export type AccountEvent = {
  [N in AccountEventName]: { readonly name: N; readonly data: v.InferOutput<(typeof accountEventData)[N]> };
}[AccountEventName];

export const accountEvent = v.variant(
  'name',
  Object.entries(accountEventData).map(([name, data]) => v.object({ name: v.literal(name), data })),
) as unknown as v.GenericSchema<AccountEvent>;
