import * as v from 'valibot';
import { exampleChat, exampleIds, exampleMessage, exampleSession } from '../examples.ts';
import { messageId, recipient } from '../ids.ts';
import { count, LIMITS, listOf, networkId, unixSeconds, writtenText } from '../limits.ts';
import { optionalMediaFile } from '../media.ts';
import type { Operation } from '../operation.ts';
import { wholeNumber } from '../query.ts';
import { message } from '../resources.ts';
import {
  CHAT_CHANGE_ERRORS,
  changing,
  changingMessage,
  longList,
  ofChat,
  ofMessage,
  ofSession,
  READ_ERRORS,
  reading,
} from './common.ts';

const MAX_PAGE_MESSAGES = 200;
const DAY_SECONDS = 86_400;

const limit = v.optional(wholeNumber(1, MAX_PAGE_MESSAGES), 50);
const at = v.pipe(unixSeconds, v.description('In Unix seconds'));
/** Who did something with a message, and when. */
export const receipt = v.object({ id: networkId, at });
export const listedReaction = v.object({ from: networkId, emoji: writtenText(LIMITS.emoji), at });
export const listedVote = v.object({
  from: networkId,
  options: listOf(writtenText(LIMITS.name), LIMITS.pollOptions),
  at,
});

const readingMessage = { ...reading, params: ofMessage, errors: [...READ_ERRORS, 'message_not_found'] } as const;

export const messageQueryOperations = {
  getMessage: {
    ...readingMessage,
    summary: 'Get a message',
    path: '/sessions/:id/messages/:messageId',
    answer: message,
    tools: { get_message: {} },
    examples: { inbound: exampleMessage },
  },
  listMessages: {
    ...reading,
    summary: 'List messages of a chat, oldest first: the newest, or those before or after one of them',
    path: '/sessions/:id/chats/:chatId/messages',
    params: ofChat,
    query: v.pipe(
      v.strictObject({ before: v.optional(messageId), after: v.optional(messageId), limit }),
      v.forward(
        v.check(({ before, after }) => before === undefined || after === undefined, 'must not be given beside before'),
        ['after'],
      ),
    ),
    answer: v.object({
      messages: listOf(message, MAX_PAGE_MESSAGES),
      /** Whether this device has more in that direction. */
      hasMore: v.boolean(),
      /** Whether the phone has older ones that this device does not have; absent if that is unknown. */
      isOlderOnPhone: v.optional(v.boolean()),
    }),
    errors: [...READ_ERRORS, 'chat_not_found', 'message_not_found'],
    tools: { list_messages: { defaults: { limit: 20 } } },
    examples: { newest: { ...exampleChat, limit: 20 } },
  },
  loadOlderMessages: {
    ...changing,
    summary: "Load about 50 older messages of a chat from the account's phone; list them afterwards",
    path: '/sessions/:id/chats/:chatId/messages/older',
    params: ofChat,
    /** `loaded` is false if the phone has none. */
    answer: v.object({ chatId: networkId, loaded: v.boolean(), isOlderOnPhone: v.optional(v.boolean()) }),
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 75_000,
    examples: { known: exampleChat },
  },
  searchMessages: {
    ...reading,
    summary: 'Search messages for words that begin with the text, newest first; in one chat, or in all',
    path: '/sessions/:id/search',
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
    answer: v.object({ messages: listOf(message, MAX_PAGE_MESSAGES), hasMore: v.boolean() }),
    errors: [...READ_ERRORS, 'chat_not_found'],
    tools: { search_messages: { defaults: { limit: 20 } } },
    examples: { everywhere: { ...exampleSession, text: 'hello' } },
  },
  listReactions: {
    ...readingMessage,
    summary: 'List the reactions to a message, with who reacted',
    path: '/sessions/:id/messages/:messageId/reactions',
    ...longList(listedReaction),
    tools: { list_reactions: {} },
    examples: { inbound: exampleMessage },
  },
  listPollVotes: {
    ...readingMessage,
    summary: 'List the votes in a poll: the newest of each person',
    path: '/sessions/:id/messages/:messageId/votes',
    ...longList(listedVote),
    tools: { list_poll_votes: {} },
    examples: { poll: { ...exampleSession, messageId: exampleIds.poll } },
  },
  listReceipts: {
    ...readingMessage,
    summary: 'List who has received, read or played a sent message',
    path: '/sessions/:id/messages/:messageId/receipts',
    answer: v.object({
      delivered: listOf(receipt, LIMITS.listed),
      read: listOf(receipt, LIMITS.listed),
      played: listOf(receipt, LIMITS.listed),
      /** How many recipients it has not reached yet; absent if that is unknown. */
      remaining: v.optional(count(LIMITS.time)),
    }),
    errors: [...READ_ERRORS, 'message_not_found', 'not_permitted'],
    tools: { list_receipts: {} },
    examples: { sent: { ...exampleSession, messageId: exampleIds.outboundText } },
  },
  getThumbnail: {
    ...readingMessage,
    summary: 'Get the small preview image of a message: a JPEG, or 204 if there is none',
    path: '/sessions/:id/messages/:messageId/thumbnail',
    answer: optionalMediaFile,
    errors: [...READ_ERRORS, 'message_not_found', 'media_unavailable'],
    examples: { inbound: exampleMessage },
  },
  starMessage: {
    ...changingMessage,
    summary: 'Star a message, or remove the star',
    method: 'PUT',
    path: '/sessions/:id/messages/:messageId/star',
    body: v.strictObject({ starred: v.boolean() }),
    answer: v.object({ id: networkId, starred: v.boolean() }),
    examples: { inbound: { ...exampleMessage, starred: true } },
  },
  pinMessage: {
    ...changingMessage,
    summary: 'Pin a message in its chat for a day, a week or 30 days, or unpin it',
    method: 'PUT',
    path: '/sessions/:id/messages/:messageId/pin',
    body: v.strictObject({
      pinned: v.boolean(),
      seconds: v.optional(
        v.picklist([DAY_SECONDS, 7 * DAY_SECONDS, 30 * DAY_SECONDS], 'must be 86400, 604800 or 2592000'),
        7 * DAY_SECONDS,
      ),
    }),
    answer: v.object({ id: networkId, pinned: v.boolean() }),
    examples: { week: { ...exampleMessage, pinned: true, seconds: 604_800 } },
  },
} as const satisfies Record<string, Operation>;
