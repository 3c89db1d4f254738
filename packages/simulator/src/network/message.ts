import { randomBytes } from 'node:crypto';
import type { PhoneMessage } from '../api.ts';
import type { WireMessage, WireQuote } from '../page/wire.ts';
import { type AccountRecord, chatIdOf } from './account.ts';

/** What a reply tells of the message that it answers. */
export interface Quote {
  readonly id: string;
  readonly author: AccountRecord;
  readonly body: string;
}

/** A message as the network keeps it: one for both sides. */
export interface Message {
  /** The stanza id. */
  readonly id: string;
  readonly from: AccountRecord;
  readonly to: AccountRecord;
  readonly body: string;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly quoted: Quote | undefined;
  readonly decryptLateMs: number | undefined;
  /** 1 on the server, 2 delivered, 3 read. */
  ack: 1 | 2 | 3;
}

/** A stanza id in the manner of the phone that makes it. */
export function createMessageId({ platform }: AccountRecord): string {
  const [prefix, bytes] = platform === 'iphone' ? ['3A', 9] : ['AC', 15];
  return `${prefix}${randomBytes(bytes).toString('hex')}`.toUpperCase();
}

/** The other side of a message. */
export function peerOf(message: Message, account: AccountRecord): AccountRecord {
  return message.from === account ? message.to : message.from;
}

/** The message as a phone has it. */
export function phoneView(message: Message, account: AccountRecord): PhoneMessage {
  const { id, from, to, body, timestamp, ack, quoted } = message;
  const quote = quoted ? { quotedMessageId: quoted.id, quotedBody: quoted.body } : {};
  return { id, from: from.pn, to: to.pn, fromMe: from === account, body, timestamp, ack, ...quote };
}

/** The message as the account's linked devices see it. */
export function deviceView(message: Message, account: AccountRecord): WireMessage {
  const { id, from, body, timestamp, ack, quoted, decryptLateMs } = message;
  const fromMe = from === account;
  const peer = peerOf(message, account);
  const chat = chatIdOf(peer);
  // In a chat by hidden numbers the account writes under its own one.
  const self = fromMe && peer.addressing === 'lid' ? account.lid : account.pn;
  return {
    // What others wrote has reached the server, and its acks are the writer's business.
    ...{ id, chat, fromMe, t: timestamp, ack: fromMe ? ack : 1, body, notifyName: from.name },
    ...{ from: fromMe ? self : chat, to: fromMe ? chat : account.pn },
    ...(quoted ? { quoted: quoteView(quoted, account, peer) } : {}),
    ...(decryptLateMs === undefined || fromMe ? {} : { decryptLateMs }),
  };
}

function quoteView({ id, body, author }: Quote, account: AccountRecord, peer: AccountRecord): WireQuote {
  const self = peer.addressing === 'lid' ? account.lid : account.pn;
  return { id, body, author: author === account ? self : chatIdOf(author) };
}
