import { Collection } from '../collection.ts';
import { Model } from '../model.ts';
import type { MsgKey } from '../msg-key.ts';
import type { Wid } from '../wid.ts';
import type { Chat } from './chat.ts';

/** What a message consists of; `ciphertext` is one that is not decrypted yet. */
export interface MsgAttributes {
  id: MsgKey;
  type: 'chat' | 'ciphertext';
  body: string | undefined;
  /** Unix seconds. */
  t: number;
  from: Wid;
  to: Wid;
  self: 'in' | 'out';
  ack: number;
  /** Arrived or was written while the page was there, as opposed to history. */
  isNewMsg: boolean;
  local: boolean;
  notifyName: string;
  viewed: boolean;
  star: boolean;
  quotedMsg: { type: string; body: string };
  quotedStanzaID: string;
  quotedParticipant: Wid;
  mentionedJidList: Wid[];
  groupMentions: unknown[];
}

/** What a reply carries of the message that it answers. */
export type ContextInfo = Pick<MsgAttributes, 'quotedMsg' | 'quotedStanzaID' | 'quotedParticipant'>;

/** A message. */
export class Msg extends Model<MsgAttributes> {
  static override readonly props = [
    ...['id', 'type', 'body', 't', 'from', 'to', 'self', 'ack', 'isNewMsg', 'local', 'notifyName', 'viewed', 'star'],
    ...['quotedMsg', 'quotedStanzaID', 'quotedParticipant', 'mentionedJidList', 'groupMentions'],
  ];

  /** The model behind a view of it; here there is but one. */
  unsafe(): this {
    return this;
  }

  canReply(): boolean {
    return canReply(this);
  }

  /** What a reply to this message carries. */
  msgContextInfo(_chat: Chat): ContextInfo {
    const { id, from, body = '', type = 'chat' } = this.serialize() as Partial<MsgAttributes>;
    if (!id || !from) throw new Error('the message has no id');
    return { quotedMsg: { type, body }, quotedStanzaID: id.id, quotedParticipant: id.participant ?? from };
  }

  /** Acks only rise: a receipt that comes late changes nothing. */
  updateAck(ack: number): void {
    if (ack > (this.get('ack') ?? 0)) this.set({ ack });
  }
}

/** False for what is still on its way or not decrypted. */
export function canReply(msg: Msg): boolean {
  return (msg.get('ack') ?? 0) > 0 && msg.get('type') !== 'ciphertext';
}

/** Every message that the page holds. */
export const messages = new Collection<Msg>(Msg);
