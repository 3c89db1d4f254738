import { Collection } from '../collection.ts';
import { Model } from '../model.ts';
import type { MsgKey } from '../msg-key.ts';
import { createWid, type Wid } from '../wid.ts';
import type { WireChannel, WireMarks, WireOlderMessagesLeft, WireUser } from '../wire.ts';
import { isChatBlocked } from './contact.ts';
import type { GroupMetadata, ParticipantCollection } from './group-metadata.ts';
import { mayWriteToNewPeople } from './limits.ts';
import { Msg } from './message.ts';
import { NewsletterMetadata, newsletterMetadata } from './newsletter-metadata.ts';

interface MuteAttributes {
  id: Wid;
  /** Unix seconds; 0 for not muted, -1 for forever. */
  expiration: number;
}

/** How a mute is set; without `sendDevice` it stays in this page. */
interface MuteOptions {
  readonly expiration: number;
  readonly sendDevice?: boolean;
}

export class Mute extends Model<MuteAttributes> {
  static override readonly props = ['id', 'expiration'];
  /** Sends a change to the account's other devices. */
  static push: (chat: Wid, mutedUntil: number) => void = () => {};

  async mute({ expiration, sendDevice = false }: MuteOptions): Promise<void> {
    if (typeof expiration !== 'number') throw new Error('ActionError');
    await this.#setExpiration(Math.round(expiration), sendDevice);
  }

  async unmute({ sendDevice = false }: Partial<MuteOptions> = {}): Promise<void> {
    await this.#setExpiration(0, sendDevice);
  }

  async #setExpiration(expiration: number, isSent: boolean): Promise<void> {
    const id = this.get('id');
    if (isSent && id) Mute.push(id, expiration);
    this.set({ expiration });
  }
}

/** The mutes of all chats; emits `change:expiration` for each. */
export const mutes = new Collection<Mute>(Mute as never);

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
  endOfHistoryTransferType: WireOlderMessagesLeft;
  /** After how many seconds its new messages disappear; undefined for never. */
  ephemeralDuration: number | undefined;
}

/** A chat, and those of its messages that the page holds. */
export class Chat extends Model<ChatAttributes> {
  static override readonly props = [
    'id',
    't',
    'name',
    'formattedTitle',
    'unreadCount',
    'lastReceivedKey',
    'isReadOnly',
    'isLocked',
    'msgs',
    'accountLid',
    'archive',
    'pin',
    'labels',
    'endOfHistoryTransferType',
    'ephemeralDuration',
  ];
  /** Present for groups. */
  groupMetadata: GroupMetadata | undefined;
  /** Present for channels. */
  newsletterMetadata: NewsletterMetadata | undefined;
  readonly mute: Mute;
  /** How many unread messages the page is marking as read; it skips them until more arrive. */
  pendingSeenCount = 0;

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

  /** False if the page does not know the members. */
  iAmMember(): boolean {
    const members = this.groupMetadata?.get('participants') as ParticipantCollection | undefined;
    return members?.getMeParticipant() !== undefined;
  }

  /** True for a chat with a person who has written to the account, and for others than people. */
  get isOutsideLimits(): boolean {
    const isPerson = this.get('id')?.isUser() === true;
    return !isPerson || (this.get('msgs')?.getModelsArray() ?? []).some((msg) => msg.get('id')?.fromMe === false);
  }

  /** Whether the composer of the chat is enabled. */
  get canSend(): boolean {
    if (isChatBlocked(this) || !(this.isOutsideLimits || mayWriteToNewPeople())) return false;
    const members = this.groupMetadata?.get('participants') as ParticipantCollection | undefined;
    // Without the members, the page does not know its own rights.
    if (!members || members.length === 0) return true;
    return this.iAmMember() && (this.groupMetadata?.get('announce') !== true || this.iAmAdmin());
  }

  /** Adds the latest message. */
  addMessage(msg: Msg): void {
    this.get('msgs')?.add(msg);
    const id = msg.get('id');
    const t = Math.max(msg.get('t') ?? 0, this.get('t') ?? 0);
    this.set(id ? { t, lastReceivedKey: id } : { t });
  }

  /** Adds messages older than those in the chat, oldest first. */
  addEarlierMessages(earlier: readonly Msg[]): void {
    earlier.forEach((msg, index) => {
      this.get('msgs')?.add(msg, index);
    });
  }

  /** Applies the marks that were set in it, on any device. */
  setMarks(marks: WireMarks): void {
    const count = this.get('unreadCount') ?? 0;
    this.set({
      unreadCount: marks.isUnread ? count || -1 : Math.max(0, count),
      archive: marks.isArchived,
      pin: marks.pinnedAtMs,
      labels: marks.labels,
      ephemeralDuration: marks.messageTimer || undefined,
    });
    this.mute.set({ expiration: marks.mutedUntil });
  }

  /** Removes a message; the one before it becomes the latest. */
  removeMessage(msg: Msg): void {
    this.get('msgs')?.remove(msg);
    this.set({ lastReceivedKey: this.get('msgs')?.getModelsArray().at(-1)?.get('id') });
  }
}

export const chats = new Collection<Chat>(Chat as never);

/** The fields of a message in a chat whose messages disappear. */
export function ephemeralFields(chat: Chat): object {
  const ephemeralDuration = chat.get('ephemeralDuration');
  if (ephemeralDuration === undefined) return {};
  return { ephemeralDuration, ephemeralSettingTimestamp: 0, disappearingModeInitiator: 'chat' };
}

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

/** Updates a channel, opened if necessary. */
export function updateChannel({ id, name, description, inviteCode, followers, role }: WireChannel): Chat {
  const chat = openChat(id, name);
  const metadata = newsletterMetadata.get(id) ?? newsletterMetadata.add(new NewsletterMetadata({ id: createWid(id) }));
  metadata.set({ name, description, inviteCode, size: followers, verified: false, membershipType: role });
  chat.newsletterMetadata = metadata;
  chat.set({ name, formattedTitle: name, isReadOnly: role !== 'owner' });
  return chat;
}
