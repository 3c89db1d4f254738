import type { Connection } from './connection.ts';
import { readAll, remove, write } from './database.ts';
import type { Mailbox } from './mailbox.ts';
import type { Chat } from './models/chat.ts';
import { Msg, type MsgAttributes, messages } from './models/message.ts';
import type { WireDraft } from './wire.ts';

/** How a send ended, as the real page says it. */
export interface SendResult {
  readonly messageSendResult: 'OK' | 'ERROR_UNKNOWN';
  readonly t?: number;
}

/** Sends messages. What the network has not confirmed stays in the profile and goes out at the next chance. */
export class Outbox {
  readonly #connection: Connection;
  readonly #mailbox: Mailbox;
  readonly #sending = new Set<string>();

  constructor(connection: Connection, mailbox: Mailbox) {
    this.#connection = connection;
    this.#mailbox = mailbox;
  }

  /** The first promise is there once the message is in its chat, the second when the network has it. */
  send(chat: Chat, values: Partial<MsgAttributes>): [Promise<Msg>, Promise<SendResult>] {
    const msg = new Msg(values);
    const draft = draftOf(chat, msg);
    const added = Promise.resolve().then(() => {
      chat.hold(msg);
      messages.add(msg);
      return msg;
    });
    const result = added.then(async () => {
      await write('outbox', draft.id, draft);
      return this.#deliver(draft);
    });
    return [added, result];
  }

  /** Sends what an earlier page could not. */
  async resume(): Promise<void> {
    for (const draft of await readAll<WireDraft>('outbox')) {
      if (this.#sending.has(draft.id)) continue;
      this.#mailbox.keepUnsent(draft);
      void this.#deliver(draft);
    }
  }

  async #deliver(draft: WireDraft): Promise<SendResult> {
    this.#sending.add(draft.id);
    const answer = await this.#connection.request('send', draft).catch(() => undefined);
    const msg = messages.get(`true_${draft.chat}_${draft.id}`);
    // Before anything is awaited, since the receipt of delivery may be close behind.
    if (answer) msg?.updateAck(1);
    else msg?.set({ ack: -1 });
    await remove('outbox', draft.id);
    this.#sending.delete(draft.id);
    return answer ? { messageSendResult: 'OK', t: answer.t } : { messageSendResult: 'ERROR_UNKNOWN' };
  }
}

function draftOf(chat: Chat, msg: Msg): WireDraft {
  const {
    id,
    t = 0,
    body = '',
    quotedMsg,
    quotedStanzaID,
    quotedParticipant,
  } = msg.serialize() as Partial<MsgAttributes>;
  if (!id) throw new Error('the message has no id');
  const quoted =
    quotedMsg && quotedStanzaID && quotedParticipant
      ? { quoted: { id: quotedStanzaID, author: String(quotedParticipant), body: quotedMsg.body } }
      : {};
  return { id: id.id, chat: String(chat.get('id')), t, body, ...quoted };
}
