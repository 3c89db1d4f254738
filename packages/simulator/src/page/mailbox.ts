import type { Connection } from './connection.ts';
import type { Keys } from './keys.ts';
import {
  contentAttributes,
  createMsg,
  createRevokeRecord,
  msgKeyOf,
  otherOwnKey,
  ownStatus,
  ownStatusKey,
  textAttributes,
} from './message-conversion.ts';
import { updateReactions, updateVotes } from './models/add-ons.ts';
import { calls, createCall } from './models/calls.ts';
import { type Chat, chats, findChat, openChat, updateChannel } from './models/chat.ts';
import { updateGroup, updateUnrequestedGroup } from './models/group.ts';
import { type Msg, messageEdits, messages, type RevokeRecord } from './models/message.ts';
import { addStatus, findStatus } from './models/statuses.ts';
import { MsgKey } from './msg-key.ts';
import type { Users } from './users.ts';
import { createWid } from './wid.ts';
import type { WireChat, WireDraft, WireMessage } from './wire.ts';

const STATUS_FEED = 'status@broadcast';

/** Puts messages, history, changes and receipts from the network into the page's chats. */
export class Mailbox {
  readonly #connection: Connection;
  readonly #users: Users;
  /** Messages that were removed from the page's database; the network may be notified later. */
  readonly #erased = new Set<string>();
  /** When messages that are not loaded were last edited. */
  readonly #edits = new Map<string, number>();

