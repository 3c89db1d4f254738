import * as v from 'valibot';
import { recipient, sessionId } from '../ids.ts';
import { networkId } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { chat } from '../resources.ts';
import { isoTime } from '../times.ts';

const ofChat = v.object({ id: sessionId, chatId: recipient });

const readErrors = ['session_not_found', 'session_not_ready', 'chat_not_found', 'client_failed'] as const;
const changeErrors = [...readErrors, 'outcome_unknown'] as const;
const networkErrors = [...changeErrors, 'not_permitted', 'rate_limited'] as const;

const MUST_BE_SECONDS = 'must be a whole number from 1 to 60';
const seconds = v.pipe(
  v.number(MUST_BE_SECONDS),
  v.integer(MUST_BE_SECONDS),
  v.minValue(1, MUST_BE_SECONDS),
  v.maxValue(60, MUST_BE_SECONDS),
);

/** What others see the account do in a chat. */
const chatState = v.picklist(['typing', 'recording', 'paused']);

/** Operations on one chat, which its owner sees on all devices: the session's worker answers them. */
export const chatChangeOperations = {
  getChat: {
    summary: 'Get a chat',
    method: 'GET',
    path: '/sessions/:id/chats/:chatId',
    scope: 'read',
    params: ofChat,
    answer: chat,
    errors: [...readErrors, 'session_lost'],
    timeoutMs: 15_000,
  },
  markChatRead: {
    summary: 'Mark a chat as read; those who wrote see that, unless the account hides it',
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
    errors: networkErrors,
    timeoutMs: 15_000,
  },
} as const satisfies Record<string, Operation>;
