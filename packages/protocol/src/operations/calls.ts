import * as v from 'valibot';
import { callId, sessionId } from '../ids.ts';
import { networkId } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { CHANGE_ERRORS } from './common.ts';

/** Operations on calls: the session's worker answers them. */
export const callOperations = {
  rejectCall: {
    summary: 'Reject a ringing call, if the page can take calls',
    method: 'POST',
    path: '/sessions/:id/calls/:callId/reject',
    scope: 'send',
    params: v.object({ id: sessionId, callId }),
    answer: v.object({ callId: networkId, rejected: v.literal(true) }),
    errors: [...CHANGE_ERRORS, 'call_not_found'],
    timeoutMs: 20_000,
  },
} as const satisfies Record<string, Operation>;
