import type { ListenedEvent } from '@chat-web/host';
import { shownText } from '../../parts/shown-text.ts';
import { timelineText } from '../session/timeline-text.ts';
import { accountEventText } from './account-event-text.ts';
import { contentText } from './content-text.ts';

const ACKS: Readonly<Record<number, string>> = {
  [-1]: 'error',
  0: 'pending',
  1: 'reached the server',
  2: 'delivered',
  3: 'read',
  4: 'played',
};

/** The meaning of an ack. */
export function ackText(ack: number): string {
  return ACKS[ack] ?? String(ack);
}

/** An event in one line; includes what people wrote only if `withContents`. */
export function eventText(event: ListenedEvent, withContents: boolean): string {
  switch (event.name) {
    case 'message':
      return messageText(event.data, withContents);
    case 'message_ack':
      return `${shownText(event.data.id)}: ${ackText(event.data.ack)}`;
    case 'ready': {
      const { phone, wid, pushname } = event.data;
      return `${shownText(phone || wid)} is linked${withContents && pushname ? `: ${shownText(pushname)}` : ''}`;
    }
    case 'qr':
      return 'a new QR to scan';
    case 'pairing_code':
      return 'a code to type into the phone';
    case 'disconnected':
      return `${shownText(event.data.message, 500)} (${event.data.reason})`;
    case 'status':
    case 'passkey_required':
    case 'gap':
      return timelineText(event);
    default:
      return accountEventText(event, withContents);
  }
}

type Message = Extract<ListenedEvent, { name: 'message' }>['data'];

function messageText({ from, author, ...message }: Message, withContents: boolean): string {
  const who = shownText(author === undefined ? from : `${author} in ${from}`);
  return contentText(message, `from ${who}`, withContents);
}
