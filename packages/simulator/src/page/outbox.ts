import type { Connection } from './connection.ts';
import { readAll, remove, write } from './database.ts';
import type { Keys } from './keys.ts';
import type { Mailbox } from './mailbox.ts';
import { draftOf } from './message-conversion.ts';
import type { Chat } from './models/chat.ts';
import { isChatBlocked } from './models/contact.ts';
import { Msg, type MsgAttributes, messages } from './models/message.ts';
import { addStatus } from './models/statuses.ts';
import { switches } from './switches.ts';
import type { Wid } from './wid.ts';
import type { WireDraft } from './wire.ts';

/** The result of a send, as in the real page. */
export interface SendResult {
  readonly messageSendResult: 'OK' | 'ERROR_NETWORK' | 'ERROR_UPLOAD' | 'ERROR_UNKNOWN';
  readonly t?: number;
  readonly count?: number;
  /** The code with which the network refused the message. */
  readonly ackErrorCode?: number;
  /** The same in every build; the page itself does not return it. */
  readonly nack?: number;
}

type Awaitable<T> = T | Promise<T>;

const STORE_MS = 2;

/** Sends messages. Unconfirmed messages are kept in the browser profile, and sent again after the next login. */
export class Outbox {
  readonly #connection: Connection;
  readonly #mailbox: Mailbox;
  readonly #keys: Keys;
  readonly #sending = new Set<string>();

  constructor(connection: Connection, mailbox: Mailbox, keys: Keys) {
    this.#connection = connection;
    this.#mailbox = mailbox;
    this.#keys = keys;
  }

  /**
   * The first promise resolves once the message is in its chat, the second when the network has it. Both reject if no
   * message can be created from the values.
   */
  sendToChat(chat: Chat, values: Awaitable<Partial<MsgAttributes>>): [Promise<Msg>, Promise<SendResult>] {
    const added = Promise.resolve(values).then(async (whole) => {
      const msg = new Msg(withDefaults(whole));
      await new Promise((resolve) => setTimeout(resolve, STORE_MS)); // It is stored first.
      chat.addMessage(msg);
      return messages.add(msg);
    });
    const sent = added.then((msg): Promise<SendResult> | SendResult => {
      // Nothing is sent to a person whom the account has blocked.
      if (isChatBlocked(chat)) throw new Error('Contact is blocked');
      return this.#keep(draftOf(String(chat.get('id')), msg), msg);
    });
    return [added, sent];
  }

  /** Puts a post into the status feed, which is not a chat, and into the collection of all messages. */
  addToFeed(author: Wid, msg: Msg): void {
    addStatus(author, msg);
    messages.add(msg);
  }

  /** Sends what is in the status feed. */
  async send(msg: Msg): Promise<SendResult> {
    return this.#keep(draftOf('status@broadcast', msg), msg);
  }

  /** Does both. */
  async post(author: Wid, msg: Msg): Promise<SendResult> {
    this.addToFeed(author, msg);
    return this.send(msg);
  }

  /** Sends the messages that an earlier page could not send. */
  async resume(): Promise<void> {
    for (const draft of await readAll<WireDraft & { key: string }>('outbox')) {
      if (this.#sending.has(draft.id)) continue;
      void this.#deliver(draft, this.#mailbox.restoreUnsent(draft));
    }
  }

  async #keep(draft: WireDraft, msg: Msg): Promise<SendResult> {
    const key = String(msg.get('id'));
    await Promise.all([write('outbox', draft.id, { ...draft, key }), this.#keys.advance()]);
    return this.#deliver(draft, msg);
  }

  async #deliver(draft: WireDraft, msg: Msg | undefined): Promise<SendResult> {
    this.#sending.add(draft.id);
    const answer = await this.#connection.request('send', draft).catch(() => undefined);
    // Before any await, since the delivery receipt may follow at once.
    if (!answer) msg?.set({ isSendFailure: true });
    else if ('t' in answer) msg?.updateAck(1);
    else msg?.fail(answer.nack);
    await remove('outbox', draft.id);
    this.#sending.delete(draft.id);
    if (!answer) return { messageSendResult: 'ERROR_NETWORK' };
    if ('t' in answer) return { messageSendResult: 'OK', t: answer.t };
    const { nack } = answer;
    return { messageSendResult: 'ERROR_UNKNOWN', nack, ...(switches.ackErrorCodes && { ackErrorCode: nack }) };
  }
}

/** The values that the page adds to those of a script. */
function withDefaults(values: Partial<MsgAttributes>): Partial<MsgAttributes> {
  const { type, caption, filename } = values;
  const whole: Partial<MsgAttributes> = {
    mentionedJidList: [],
    groupMentions: [],
    star: false,
    hasReaction: false,
    ...values,
  };
  if (type === 'sticker') whole.mimetype = 'image/webp';
  // A document without a caption shows its name.
  if (type === 'document' && !caption && filename) {
    whole.caption = filename;
    whole.isCaptionByUser = false;
  }
  return whole;
}
