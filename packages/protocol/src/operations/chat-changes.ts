import * as v from 'valibot';
import { PRESENCE_STATES } from '../account-events.ts';
import { LIMITS, networkId } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { chat } from '../resources.ts';
import { isoTime, writtenTime } from '../times.ts';
import { CHANGE_ERRORS, CHAT_CHANGE_ERRORS, ofChat, READ_ERRORS } from './common.ts';

const changeErrors = [...CHANGE_ERRORS, 'chat_not_found'] as const;

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
const MUST_BE_UNTIL = "must be a time to come in ISO 8601 with its zone, 'forever', or null";
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

/** Operations on one chat, which its owner sees on all devices: the session's worker answers them. */
export const chatChangeOperations = {
  getChat: {
    summary: 'Get a chat',
    method: 'GET',
    path: '/sessions/:id/chats/:chatId',
    scope: 'read',
    params: ofChat,
    answer: chat,
    errors: [...READ_ERRORS, 'chat_not_found'],
    timeoutMs: 15_000,
  },
  markChatRead: {
    summary: 'Mark a chat as read; the senders get read receipts, unless the account hides them',
    method: 'POST',
    path: '/sessions/:id/chats/:chatId/read',
    scope: 'send',
    params: ofChat,
    answer: chat,
    errors: changeErrors,
    timeoutMs: 30_000,
  },
  markChatUnread: {
    summary: 'Mark a chat as unread, for this account only',
    method: 'POST',
    path: '/sessions/:id/chats/:chatId/unread',
    scope: 'send',
    params: ofChat,
    answer: chat,
    errors: changeErrors,
    timeoutMs: 30_000,
  },
  setChatState: {
    summary: 'Show the account as typing or recording in a chat, for some seconds',
    method: 'POST',
    path: '/sessions/:id/chats/:chatId/state',
    scope: 'send',
    params: ofChat,
    body: v.object({ state: chatState, seconds: v.optional(seconds, 10) }),
    answer: v.object({ chatId: networkId, state: chatState, endsAt: v.optional(isoTime) }),
    errors: changeErrors,
    timeoutMs: 15_000,
  },
  subscribePresence: {
    summary: 'Subscribe to the `presence` events of a chat; returns the current presence',
    method: 'PUT',
    path: '/sessions/:id/chats/:chatId/presence',
    scope: 'send',
    params: ofChat,
    /** Without `state`, the network does not disclose it. */
    answer: v.object({
      chatId: networkId,
      state: v.optional(v.picklist(PRESENCE_STATES)),
      lastSeen: v.optional(isoTime),
    }),
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 20_000,
  },
  archiveChat: {
    summary: 'Archive a chat, or unarchive it; archiving unpins it',
    method: 'PUT',
    path: '/sessions/:id/chats/:chatId/archive',
    scope: 'send',
    params: ofChat,
    body: v.object({ archived: flag }),
    answer: chat,
    errors: changeErrors,
    timeoutMs: 30_000,
  },
  pinChat: {
    summary: 'Pin a chat to the top of the list, or unpin it; the network allows only a few',
    method: 'PUT',
    path: '/sessions/:id/chats/:chatId/pin',
    scope: 'send',
    params: ofChat,
    body: v.object({ pinned: flag }),
    answer: chat,
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 30_000,
  },
  muteChat: {
    summary: 'Mute a chat until a time or forever, or unmute it with null',
    method: 'PUT',
    path: '/sessions/:id/chats/:chatId/mute',
    scope: 'send',
    params: ofChat,
    body: v.object({ until }),
    answer: chat,
    errors: changeErrors,
    timeoutMs: 30_000,
  },
  clearChat: {
    summary: 'Delete all messages of a chat, starred ones too, for this account only',
    method: 'POST',
    path: '/sessions/:id/chats/:chatId/clear',
    scope: 'send',
    params: ofChat,
    answer: v.object({ chatId: networkId, cleared: v.literal(true) }),
    errors: changeErrors,
    timeoutMs: 60_000,
  },
  deleteChat: {
    summary: 'Delete a chat with its messages, for this account only; a group must be left first',
    method: 'DELETE',
    path: '/sessions/:id/chats/:chatId',
    scope: 'send',
    params: ofChat,
    answer: v.object({ chatId: networkId, deleted: v.literal(true) }),
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 60_000,
  },
} as const satisfies Record<string, Operation>;
