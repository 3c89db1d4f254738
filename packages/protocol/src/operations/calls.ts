import * as v from 'valibot';
import { exampleIds, exampleSession } from '../examples.ts';
import { callId, sessionId } from '../ids.ts';
import { networkId } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { CHANGE_ERRORS, changing } from './common.ts';

export const callOperations = {
  rejectCall: {
    ...changing,
    summary: 'Reject a ringing call, if the page can take calls',
    path: '/sessions/:id/calls/:callId/reject',
    params: v.object({ id: sessionId, callId }),
    answer: v.object({ callId: networkId, rejected: v.literal(true) }),
    errors: [...CHANGE_ERRORS, 'call_not_found'],
    timeoutMs: 20_000,
    examples: { ringing: { ...exampleSession, callId: exampleIds.call } },
  },
} as const satisfies Record<string, Operation>;
