import type { Handlers } from '@chat-web/protocol';
import type { ClientPort } from '../client/port.ts';

/** Handlers of the operations on messages. */
export function messageHandlers(client: ClientPort): Handlers<'sendMessage'> {
  return {
    sendMessage: ({ to, body, quotedMessageId }) => client.sendText({ to, body, quotedMessageId }),
  };
}
