import type { ListedChat, ListedPhone, PhoneMessage, ReceivedMedia } from '../api.ts';
import type { ChatMarks, OutgoingMedia, OutgoingMessage } from '../control/inputs.ts';
import { SimulatorError } from '../errors.ts';
import type { WireType } from '../page/wire.ts';
import { emptyChatsOf, mark, marksOf } from './chats.ts';
import { requireWriter } from './group.ts';
import { attach, createMessageId, findMessage, peerIdForPhones, peerOf, statusFeed } from './message.ts';
import { isUnread } from './message-delivery.ts';
import { typedContentOf } from './message-fields.ts';
import { isNotice, nameFor, phoneView } from './message-views.ts';
import type { Network } from './network.ts';
import { type AccountRecord, Message, type Peer } from './records.ts';

const DAY_MS = 86_400_000;
/** Limit of the list of phones, and of the chats of one. */
const MAX_LISTED = 200;
const PLAIN_STYLE = { backgroundColor: 0xff7acca5, font: 0 };

/** Acts as the phone of an account. Everything except turning it on requires it to be on. */
export class Phone {
  readonly #network: Network;
  readonly #account: AccountRecord;

  constructor(network: Network, number: string) {
    this.#network = network;
    this.#account = network.directory.get(number);
  }

  /** The account; throws while its phone is off. */
  get account(): AccountRecord {
    if (!this.#account.phoneOn) throw new SimulatorError(409, `the phone of ${this.#account.number} is off`);
    return this.#account;
  }

  scan(qr: string): { deviceId: string } {
    return { deviceId: this.#network.linking.scan(this.account, qr).id };
  }

  pair(code: string): { deviceId: string } {
    return { deviceId: this.#network.linking.pair(this.account, code).id };
  }

  async send(outgoing: OutgoingMessage) {
    const { id, to, body = '', quotedMessageId, decryptLateMs, undecrypted, media, mentions = [] } = outgoing;
    const { viewMode, type = media ? typeOf(media) : 'chat' } = outgoing;
    const fields = { ...(viewMode === undefined ? {} : { viewMode }), ...outgoing.fields };
    const from = this.account;
    const peer = this.#network.peer(to, from, 'to');
    if (peer.kind === 'group') requireWriter(peer, from);
    if (id && findMessage(from, id)) throw new SimulatorError(409, `id: there is a message ${id} already`);
    const message = new Message({
      id: id ?? createMessageId(from),
      from,
      to: peer,
      type,
      body,
      decryptLateMs,
      undecrypted,
      attachment: media && (await this.#upload(media)),
      quoted: quotedMessageId === undefined ? undefined : this.#quote(quotedMessageId, peer),
      mentions: mentions.map((id) => this.#network.directory.get(id, 'mentions')),
      style: peer === statusFeed && !media ? PLAIN_STYLE : undefined,
      ...withFields(typedContentOf(outgoing), fields),
    });
    this.#network.delivery.accept(message, undefined);
    return phoneView(message, from);
  }

  post(channelId: string, body: string): { id: string } {
    const from = this.account;
    const to = this.#network.newsletters.known(channelId);
    if (to.owner !== from) throw new SimulatorError(403, `channelId: ${from.number} does not own ${channelId}`);
    const message = new Message({ id: createMessageId(from), from, to, body });
    this.#network.delivery.accept(message, undefined);
    return { id: message.id };
  }

  messages(peerId: string | undefined, limit?: number): PhoneMessage[] {
    const peer = peerId === undefined ? undefined : this.#network.peer(peerId, this.#account, 'with');
    const wanted = (message: Message) => (peer ? peerOf(message, this.#account) === peer : this.#isInChat(message));
    return this.#views(wanted, limit);
  }

  /** Its chats and groups, the one with the newest message first; at most 200. */
  chats(): ListedChat[] {
    const account = this.#account;
    const groups = this.#network.groups.of(account);
    const empty = emptyChatsOf(account, groups).map((peer) => [peer, { unread: 0 }] as const);
    const chats = new Map<Peer, { last?: Message; unread: number }>(empty);
    for (const message of account.log) {
      if (!this.#isShown(message) || !this.#isInChat(message)) continue;
      const peer = peerOf(message, account);
      const unread = (chats.get(peer)?.unread ?? 0) + (isUnread(message, account) ? 1 : 0);
      // Moves to the end.
      chats.delete(peer);
      chats.set(peer, { last: message, unread });
    }
    const newest = [...chats].slice(-MAX_LISTED).reverse();
    return newest.map(([peer, { last, unread }]) => {
      const marks = marksOf(account, peer);
      return {
        id: peerIdForPhones(peer),
        name: titleOf(peer, account),
        unread,
        markedUnread: marks.isUnread,
        archived: marks.isArchived,
        pinned: marks.pinnedAtMs > 0,
        mutedUntil: marks.mutedUntil,
        labels: account.labels.filter(({ id }) => marks.labels.includes(id)).map(({ name }) => name),
        chatStates: this.#network.chatStates.seenBy(account, peer).map(({ from, state }) => ({ from: from.pn, state })),
        lastMessage: last && phoneView(last, account),
      };
    });
  }

  /** The phone in a list of phones. */
  summary(): ListedPhone {
    const { number, name, phoneOn, devices, log } = this.#account;
    const unread = log.filter(
      (message) => isUnread(message, this.#account) && this.#isShown(message) && this.#isInChat(message),
    );
    return { number, name, online: phoneOn, devices: devices.size, unread: unread.length };
  }

  statuses(): PhoneMessage[] {
    const since = Date.now() - DAY_MS;
    return this.#views(({ to, revocation, timestamp }) => to === statusFeed && !revocation && timestamp * 1000 > since);
  }

  media(messageId: string): ReceivedMedia {
    const { attachment } = this.#find(messageId, 'id');
    if (!attachment) throw new SimulatorError(404, `id: message ${messageId} has no media`);
    const { mimetype, filename, size, sha256 } = attachment;
    return { mimeType: mimetype, size, sha256, filename };
  }

  edit(messageId: string, body: string): PhoneMessage {
    return phoneView(this.#network.changes.edit(this.account, messageId, body), this.account);
  }

  read(from: string): { read: number } {
    const peer = this.#network.peer(from, this.account, 'from');
    if (marksOf(this.account, peer).isUnread) mark(this.account, peer, { isUnread: false });
    return { read: this.#network.delivery.read(this.account, peer) };
  }

  mark({ chat, unread, archived, pinned, mutedUntil, messageTimer }: ChatMarks): void {
    const peer = this.#network.peer(chat, this.account, 'chat');
    const pinnedAtMs = pinned ? Date.now() : 0;
    mark(this.account, peer, {
      ...(unread === undefined ? {} : { isUnread: unread }),
      ...(pinned === undefined ? {} : { pinnedAtMs }),
      ...(archived === undefined ? {} : { isArchived: archived }),
      ...(archived ? { pinnedAtMs: 0 } : {}),
      ...(mutedUntil === undefined ? {} : { mutedUntil }),
      ...(messageTimer === undefined ? {} : { messageTimer }),
    });
  }

  turn(on: boolean): void {
    this.#account.phoneOn = on;
    if (on) this.#network.delivery.phoneTurnedOn(this.#account);
  }

  logout(deviceId: string | undefined, times: number): { devices: number } {
    const { devices } = this.account;
    const chosen = [...devices.values()].filter(({ id }) => deviceId === undefined || id === deviceId);
    if (deviceId !== undefined && chosen.length === 0) {
      throw new SimulatorError(404, `deviceId: ${deviceId} is not linked to ${this.#account.number}`);
    }
    this.#network.linking.unlink(this.#account, chosen, times, 'phone');
    return { devices: chosen.length };
  }

  /** Disconnects the linked devices from the network, or lets them connect again. */
  connect(connected: boolean): void {
    this.#account.connected = connected;
    if (connected) return;
    for (const device of this.#account.devices.values()) device.connection?.drop();
  }

  /** The messages of its log that the phone shows. */
  #views(wanted: (message: Message) => boolean, limit = Number.POSITIVE_INFINITY): PhoneMessage[] {
    return this.#account.log
      .filter((message) => this.#isShown(message) && wanted(message))
      .slice(-limit)
      .map((message) => phoneView(message, this.#account));
  }

  #isShown(message: Message): boolean {
    const { waiting } = this.#account;
    return !waiting.has(message) && !message.hiddenFrom.has(this.#account) && !isNotice(message);
  }

  /** Whether it is in a chat or group, not in the status feed or a channel. */
  #isInChat(message: Message): boolean {
    const { kind } = peerOf(message, this.#account);
    return kind === 'person' || kind === 'group';
  }

  #find(messageId: string, field: string): Message {
    const found = findMessage(this.#account, messageId);
    if (found && !this.#account.waiting.has(found)) return found;
    throw new SimulatorError(404, `${field}: the phone has no message ${messageId}`);
  }

  #quote(messageId: string, to: Peer): Message['quoted'] {
    const original = this.#find(messageId, 'quotedMessageId');
    const chat = peerOf(original, this.#account);
    const { id, from: author, type, body, fields } = original;
    return { id, author, type, body, fields, chat: chat === to ? undefined : chat };
  }

  async #upload({ base64, mimeType, filename }: OutgoingMedia): Promise<Message['attachment']> {
    const file = await this.#network.mediaStore.receive([Buffer.from(base64, 'base64')]);
    return attach(file, { mimetype: mimeType, filename });
  }
}

/** The phones of a network whose name or number contains `search`; at most 200. */
export function listPhones(network: Network, search = ''): ListedPhone[] {
  const wanted = search.trim().toLowerCase();
  const digits = wanted.replace(/^\+/, '');
  const found = network.directory
    .all()
    .filter(({ name, number }) => name.toLowerCase().includes(wanted) || number.includes(digits));
  return found.slice(0, MAX_LISTED).map(({ number }) => new Phone(network, number).summary());
}

function titleOf(peer: Peer, viewer: AccountRecord): string {
  if (peer.kind === 'person') return nameFor(viewer, peer);
  return peer.kind === 'group' ? peer.subject : peer.id;
}

function typeOf({ kind }: OutgoingMedia): WireType {
  if (kind === 'note') return 'ptv';
  return kind === 'voice' ? 'ptt' : kind;
}

/** The content with these fields besides its own. */
function withFields(content: ReturnType<typeof typedContentOf>, fields: object): Partial<Message> {
  const all = { ...content?.fields, ...fields };
  return { ...content, ...(Object.keys(all).length > 0 ? { fields: all } : {}) };
}
