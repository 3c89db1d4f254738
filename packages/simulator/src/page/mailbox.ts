import type { Connection } from './connection.ts';
import { type Chat, chats, openChat } from './models/chat.ts';
import { Msg, messages } from './models/message.ts';
import { MsgKey } from './msg-key.ts';
import type { Users } from './users.ts';
import { createWid } from './wid.ts';
import type { WireChat, WireDraft, WireMessage } from './wire.ts';

/** Puts what the network brings into the page's chats: messages, history, receipts. */
export class Mailbox {
  readonly #connection: Connection;
  readonly #users: Users;

  constructor(connection: Connection, users: Users) {
    this.#connection = connection;
    this.#users = users;
    connection.handle('message', ({ message, user }) => {
      if (user) users.learn(user);
      this.receive(message);
      connection.send({ type: 'received', id: message.id });
    });
    connection.handle('ack', ({ chat, ids, ack }) => {
      for (const id of ids) messages.get(`true_${chat}_${id}`)?.updateAck(ack);
    });
    connection.handle('chat-read', ({ chat }) => chats.get(chat)?.set({ unreadCount: 0 }));
  }

  /** A chat as it was when the device was admitted; its messages are history. */
  restore({ id, unreadCount, messages: history }: WireChat): void {
    const chat = openChat(id, this.#users.titleOf(id));
    for (const message of history) this.#hold(message, chat, false);
    chat.set({ unreadCount });
  }

  /** A message that is new. */
  receive(message: WireMessage): void {
    if (messages.get(keyOf(message))) return;
    const chat = openChat(message.chat, this.#users.titleOf(message.chat));
    const msg = this.#hold(message, chat, true);
    if (!message.fromMe) chat.set({ unreadCount: (chat.get('unreadCount') ?? 0) + 1 });
    if (message.decryptLateMs === undefined) return;
    setTimeout(() => msg.set({ type: 'chat', body: message.body, ...quoteOf(message) }), message.decryptLateMs);
  }

  /** A message that an earlier page could not send. */
  keepUnsent(draft: WireDraft): void {
    const chat = openChat(draft.chat, this.#users.titleOf(draft.chat));
    const self = chat.get('id')?.isLid() ? this.#users.self?.lid : this.#users.self?.pn;
    if (self) this.#hold({ ...draft, from: self, to: draft.chat, fromMe: true, ack: 0 }, chat, false);
  }

  /** The messages before the oldest one that the chat holds; empty at its beginning. */
  async loadEarlier(chat: Chat, limit: number): Promise<Msg[]> {
    const oldest = chat.get('msgs')?.getModelsArray()[0]?.get('id')?.id;
    const before = oldest === undefined ? {} : { before: oldest };
    const found = await this.#connection.request('history', { chat: String(chat.get('id')), ...before, limit });
    const earlier = found.map((message) => messages.add(modelOf(message, false)));
    chat.holdEarlier(earlier);
    return earlier;
  }

  /** The message of that key, asked of the network if the page does not hold it. */
  async find(key: MsgKey): Promise<Msg | undefined> {
    const present = messages.get(key);
    if (present) return present;
    const found = await this.#connection.request('message', { id: key.id });
    if (!found || keyOf(found).toString() !== key.toString()) return undefined;
    return modelOf(found, false);
  }

  /** The message that another one quotes: the original where the page holds it, else what the quote tells of it. */
  quotedBy(msg: Msg): Msg | undefined {
    const [id, participant, quoted] = [msg.get('quotedStanzaID'), msg.get('quotedParticipant'), msg.get('quotedMsg')];
    const remote = msg.get('id')?.remote;
    if (!id || !participant || !remote || !quoted) return undefined;
    const self = this.#users.self;
    const fromMe = [self?.pn, self?.lid].includes(String(participant));
    const key = new MsgKey({ fromMe, remote, id });
    const to = fromMe ? remote : createWid(self?.pn ?? String(remote));
    return messages.get(key) ?? new Msg({ id: key, type: 'chat', body: quoted.body, from: participant, to });
  }

  #hold(message: WireMessage, chat: Chat, isNew: boolean): Msg {
    const present = messages.get(keyOf(message));
    if (present) {
      present.updateAck(message.ack);
      return present;
    }
    const msg = modelOf(message, isNew);
    chat.hold(msg);
    return messages.add(msg);
  }
}

function keyOf({ fromMe, chat, id }: WireMessage): MsgKey {
  return new MsgKey({ fromMe, remote: createWid(chat), id });
}

function modelOf(message: WireMessage, isNew: boolean): Msg {
  const late = isNew && message.decryptLateMs !== undefined;
  return new Msg({
    ...{ id: keyOf(message), from: createWid(message.from), to: createWid(message.to), t: message.t },
    ...{ self: message.fromMe ? ('out' as const) : ('in' as const), ack: message.ack, isNewMsg: isNew },
    ...{ viewed: false, star: false, mentionedJidList: [], groupMentions: [] },
    ...(message.notifyName === undefined ? {} : { notifyName: message.notifyName }),
    ...(late ? { type: 'ciphertext' } : { type: 'chat', body: message.body, ...quoteOf(message) }),
  });
}

function quoteOf({ quoted }: WireMessage): object {
  if (!quoted) return {};
  return {
    quotedMsg: { type: 'chat', body: quoted.body },
    quotedStanzaID: quoted.id,
    quotedParticipant: createWid(quoted.author),
  };
}
