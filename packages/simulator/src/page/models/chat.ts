import { Collection } from '../collection.ts';
import { Model } from '../model.ts';
import type { MsgKey } from '../msg-key.ts';
import { createWid, type Wid } from '../wid.ts';
import type { WireLeft, WireMarks, WireUser } from '../wire.ts';
import type { GroupMetadata } from './group-metadata.ts';
import { Msg } from './message.ts';
import { Mute, mutes } from './mute.ts';
import type { NewsletterMetadata } from './newsletter-metadata.ts';
import type { ParticipantCollection } from './participants.ts';

interface ChatAttributes {
  id: Wid;
  /** Unix seconds of the latest message. */
  t: number;
  name: string;
  formattedTitle: string;
  /** -1 if the user has marked it as unread. */
  unreadCount: number;
  lastReceivedKey: MsgKey | undefined;
  isReadOnly: boolean;
  isLocked: boolean;
  msgs: Collection<Msg>;
  /** The hidden id of the person. */
  accountLid: Wid;
  archive: boolean;
  /** When it was pinned, in milliseconds since 1970; 0 or undefined if it is not. */
  pin: number | undefined;
  /** Ids. */
  labels: readonly string[];
  endOfHistoryTransferType: WireLeft;
}

/** A chat, and those of its messages that the page holds. */
export class Chat extends Model<ChatAttributes> {
  static override readonly props = [
    ...['id', 't', 'name', 'formattedTitle', 'unreadCount', 'lastReceivedKey', 'isReadOnly'],
    ...['isLocked', 'msgs', 'accountLid', 'archive', 'pin', 'labels', 'endOfHistoryTransferType'],
  ];
  /** Present for groups. */
  groupMetadata: GroupMetadata | undefined;
  /** Present for channels. */
  newsletterMetadata: NewsletterMetadata | undefined;
  readonly mute: Mute;

  constructor(id: Wid, title: string) {
    super({
      id,
      name: title,
      formattedTitle: title,
      unreadCount: 0,
      isReadOnly: false,
      isLocked: false,
      msgs: new Collection<Msg>(Msg as never),
    });
    this.mute = mutes.add(new Mute({ id, expiration: 0 }));
  }

  /** Whether the account has rights in the group. A TypeError if the page has no list of its members. */
  iAmAdmin(): boolean {
    return this.groupMetadata ? (this.groupMetadata.get('participants') as ParticipantCollection).iAmAdmin() : false;
  }

  /** Adds the latest message. */
  hold(msg: Msg): void {
    this.get('msgs')?.add(msg);
    const id = msg.get('id');
    const t = Math.max(msg.get('t') ?? 0, this.get('t') ?? 0);
    this.set(id ? { t, lastReceivedKey: id } : { t });
  }

  /** Adds messages older than those in the chat, oldest first. */
  holdEarlier(earlier: readonly Msg[]): void {
    earlier.forEach((msg, index) => {
      this.get('msgs')?.add(msg, index);
    });
  }

  /** Applies the marks that were set in it, on any device. */
  become({ isUnread, isArchived, pinnedAtMs, mutedUntil, labels }: WireMarks): void {
    const count = this.get('unreadCount') ?? 0;
    this.set({ unreadCount: isUnread ? count || -1 : Math.max(0, count), archive: isArchived, pin: pinnedAtMs });
    this.set({ labels });
    this.mute.set({ expiration: mutedUntil });
  }

  /** Removes a message; the one before it becomes the latest. */
  drop(msg: Msg): void {
    this.get('msgs')?.remove(msg);
    this.set({ lastReceivedKey: this.get('msgs')?.getModelsArray().at(-1)?.get('id') });
  }
}

/** Every chat of the account. */
export const chats = new Collection<Chat>(Chat as never);

/** Channels, which are not among the chats. */
export const newsletters = new Collection<Chat>(Chat as never);

/** The chat or channel of that id. */
export function findChat(id: Wid | string): Chat | undefined {
  return collectionOf(id).get(id);
}

/** The same, opened if necessary; `person` is the other person in it. */
export function openChat(id: string, title: string, person?: Pick<WireUser, 'lid'>): Chat {
  const chat = findChat(id) ?? collectionOf(id).add(new Chat(createWid(id), title));
  return person ? chat.set({ accountLid: createWid(person.lid) }) : chat;
}

function collectionOf(id: Wid | string): Collection<Chat> {
  return String(id).endsWith('@newsletter') ? newsletters : chats;
}
