import type { callOperations } from '@chat-web/protocol';
import type { HandlerContext, WorkerHandlers } from '../client/port.ts';

export function callHandlers({ page }: HandlerContext): WorkerHandlers<keyof typeof callOperations> {
  return {
    rejectCall: async ({ callId }, { time }) => {
      await page.change(time.rest(), 'rejectCall', callId, time.step('ringing'));
      return { callId, rejected: true };
    },
  };
}
