import * as v from 'valibot';
import { messageId, recipient, sessionId } from '../ids.ts';
import type { Operation } from '../operation.ts';
import { message } from '../resources.ts';

/** The longest text that the network takes, in UTF-16 units. */
const MAX_TEXT_LENGTH = 65_536;

const text = v.object({
  type: v.literal('text'),
  to: recipient,
  body: v.pipe(
    v.string(),
    v.minLength(1, 'must not be empty'),
    v.maxLength(MAX_TEXT_LENGTH, `must be at most ${MAX_TEXT_LENGTH} characters`),
  ),
  quotedMessageId: v.optional(messageId),
});

/** Operations on messages: the session's worker answers them. */
export const messageOperations = {
  sendMessage: {
    summary: 'Send a message; answers once the network has it',
    method: 'POST',
    path: '/sessions/:id/messages',
    params: v.object({ id: sessionId }),
    body: v.variant('type', [text]),
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
    timeoutMs: 30_000,
  },
} as const satisfies Record<string, Operation>;
