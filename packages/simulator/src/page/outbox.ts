import type { Connection } from './connection.ts';
import { readAll, remove, write } from './database.ts';
import type { Mailbox } from './mailbox.ts';
import { draftOf } from './message-forms.ts';
import type { Chat } from './models/chat.ts';
import { Msg, type MsgAttributes, messages } from './models/message.ts';
import { holdStatus } from './models/statuses.ts';
import type { Wid } from './wid.ts';
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
    const msg = new Msg(completed(values));
    const draft = draftOf(String(chat.get('id')), msg);
    const added = Promise.resolve().then(() => {
      chat.hold(msg);
      return messages.add(msg);
    });
    return [added, added.then(() => this.#keep(draft, msg))];
  }

  /** The same for a post to the status feed, which is not in a chat. */
  async post(author: Wid, msg: Msg): Promise<SendResult> {
    const draft = draftOf('status@broadcast', msg);
    holdStatus(author, msg);
    messages.add(msg);
    return this.#keep(draft, msg);
  }

  /** Sends what an earlier page could not. */
  async resume(): Promise<void> {
    for (const draft of await readAll<WireDraft & { key: string }>('outbox')) {
      if (this.#sending.has(draft.id)) continue;
      this.#mailbox.keepUnsent(draft);
      void this.#deliver(draft, draft.key);
    }
  }

  async #keep(draft: WireDraft, msg: Msg): Promise<SendResult> {
    const key = String(msg.get('id'));
    await write('outbox', draft.id, { ...draft, key });
    return this.#deliver(draft, key);
  }

  async #deliver(draft: WireDraft, key: string): Promise<SendResult> {
    this.#sending.add(draft.id);
    const answer = await this.#connection.request('send', draft).catch(() => undefined);
    const msg = messages.get(key);
    // Before anything is awaited, since the receipt of delivery may be close behind.
    if (answer) msg?.updateAck(1);
    else msg?.set({ ack: -1 });
    await remove('outbox', draft.id);
    this.#sending.delete(draft.id);
    return answer ? { messageSendResult: 'OK', t: answer.t } : { messageSendResult: 'ERROR_UNKNOWN' };
  }
}

/** What the page adds to what a script hands it. */
function completed(values: Partial<MsgAttributes>): Partial<MsgAttributes> {
  const { type, caption, filename } = values;
  return {
    ...{ mentionedJidList: [], groupMentions: [], star: false, hasReaction: false, ...values },
    ...(type === 'sticker' ? { mimetype: 'image/webp' } : {}),
    // A document without a caption shows its name.
    ...(type === 'document' && !caption && filename ? { caption: filename, isCaptionByUser: false } : {}),
  };
}
