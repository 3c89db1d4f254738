import type { callOperations } from '@chat-web/protocol';
import type { HandlerContext, WorkerHandlers } from '../client/port.ts';
import { unlessRefused } from './refusals.ts';

export function callHandlers({ page }: HandlerContext): WorkerHandlers<keyof typeof callOperations> {
  return {
    rejectCall: async ({ callId }, { time }) => {
      unlessRefused(await page.change(time.rest(), 'rejectCall', callId, time.step('ringing')), {
        no_call: ['call_not_found', 'no call with this id is ringing'],
        no_engine: ['page_unsupported', 'the page of this account cannot take calls: reject it on the phone'],
        rings: ['outcome_unknown', 'the page was asked to reject the call, but it is still ringing there'],
      });
      return { callId, rejected: true };
    },
  };
}
