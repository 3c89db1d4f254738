import { Collection } from '../collection.ts';
import { Model } from '../model.ts';
import type { MsgKey } from '../msg-key.ts';
import { createWid, type Wid } from '../wid.ts';
import { Msg } from './message.ts';

interface ChatAttributes {
  id: Wid;
  /** Unix seconds of the latest message. */
  t: number;
  name: string;
  formattedTitle: string;
  unreadCount: number;
  lastReceivedKey: MsgKey;
  archive: boolean;
  pin: number;
  isReadOnly: boolean;
  isLocked: boolean;
  muteExpiration: number;
  mute: { expiration: number; isMuted: boolean };
  msgs: Collection<Msg>;
}

/** A chat, and those of its messages that the page holds. */
export class Chat extends Model<ChatAttributes> {
  static override readonly props = [
    ...['id', 't', 'name', 'formattedTitle', 'unreadCount', 'lastReceivedKey', 'archive', 'pin', 'isReadOnly'],
    ...['isLocked', 'muteExpiration', 'mute', 'msgs'],
  ];

  constructor(id: Wid, title: string) {
    super({
      ...{ id, name: title, formattedTitle: title, unreadCount: 0, archive: false, pin: 0 },
      ...{ isReadOnly: false, isLocked: false, muteExpiration: 0, mute: { expiration: 0, isMuted: false } },
      msgs: new Collection<Msg>(Msg),
    });
  }

  /** Takes in the latest message. */
  hold(msg: Msg): void {
    this.get('msgs')?.add(msg);
    const id = msg.get('id');
    const t = Math.max(msg.get('t') ?? 0, this.get('t') ?? 0);
    this.set(id ? { t, lastReceivedKey: id } : { t });
  }

  /** Takes in messages from before those that it holds, oldest first. */
  holdEarlier(earlier: readonly Msg[]): void {
    earlier.forEach((msg, index) => {
      this.get('msgs')?.add(msg, index);
    });
  }
}

/** Every chat of the account. */
export const chats = new Collection<Chat>(Chat as never);

/** The chat of that id, opened if it is not there yet. */
export function openChat(id: string, title: string): Chat {
  return chats.get(id) ?? chats.add(new Chat(createWid(id), title));
}
