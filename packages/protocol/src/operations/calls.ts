import * as v from 'valibot';
import { callId, sessionId } from '../ids.ts';
import { networkId } from '../limits.ts';
import type { Operation } from '../operation.ts';

/** Operations on calls: the session's worker answers them. */
export const callOperations = {
  rejectCall: {
    summary: 'Reject a call that rings, where the page can take calls',
    method: 'POST',
    path: '/sessions/:id/calls/:callId/reject',
    scope: 'send',
    params: v.object({ id: sessionId, callId }),
    answer: v.object({ callId: networkId, rejected: v.literal(true) }),
    errors: ['session_not_found', 'session_not_ready', 'call_not_found', 'client_failed', 'outcome_unknown'],
    timeoutMs: 20_000,
  },
} as const satisfies Record<string, Operation>;
