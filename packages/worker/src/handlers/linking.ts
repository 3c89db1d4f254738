import type { Handlers } from '@chat-web/protocol';
import type { HandlerContext } from '../client/port.ts';

/** Handlers of the operations on a page that is not linked yet. */
export function linkingHandlers({ linking }: HandlerContext): Handlers<'requestPairingCode'> {
  return {
    requestPairingCode: async ({ id, phoneNumber }) => {
      const number = phoneNumber.slice(0, phoneNumber.indexOf('@'));
      return { id, ...(await linking.requestCode(number)) };
    },
  };
}
