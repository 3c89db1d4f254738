import { type callOperations, GatewayError, type Handlers } from '@chat-web/protocol';
import type { HandlerContext } from '../client/port.ts';
import { rejectCall } from '../page/calls.ts';

const CHANGE_TIMEOUT_MS = 15_000;
/** How long the call may keep ringing in the page. */
const SETTLE_TIMEOUT_MS = 5_000;

/** Handlers of the operations on calls. */
export function callHandlers({ page }: HandlerContext): Handlers<keyof typeof callOperations> {
  return {
    rejectCall: async ({ callId }) => {
      const outcome = await page.change(CHANGE_TIMEOUT_MS, rejectCall, callId, SETTLE_TIMEOUT_MS);
      if (outcome === 'no_call') throw new GatewayError('call_not_found', 'no call with this id is ringing');
      if (outcome === 'no_engine')
        throw new GatewayError(
          'page_unsupported',
          'the page of this account cannot take calls: reject it on the phone',
        );
      if (outcome === 'rings')
        throw new GatewayError(
          'outcome_unknown',
          'the page was asked to reject the call, but it is still ringing there',
        );
      return { callId, rejected: true };
    },
  };
}
