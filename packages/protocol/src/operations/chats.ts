import { LIMITS, listOf } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { chat } from '../resources.ts';
import { ofSession, READ_ERRORS } from './common.ts';

/** Operations on chats: the session's worker answers them. */
export const chatOperations = {
  listChats: {
    summary: 'List the chats of the account, newest first',
    method: 'GET',
    path: '/sessions/:id/chats',
    scope: 'read',
    params: ofSession,
    answer: listOf(chat, LIMITS.listed),
    errors: READ_ERRORS,
    timeoutMs: 30_000,
  },
} as const satisfies Record<string, Operation>;
