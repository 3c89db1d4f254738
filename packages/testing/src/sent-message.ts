import type { Message } from '@chat-web/protocol';
import { ADA, BEN, idOf } from './accounts.ts';

/** A text from Ada to Ben, as the gateway returns it, with these fields. */
export function sentMessage(fields: Partial<Message> = {}): Message {
  const message: Message = {
    id: `true_${idOf(BEN)}_3EB0AA`,
    from: idOf(ADA),
    to: idOf(BEN),
    fromMe: true,
    body: 'hello',
    type: 'text',
    timestamp: 1_700_000_000,
    ack: 1,
    hasMedia: false,
    isForwarded: false,
    isStatus: false,
    mentionedIds: [],
  };
  return { ...message, ...fields };
}