  constructor(connection: Connection, users: Users, keys: Keys) {
    this.#connection = connection;
    this.#users = users;
    messages.processMultipleMessages = async (_chat, records) => {
      for (const record of records) this.#revoke(record);
    };
    connection.handle('message', ({ message, user }) => {
      if (user) users.update(user);
      this.receive(this.#own(message));
      // A message whose key cannot be stored is not confirmed, and is delivered again.
      const confirm = () => connection.send({ type: 'received', id: message.id });
      keys.advance().then(confirm, () => undefined);
    });
    connection.handle('changed', ({ message, user, confirm }) => {
      if (user) users.update(user);
      this.#update(this.#own(message), true);
      if (confirm !== undefined) connection.send({ type: 'confirmed', confirm });
    });
    connection.handle('ack', ({ keys, ack }) => {
      for (const key of keys) this.#loaded(ownStatusKey(key, users.self))?.updateAck(ack);
    });
    connection.handle('hidden', ({ keys }) => {
      for (const key of keys) this.forget(ownStatusKey(key, users.self));
    });
    connection.handle('group', ({ group, users: members }) => {
      for (const member of members) users.update(member);
      // A new member also gets the list of the other members.
      if (chats.get(group.id)) updateUnrequestedGroup(group);
      else updateGroup(group);
    });
    connection.handle('news', (news) => {
      for (const user of news.users) users.update(user);
      for (const chat of news.chats) this.restore(chat);
    });
    connection.handle('marks', ({ chat, marks }) => findChat(chat)?.setMarks(marks));
    connection.handle('call', ({ call }) => {
      calls.setActiveCall(call && createCall(call));
      if (call) this.receive(call.entry);
    });
    connection.handle('cleared', ({ chat, isDeleted }) => this.clear(chat, isDeleted));
    connection.handle('chat-read', ({ chat }) => findChat(chat)?.set({ unreadCount: 0 }));
  }

  /** A chat as it was when the device was admitted; its messages are history. */
  restore({ id, unreadCount, left, marks, messages: history, group, channel }: WireChat): void {
    if (group) updateUnrequestedGroup(group);
    if (channel) updateChannel(channel);
    for (const message of history.map((each) => this.#own(each))) {
      if (this.#loaded(msgKeyOf(message)) || this.#loadedBeforeRevocation(message)) this.#update(message, false);
      else this.#addToChat(message, false);
    }
    if (id === STATUS_FEED) return;
    const chat = this.#chat(id);
    chat.set({ unreadCount, endOfHistoryTransferType: left });
    chat.setMarks(marks);
  }

  receive(message: WireMessage): void {
    const loaded = this.#loaded(msgKeyOf(message));
    // How a call ended.
    if (loaded && message.type === 'call_log') loaded.set(contentAttributes(message));
    if (loaded) return;
    if (this.#loadedBeforeRevocation(message)) {
      this.#update(message, true);
      return;
    }
    // No event for a message that was deleted before it was delivered.
    const msg = this.#addToChat(message, message.revokedId === undefined);
    if (!message.fromMe && msg.get('isNewMsg') && !msg.isNotification && message.chat !== STATUS_FEED) {
      const chat = this.#chat(message.chat);
      chat.set({ unreadCount: Math.max(0, chat.get('unreadCount') ?? 0) + 1 });
    }
    if (message.decryptLateMs !== undefined && !message.undecrypted)
      setTimeout(() => msg.set(contentAttributes(message)), message.decryptLateMs);
  }

  /** A message that an earlier page could not send, under the key that it had there. */
  restoreUnsent(draft: WireDraft & { readonly key: string }): Msg | undefined {
    const loaded = this.#loaded(draft.key);
    if (loaded) return loaded;
    const chat = this.#chat(draft.chat);
    const byLid = chat.get('id')?.isLid() || chat.groupMetadata?.get('isLidAddressingMode');
    const self = byLid ? this.#users.self?.lid : this.#users.self?.pn;
    const { participant } = MsgKey.fromString(draft.key);
    const author = participant ? { author: String(participant) } : {};
    const rest = { to: draft.chat, fromMe: true, ack: 0, reactions: [], ...author };
    return self ? this.#addToChat(this.#own({ ...draft, ...rest, from: self }), false) : undefined;
  }

  /** The messages before the oldest one that the chat holds; empty at its beginning. */
  async loadEarlier(chat: Chat, limit: number): Promise<Msg[]> {
    const oldest = chat.get('msgs')?.getModelsArray()[0]?.get('id')?.id;
    const before = oldest === undefined ? {} : { before: oldest };
    const found = await this.#connection.request('history', { chat: String(chat.get('id')), ...before, limit });
    const earlier = (found ?? []).map((message) => this.#add(this.#own(message), false));
    chat.addEarlierMessages(earlier);
    return earlier;
  }

  /** The message of that key, requested from the network if the page does not hold it. */
  async find(key: MsgKey): Promise<Msg | undefined> {
    const present = messages.get(key);
    if (present) return present;
    if (this.#erased.has(key.toString())) return undefined;
    const found = await this.#connection.request('message', { id: key.id });
    const own = found && this.#own(found);
    if (!own || msgKeyOf(own).toString() !== key.toString()) return undefined;
    return createMsg(own, false);
  }

  /** Takes messages out of the page's database; the models stay. */
  erase(keys: readonly string[]): void {
    for (const key of keys) this.#erased.add(key);
  }

  /** Removes the messages of a chat, and with `isDeleted` the chat. */
  clear(id: string, isDeleted: boolean): void {
    const chat = findChat(id);
    for (const msg of chat?.get('msgs')?.getModelsArray() ?? []) this.forget(String(msg.get('id')));
    if (chat && isDeleted) chats.remove(chat);
  }

  /** Removes a message, for instance after it was deleted for this account. */
  forget(key: string): void {
    const msg = this.#loaded(key);
    if (!msg) return;
    const chat = msg.get('id')?.remote;
    if (chat) findChat(chat)?.removeMessage(msg);
    messages.remove(msg);
  }

  /** A message that the page has, also one that is only in the feed or has the account's other id. */
  #loaded(key: string | MsgKey): Msg | undefined {
    return messages.get(key) ?? messages.get(otherOwnKey(String(key), this.#users.self)) ?? findStatus(key);
  }

  #own(message: WireMessage): WireMessage {
    return ownStatus(message, this.#users.self);
  }

  #chat(id: string): Chat {
    return openChat(id, this.#users.titleOf(id), this.#users.known(id));
  }

  #addToChat(message: WireMessage, isNew: boolean): Msg {
    const msg = createMsg(message, isNew);
    const key = msgKeyOf(message);
    if (messages.get(key)) return messages.add(msg);
    if (message.chat === STATUS_FEED) {
      addStatus(createWid(message.author ?? message.from), msg);
      chats.get(STATUS_FEED)?.addMessage(msg);
    } else this.#chat(message.chat).addMessage(msg);
    return this.#add(message, isNew, msg);
  }

  #add(message: WireMessage, isNew: boolean, msg = createMsg(message, isNew)): Msg {
    const added = messages.add(msg);
    updateReactions(msgKeyOf(message), message.reactions);
    this.#updateVotes(message);
    return added;
  }

  /** A message has changed: its text, age or reactions; or it was deleted for everyone. */
  #update(message: WireMessage, isNew: boolean): void {
    const { editedAtMs, revokedId, t } = message;
    const key = msgKeyOf(message);
    if (revokedId !== undefined && !this.#loaded(key))
      void messages.processMultipleMessages(key.remote, [createRevokeRecord(message, revokedId, isNew)]);
    const msg = this.#loaded(key);
    if (msg?.get('type') === 'ciphertext') {
      msg.updateAck(message.ack);
      const isLate = message.decryptLateMs !== undefined || message.undecrypted !== undefined;
      if (!isLate) msg.set({ subtype: undefined, ...contentAttributes(message) });
      return;
    }
    const editedBefore = msg ? msg.get('latestEditSenderTimestampMs') : this.#edits.get(String(key));
    if (editedAtMs !== undefined && revokedId === undefined && editedAtMs !== editedBefore) {
      const edit = { latestEditSenderTimestampMs: editedAtMs, latestEditMsgKey: key };
      const parentMsg = { ...createMsg(message, false).serialize(), id: msg?.get('id') ?? key };
      const { pollName } = message.fields ?? {};
      const text = pollName === undefined ? textAttributes(message) : { pollName };
      const mentionedJidList = (message.mentions ?? []).map((id) => createWid(id));
      const editedMsgData = { ...text, mentionedJidList, ...edit };
      void messageEdits.updateEditedMessagesAction([{ parentMsg, editedMsgData, isLatest: true }]);
      this.#edits.set(String(key), editedAtMs);
    }
    if (!msg) return;
    msg.updateAck(message.ack);
    msg.set({ t });
    updateReactions(msgKeyOf(message), message.reactions);
    this.#updateVotes(message);
  }

  #updateVotes(message: WireMessage): void {
    const key = msgKeyOf(message);
    updateVotes(message.votes, key, this.#users.otherKey(key) ?? key);
  }

  /** The message under its id from before it was deleted for everyone. */
  #loadedBeforeRevocation(message: WireMessage): Msg | undefined {
    return message.revokedId === undefined ? undefined : this.#loaded(msgKeyOf({ ...message, id: message.revokedId }));
  }

  /** In two steps, as the real page: scripts see the old content under the new id before it is removed. */
  #revoke({ id: revokeKey, protocolMessageKey, subtype, from, author, t }: RevokeRecord): void {
    const msg = this.#loaded(protocolMessageKey);
    const old = msg?.get('id');
    if (!msg || !old) return; // It is in the database only.
    const id = new MsgKey({ ...old, id: revokeKey.id });
    const chat = findChat(old.remote);
    for (const collection of [messages, chat?.get('msgs')]) collection?.rename(msg, id);
    msg.set({ id, protocolMessageKey: old });
    if (chat?.get('lastReceivedKey') === old) chat?.set({ lastReceivedKey: id });
    const gone = { caption: undefined, directPath: undefined, mediaKey: undefined, filename: undefined };
    const by = { subtype: subtype === 'admin_revoke' ? 'admin' : 'sender', revokeSender: author ?? from } as const;
    msg.set({ type: 'revoked', ...by, revokeTimestamp: t, body: '', ...gone });
  }
}
