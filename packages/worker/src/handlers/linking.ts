import type { linkingOperations } from '@chat-web/protocol';
import type { HandlerContext, WorkerHandlers } from '../client/port.ts';

export function linkingHandlers({ linking }: HandlerContext): WorkerHandlers<keyof typeof linkingOperations> {
  return {
    requestPairingCode: async ({ id, phoneNumber }) => {
      const number = phoneNumber.slice(0, phoneNumber.indexOf('@'));
      return { id, ...(await linking.requestCode(number)) };
    },
  };
}
