import * as v from 'valibot';
import { exampleChat, exampleSession } from '../examples.ts';
import { listOf } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { label } from '../resources.ts';
import { CHAT_CHANGE_ERRORS, changing, itemsOf, ofChat, ofSession, READ_ERRORS, reading } from './common.ts';

/** More than any account has. */
const MAX_LABELS = 1_000;
const MAX_PER_CHAT = 100;

const labelId = v.pipe(v.string(), v.regex(/^[\w-]{1,60}$/, 'must be the id of a label'));
const labelIds = itemsOf(labelId, MAX_PER_CHAT);

const labelErrors = [...READ_ERRORS, 'not_permitted'] as const;

export const labelOperations = {
  listLabels: {
    ...reading,
    summary: 'List the labels of a business account',
    path: '/sessions/:id/labels',
    params: ofSession,
    answer: listOf(label, MAX_LABELS),
    errors: labelErrors,
    timeoutMs: 15_000,
    examples: { all: exampleSession },
  },
  listChatLabels: {
    ...reading,
    summary: 'List the labels of a chat',
    path: '/sessions/:id/chats/:chatId/labels',
    params: ofChat,
    answer: listOf(label, MAX_LABELS),
    errors: [...labelErrors, 'chat_not_found'],
    timeoutMs: 15_000,
    examples: { known: exampleChat },
  },
  setChatLabels: {
    ...changing,
    summary: 'Set the labels of a chat; all others are removed',
    method: 'PUT',
    path: '/sessions/:id/chats/:chatId/labels',
    params: ofChat,
    body: v.strictObject({ labelIds }),
    answer: listOf(label, MAX_LABELS),
    errors: CHAT_CHANGE_ERRORS,
    examples: { one: { ...exampleChat, labelIds: ['1'] } },
  },
} as const satisfies Record<string, Operation>;
