import * as v from 'valibot';
import { LIMITS, networkId, writtenText } from './limits.ts';
import { message } from './resources.ts';
import { isoTime } from './times.ts';

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
  /** A message was deleted for everyone: by its author, or `by` an admin of the group. */
  message_revoked: v.object({ id: networkId, chatId: networkId, from: networkId, by: v.optional(networkId) }),
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
