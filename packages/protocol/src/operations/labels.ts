import * as v from 'valibot';
import { listOf } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { label } from '../resources.ts';
import { CHAT_CHANGE_ERRORS, itemsOf, ofChat, ofSession, READ_ERRORS } from './common.ts';

/** More than any account has. */
const MOST_LABELS = 1_000;
const MOST_OF_CHAT = 100;

const labelId = v.pipe(v.string(), v.regex(/^[\w-]{1,60}$/, 'must be the id of a label'));
const labelIds = itemsOf(labelId, MOST_OF_CHAT);

const labelErrors = [...READ_ERRORS, 'not_permitted'] as const;

/** Operations on the labels of a business account: the session's worker answers them. */
export const labelOperations = {
  listLabels: {
    summary: 'List the labels of a business account',
    method: 'GET',
    path: '/sessions/:id/labels',
    scope: 'read',
    params: ofSession,
    answer: listOf(label, MOST_LABELS),
    errors: labelErrors,
    timeoutMs: 15_000,
  },
  listChatLabels: {
    summary: 'List the labels of a chat',
    method: 'GET',
    path: '/sessions/:id/chats/:chatId/labels',
    scope: 'read',
    params: ofChat,
    answer: listOf(label, MOST_LABELS),
    errors: [...labelErrors, 'chat_not_found'],
    timeoutMs: 15_000,
  },
  setChatLabels: {
    summary: 'Set the labels of a chat; all others are removed',
    method: 'PUT',
    path: '/sessions/:id/chats/:chatId/labels',
    scope: 'send',
    params: ofChat,
    body: v.object({ labelIds }),
    answer: listOf(label, MOST_LABELS),
    errors: CHAT_CHANGE_ERRORS,
    timeoutMs: 30_000,
  },
} as const satisfies Record<string, Operation>;
