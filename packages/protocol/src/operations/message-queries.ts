import * as v from 'valibot';
import { messageId, recipient } from '../ids.ts';
import { count, LIMITS, listOf, networkId, unixSeconds, writtenText } from '../limits.ts';
import { optionalMediaFile } from '../media.ts';
import type { Operation } from '../operation.ts';
import { wholeNumber } from '../query.ts';
import { message } from '../resources.ts';
import { CHAT_CHANGE_ERRORS, MESSAGE_CHANGE_ERRORS, ofChat, ofMessage, ofSession, READ_ERRORS } from './common.ts';

const MOST_AT_ONCE = 200;
const DAY_SECONDS = 86_400;

const limit = v.optional(wholeNumber(1, MOST_AT_ONCE), 50);
const at = v.pipe(unixSeconds, v.description('In Unix seconds'));
/** Who did something with a message, and when. */
export const receipt = v.object({ id: networkId, at });
/** A reaction in the list of a message. */
export const listedReaction = v.object({ from: networkId, emoji: writtenText(LIMITS.emoji), at });
/** A vote in the list of a poll. */
export const listedVote = v.object({
  ...{ from: networkId, options: listOf(writtenText(LIMITS.name), LIMITS.pollOptions), at },
});

/** Operations that read messages and what people did with them, and mark them: the session's worker answers them. */
export const messageQueryOperations = {
  getMessage: {
    summary: 'Get a message',
    method: 'GET',
    path: '/sessions/:id/messages/:messageId',
    scope: 'read',
    params: ofMessage,
    answer: message,
    errors: [...READ_ERRORS, 'message_not_found'],
    timeoutMs: 30_000,
  },
  listMessages: {
    summary: 'List messages of a chat, oldest first: the newest, or those before or after one of them',
    method: 'GET',
    path: '/sessions/:id/chats/:chatId/messages',
    scope: 'read',
    params: ofChat,
    query: v.pipe(
      v.strictObject({ before: v.optional(messageId), after: v.optional(messageId), limit }),
      v.forward(
        v.check(({ before, after }) => before === undefined || after === undefined, 'give either before or after'),
        ['after'],
      ),
    ),
    answer: v.object({
      messages: listOf(message, MOST_AT_ONCE),
      /** Whether this device has more in that direction. */
      hasMore: v.boolean(),
      /** Whether the phone has older ones that this device does not have; absent if that is unknown. */
      isOlderOnPhone: v.optional(v.boolean()),
    }),
    errors: [...READ_ERRORS, 'chat_not_found', 'message_not_found'],
    timeoutMs: 30_000,
  },
  loadOlderMessages: {
    summary: "Load about 50 older messages of a chat from the account's phone; list them afterwards",
    method: 'POST',
    path: '/sessions/:id/chats/:chatId/messages/older',
    scope: 'send',
    params: ofChat,
    /** `loaded` is false if the phone has none. */
    answer: v.object({ chatId: networkId, loaded: v.boolean(), isOlderOnPhone: v.optional(v.boolean()) }),
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 75_000,
  },
  searchMessages: {
    summary: 'Search messages for words that begin with the text, newest first; in one chat, or in all',
    method: 'GET',
    path: '/sessions/:id/search',
    scope: 'read',
    params: ofSession,
    query: v.strictObject({
      text: v.pipe(
        v.string(),
        v.trim(),
        v.minLength(1, 'must not be blank'),
        v.maxLength(200, 'must be at most 200 characters'),
      ),
      chatId: v.optional(recipient),
      page: v.optional(wholeNumber(1, 1_000), 1),
      limit,
    }),
    answer: v.object({ messages: listOf(message, MOST_AT_ONCE), hasMore: v.boolean() }),
    errors: [...READ_ERRORS, 'chat_not_found'],
    timeoutMs: 30_000,
  },
  listReactions: {
    summary: 'List the reactions to a message, with who reacted',
    method: 'GET',
    path: '/sessions/:id/messages/:messageId/reactions',
    scope: 'read',
    params: ofMessage,
    answer: listOf(listedReaction, LIMITS.listed),
    errors: [...READ_ERRORS, 'message_not_found'],
    timeoutMs: 30_000,
  },
  listPollVotes: {
    summary: 'List the votes in a poll: the newest of each person',
    method: 'GET',
    path: '/sessions/:id/messages/:messageId/votes',
    scope: 'read',
    params: ofMessage,
    answer: listOf(listedVote, LIMITS.listed),
    errors: [...READ_ERRORS, 'message_not_found'],
    timeoutMs: 30_000,
  },
  listReceipts: {
    summary: 'List who has received, read or played a sent message',
    method: 'GET',
    path: '/sessions/:id/messages/:messageId/receipts',
    scope: 'read',
    params: ofMessage,
    answer: v.object({
      delivered: listOf(receipt, LIMITS.listed),
      read: listOf(receipt, LIMITS.listed),
      played: listOf(receipt, LIMITS.listed),
      /** How many recipients it has not reached yet; absent if that is unknown. */
      remaining: v.optional(count(LIMITS.time)),
    }),
    errors: [...READ_ERRORS, 'message_not_found', 'not_permitted'],
    timeoutMs: 30_000,
  },
  getThumbnail: {
    summary: 'Get the small preview that came with a message: a JPEG, or 204 if there is none',
    method: 'GET',
    path: '/sessions/:id/messages/:messageId/thumbnail',
    scope: 'read',
    params: ofMessage,
    answer: optionalMediaFile,
    errors: [...READ_ERRORS, 'message_not_found'],
    timeoutMs: 30_000,
  },
  starMessage: {
    summary: 'Star a message, or remove the star',
    method: 'PUT',
    path: '/sessions/:id/messages/:messageId/star',
    scope: 'send',
    params: ofMessage,
    body: v.object({ starred: v.boolean() }),
    answer: v.object({ id: networkId, starred: v.boolean() }),
    errors: MESSAGE_CHANGE_ERRORS,
    timeoutMs: 30_000,
  },
  pinMessage: {
    summary: 'Pin a message in its chat for a day, a week or 30 days, or unpin it',
    method: 'PUT',
    path: '/sessions/:id/messages/:messageId/pin',
    scope: 'send',
    params: ofMessage,
    body: v.object({
      pinned: v.boolean(),
      seconds: v.optional(
        v.picklist([DAY_SECONDS, 7 * DAY_SECONDS, 30 * DAY_SECONDS], 'must be 86400, 604800 or 2592000'),
        7 * DAY_SECONDS,
      ),
    }),
    answer: v.object({ id: networkId, pinned: v.boolean() }),
    errors: MESSAGE_CHANGE_ERRORS,
    timeoutMs: 30_000,
  },
} as const satisfies Record<string, Operation>;
