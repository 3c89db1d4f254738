import { SimulatorError } from '../errors.ts';
import { EDIT_TIME_LIMIT_MS, isWithinTimeLimit, REVOKE_TIME_LIMIT_MS, type WirePreview } from '../page/wire.ts';
import { notifyDevices } from './account.ts';
import type { Confirmations } from './confirmations.ts';
import type { Directory } from './directory.ts';
import { isAdmin } from './group.ts';
import type { MediaStore } from './media-store.ts';
import { createMessageId, findMessage } from './message.ts';
import { deviceView, keyView } from './message-views.ts';
import type { AccountRecord, Connection, Message } from './records.ts';

/** The fields of a message besides its text. */
interface EditDetails {
  readonly mentions: readonly AccountRecord[];
  readonly preview: WirePreview;
}

/** Changes of messages after they were sent: reactions, edits, deletion. All participants are notified. */
export class MessageChanges {
  readonly #directory: Directory;
  readonly #confirmations: Confirmations;

  constructor(directory: Directory, confirmations: Confirmations) {
    this.#directory = directory;
    this.#confirmations = confirmations;
  }

  /** An empty emoji removes the reaction. */
  react(
    account: AccountRecord,
    messageId: string,
    emoji: string,
    { id, atMs } = { id: createMessageId(account), atMs: Date.now() },
  ): void {
    const message = changeable(account, messageId);
    if (emoji === '' && !message.reactions.has(account)) return;
    message.reactions.set(account, { id, emoji, atMs });
    this.#notifyAll(message, account);
  }

  /** Votes in a poll, by the texts of its options; none removes the vote. */
  vote(account: AccountRecord, messageId: string, chosen: readonly string[], byOtherId = false): void {
    const message = changeable(account, messageId);
    const pollOptions = (message.fields?.pollOptions ?? []) as readonly { readonly name: string }[];
    const options = chosen.map((text) => pollOptions.findIndex(({ name }) => name === text));
    if (options.includes(-1)) throw new SimulatorError(404, `options: ${messageId} has no such option`);
    message.votes.set(account, { id: createMessageId(account), options, atMs: Date.now(), byOtherId });
    this.#notifyAll(message, account);
  }

  /** `details` are its new fields besides the text; unchanged if absent. */
  edit(account: AccountRecord, messageId: string, body: string, atMs = Date.now(), details?: EditDetails): Message {
    const message = changeable(account, messageId);
    if (message.from !== account) throw new SimulatorError(403, `message ${messageId} was sent by another account`);
    if (!isWithinTimeLimit(EDIT_TIME_LIMIT_MS, message.timestamp)) {
      throw new SimulatorError(409, `message ${messageId} is too old to be edited`);
    }
    if (message.type === 'poll_creation') message.fields = { ...message.fields, pollName: body };
    else message.body = body;
    if (details) {
      message.mentions = details.mentions;
      message.fields = { ...message.fields, ...details.preview };
    }
    message.editedAtMs = atMs;
    this.#notifyAll(message, account);
    return message;
  }

  /** All pages can decrypt it from now on. */
  decrypt(account: AccountRecord, messageId: string): void {
    const message = changeable(account, messageId);
    message.undecrypted = undefined;
    this.#notifyAll(message, message.from);
  }

  /** Deletes for everyone: an own message, or as an admin any message of the group. */
  revoke(account: AccountRecord, messageId: string): void {
    const message = changeable(account, messageId);
    const { from, to, timestamp } = message;
    if (from !== account && !(to.kind === 'group' && isAdmin(to, account))) {
      throw new SimulatorError(403, `message ${messageId} was sent by another account`);
    }
    if (!isWithinTimeLimit(REVOKE_TIME_LIMIT_MS, timestamp)) {
      throw new SimulatorError(409, `message ${messageId} is too old to be deleted for everyone`);
    }
    message.revocation = { id: createMessageId(account), by: account, atMs: Date.now() };
    message.reactions.clear();
    this.#notifyAll(message, account);
  }

  /** Deletes for the account only, on all its devices; unknown messages are skipped. */
  hide(account: AccountRecord, messageIds: readonly string[]): void {
    const messages = messageIds.flatMap((id) => findMessage(account, id) ?? []);
    const keys = messages.map((message) => keyView(message, account));
    for (const message of messages) message.hiddenFrom.add(account);
    notifyDevices(account, { type: 'hidden', keys });
  }

  /** Makes a message, its reactions and votes `ms` older; resolves when all pages that have it show that. */
  async age(messageId: string, ms: number): Promise<void> {
    const message = this.#anywhere(messageId);
    message.timestamp -= Math.round(ms / 1000);
    for (const attached of [message.reactions, message.votes] as Map<AccountRecord, { readonly atMs: number }>[])
      for (const [who, what] of attached) attached.set(who, { ...what, atMs: what.atMs - ms });
    await Promise.all(
      this.#audienceOf(message).map(({ account, connection }) => {
        const { confirm, received } = this.#confirmations.expect(connection);
        connection.send({ ...this.#change(message, account, message.from), confirm });
        return received;
      }),
    );
  }

  /** Removes the bytes of a message from the media server. */
  dropMedia(messageId: string, store: MediaStore): void {
    const { attachment } = this.#anywhere(messageId);
    if (!attachment) throw new SimulatorError(404, `id: message ${messageId} has no media`);
    store.drop(attachment.directPath);
  }

  #anywhere(messageId: string): Message {
    for (const account of this.#directory.all()) {
      const message = findMessage(account, messageId);
      if (message) return message;
    }
    throw new SimulatorError(404, `id: no account has a message ${messageId}`);
  }

  #notifyAll(message: Message, by: AccountRecord): void {
    for (const { account, connection } of this.#audienceOf(message))
      connection.send(this.#change(message, account, by));
  }

  #change(message: Message, account: AccountRecord, by: AccountRecord) {
    const user = this.#directory.describeMember(by, account);
    return { type: 'changed', message: deviceView(message, account), user } as const;
  }

  /**
   * The connections of all pages. A page that has not confirmed the message may still have it; one that has not
   * received it gets its current state with it.
   */
  #audienceOf(message: Message): { readonly account: AccountRecord; readonly connection: Connection }[] {
    return [...new Set([message.from, ...message.receipts.keys()])].flatMap((account) =>
      [...account.devices.values()].flatMap(({ connection }) => (connection ? [{ account, connection }] : [])),
    );
  }
}

function changeable(account: AccountRecord, messageId: string): Message {
  const message = findMessage(account, messageId);
  if (!message || message.revocation) {
    throw new SimulatorError(404, `messageId: ${account.number} has no message ${messageId}`);
  }
  return message;
}
