import * as v from 'valibot';
import { sessionId } from '../ids.ts';
import { LIMITS, listOf } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { chat } from '../resources.ts';

/** Operations on chats: the session's worker answers them. */
export const chatOperations = {
  listChats: {
    summary: 'List the chats of the account, newest first',
    method: 'GET',
    path: '/sessions/:id/chats',
    scope: 'read',
    params: v.object({ id: sessionId }),
    answer: listOf(chat, LIMITS.listed),
    errors: ['session_not_found', 'session_not_ready', 'client_failed', 'session_lost'],
    timeoutMs: 30_000,
  },
} as const satisfies Record<string, Operation>;
