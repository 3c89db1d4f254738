import * as v from 'valibot';
import { exampleSpare } from '../examples.ts';
import { personId, sessionId } from '../ids.ts';
import type { Operation } from '../operation.ts';
import { pairingCode } from '../resources.ts';
import { ofSession } from './common.ts';

/** Operations on the page of a session that is to be linked: its worker answers them, while the status is `qr`. */
export const linkingOperations = {
  requestPairingCode: {
    summary: 'Get a code that the owner of a number types into the phone to link the session; it replaces the QR',
    method: 'POST',
    path: '/sessions/:id/pairing-code',
    scope: 'manage',
    params: ofSession,
    body: v.strictObject({ phoneNumber: personId }),
    answer: v.object({ id: sessionId, ...pairingCode.entries }),
    errors: [
      'session_not_found',
      'qr_not_available',
      'already_linked',
      'not_permitted',
      'client_failed',
      'outcome_unknown',
    ],
    timeoutMs: 45_000,
    examples: { code: { ...exampleSpare, phoneNumber: '+12025550104' } },
  },
} as const satisfies Record<string, Operation>;
