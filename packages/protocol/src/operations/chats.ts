import * as v from 'valibot';
import { PRESENCE_STATES } from '../account-events.ts';
import { exampleChat, exampleOldChat, exampleSession } from '../examples.ts';
import { LIMITS, networkId } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { chat } from '../resources.ts';
import { isoTime, writtenTime } from '../times.ts';
import { CHANGE_ERRORS, CHAT_CHANGE_ERRORS, listing, ofChat, ofSession, READ_ERRORS, reading } from './common.ts';

export const chatOperations = {
  listChats: {
    ...reading,
    summary: 'List the chats of the account, newest first',
    path: '/sessions/:id/chats',
    params: ofSession,
    ...listing(chat),
    tools: {
      find_chats: {
        description: 'Find chats by a part of their name or number, or list the newest ones.',
        defaults: { limit: 50 },
      },
    },
    examples: { all: exampleSession },
  },
} as const satisfies Record<string, Operation>;

const changeErrors = [...CHANGE_ERRORS, 'chat_not_found'] as const;

const changingChat = { scope: 'send', params: ofChat, errors: changeErrors, timeoutMs: 30_000 } as const;

const MUST_BE_SECONDS = 'must be a whole number from 1 to 60';
const seconds = v.pipe(
  v.number(MUST_BE_SECONDS),
  v.integer(MUST_BE_SECONDS),
  v.minValue(1, MUST_BE_SECONDS),
  v.maxValue(60, MUST_BE_SECONDS),
);

/** What others see the account do in a chat. */
const chatState = v.picklist(['typing', 'recording', 'paused']);

const flag = v.boolean('must be true or false');
const MUST_BE_UNTIL = "must be a future time in ISO 8601 with its time zone, 'forever', or null";
const until = v.nullable(
  v.pipe(
    v.string(MUST_BE_UNTIL),
    v.check((written) => written === 'forever' || isTimeToCome(written), MUST_BE_UNTIL),
    v.description("A time in ISO 8601, 'forever', or null"),
  ),
);

/** True for a future time in the range of the network. */
function isTimeToCome(written: string): boolean {
  const time = Date.parse(written);
  return v.is(writtenTime, written) && time > Date.now() && time <= LIMITS.time * 1_000;
}

export const chatChangeOperations = {
  getChat: {
    ...reading,
    summary: 'Get a chat',
    path: '/sessions/:id/chats/:chatId',
    params: ofChat,
    answer: chat,
    errors: [...READ_ERRORS, 'chat_not_found'],
    timeoutMs: 15_000,
    tools: { get_chat: {} },
    examples: { known: exampleChat },
  },
  markChatRead: {
    ...changingChat,
    summary: 'Mark a chat as read; the senders get read receipts, unless the account hides them',
    method: 'POST',
    path: '/sessions/:id/chats/:chatId/read',
    answer: chat,
    tools: { mark_chat_read: {} },
    examples: { known: exampleChat },
  },
  markChatUnread: {
    ...changingChat,
    summary: 'Mark a chat as unread, for this account only',
    method: 'POST',
    path: '/sessions/:id/chats/:chatId/unread',
    answer: chat,
    examples: { known: exampleChat },
  },
  setChatState: {
    ...changingChat,
    summary: 'Show the account as typing or recording in a chat, for some seconds',
    method: 'POST',
    path: '/sessions/:id/chats/:chatId/state',
    body: v.strictObject({ state: chatState, seconds: v.optional(seconds, 10) }),
    answer: v.object({ chatId: networkId, state: chatState, endsAt: v.optional(isoTime) }),
    timeoutMs: 15_000,
    examples: { typing: { ...exampleChat, state: 'typing', seconds: 5 } },
  },
  subscribePresence: {
    ...changingChat,
    summary: 'Subscribe to the `presence` events of a chat; returns the current presence',
    method: 'PUT',
    path: '/sessions/:id/chats/:chatId/presence',
    /** Without `state`, the network does not disclose it. */
    answer: v.object({
      chatId: networkId,
      state: v.optional(v.picklist(PRESENCE_STATES)),
      lastSeen: v.optional(isoTime),
    }),
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 20_000,
    examples: { known: exampleChat },
  },
  archiveChat: {
    ...changingChat,
    summary: 'Archive a chat, or unarchive it; archiving unpins it',
    method: 'PUT',
    path: '/sessions/:id/chats/:chatId/archive',
    body: v.strictObject({ archived: flag }),
    answer: chat,
    examples: { archive: { ...exampleChat, archived: true } },
  },
  pinChat: {
    ...changingChat,
    summary: 'Pin a chat to the top of the list, or unpin it; the network allows only a few',
    method: 'PUT',
    path: '/sessions/:id/chats/:chatId/pin',
    body: v.strictObject({ pinned: flag }),
    answer: chat,
    errors: CHAT_CHANGE_ERRORS,
    examples: { pin: { ...exampleChat, pinned: true } },
  },
  muteChat: {
    ...changingChat,
    summary: 'Mute a chat until a time or forever, or unmute it with null',
    method: 'PUT',
    path: '/sessions/:id/chats/:chatId/mute',
    body: v.strictObject({ until }),
    answer: chat,
    examples: { forever: { ...exampleChat, until: 'forever' }, unmute: { ...exampleChat, until: null } },
  },
  clearChat: {
    ...changingChat,
    summary: 'Delete all messages of a chat, starred ones too, for this account only',
    method: 'POST',
    path: '/sessions/:id/chats/:chatId/clear',
    answer: v.object({ chatId: networkId, cleared: v.literal(true) }),
    timeoutMs: 60_000,
    examples: { known: exampleOldChat },
  },
  deleteChat: {
    ...changingChat,
    summary: 'Delete a chat with its messages, for this account only; a group must be left first',
    method: 'DELETE',
    path: '/sessions/:id/chats/:chatId',
    answer: v.object({ chatId: networkId, deleted: v.literal(true) }),
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 60_000,
    examples: { known: exampleOldChat },
  },
} as const satisfies Record<string, Operation>;
