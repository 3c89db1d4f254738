import * as v from 'valibot';
import { recipient, STATUS_FEED } from '../ids.ts';
import type { Operation } from '../operation.ts';
import { message } from '../resources.ts';
import { ofMessage, SEND_ERRORS } from './common.ts';

/** Forwarding a message: the session's worker answers it. */
export const forwardingOperations = {
  forwardMessage: {
    summary: 'Forward a message to another chat; returns the new message once the network has it',
    method: 'POST',
    path: '/sessions/:id/messages/:messageId/forward',
    scope: 'send',
    params: ofMessage,
    body: v.object({
      to: v.pipe(
        recipient,
        v.check((to) => to !== STATUS_FEED, 'messages are not forwarded to the status feed'),
      ),
    }),
    keyed: { choosesMessageId: () => true },
    answer: message,
    errors: [...SEND_ERRORS, 'media_not_found'],
    timeoutMs: 120_000,
  },
} as const satisfies Record<string, Operation>;
