import * as v from 'valibot';
import { messageId, recipient, STATUS_FEED, sessionId } from '../ids.ts';
import type { Operation } from '../operation.ts';
import { message } from '../resources.ts';

/** Forwarding a message: the session's worker answers it. */
export const forwardingOperations = {
  forwardMessage: {
    summary: 'Forward a message to another chat; answers with the new message when the network has it',
    method: 'POST',
    path: '/sessions/:id/messages/:messageId/forward',
    scope: 'send',
    params: v.object({ id: sessionId, messageId }),
    body: v.object({
      to: v.pipe(
        recipient,
        v.check((to) => to !== STATUS_FEED, 'messages are not forwarded to the status feed'),
      ),
    }),
    keyed: { choosesMessageId: () => true },
    answer: message,
    errors: [
      'session_not_found',
      'session_not_ready',
      'recipient_not_found',
      'chat_not_found',
      'message_not_found',
      'not_permitted',
      'client_failed',
      'outcome_unknown',
    ],
    timeoutMs: 120_000,
  },
} as const satisfies Record<string, Operation>;
