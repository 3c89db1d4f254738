import type {
  Account,
  AccountSeed,
  Addressing,
  ContactsChange,
  NoticeDraft,
  PageFault,
  ProfileChange,
  Refusal,
} from './account-api.ts';
import type { Disturbance, OptionsOf, Page } from './page-api.ts';
import type { SimulatorSettings } from './settings.ts';

export type * from './account-api.ts';
export type * from './page-api.ts';

/** What kind of thing a message is. */
export type MessageType =
  | ('text' | MediaKind | 'location' | 'contact' | 'contacts')
  /** An invitation to a group, for somebody who cannot be added. */
  | 'invite'
  /** Something that happened in a group; phones do not list those. */
  | 'notice'
  /** Taken back by who wrote it, or by an admin. */
  | 'revoked';

/** What a message with bytes shows as. */
export type MediaKind = 'image' | 'video' | 'audio' | 'voice' | 'document' | 'sticker';

/** A message as a phone has it; people as `<number>@c.us`. */
export interface PhoneMessage {
  /** The stanza id, as in the third part of a page's message id. */
  readonly id: string;
  readonly type: MessageType;
  /** The person who wrote it, also in groups. */
  readonly from: string;
  /** A person, a group, or `status@broadcast`. */
  readonly to: string;
  /** Where the phone shows it: the other person, the group, or `status@broadcast`. */
  readonly chat: string;
  /** Who wrote it, in groups and in the status feed. */
  readonly author?: string;
  readonly fromMe: boolean;
  /** The text, or the caption. */
  readonly body: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** 1 on the server, 2 delivered, 3 read. */
  readonly ack: number;
  readonly quotedMessageId?: string;
  readonly quotedBody?: string;
  readonly mimeType?: string;
  readonly filename?: string;
  /** Bytes. */
  readonly size?: number;
  readonly reactions: readonly { readonly from: string; readonly emoji: string }[];
  readonly edited: boolean;
  /** `#rrggbb`, of a text status. */
  readonly backgroundColor?: string;
  readonly font?: number;
}

/** A file that a phone sends. */
export interface OutgoingMedia {
  readonly kind: MediaKind;
  /** The bytes. */
  readonly base64: string;
  readonly mimeType: string;
  readonly filename?: string | undefined;
}

/** What a phone is to send. */
export interface OutgoingMessage {
  /** Its stanza id; made up where absent. One that stands for another message already is refused. */
  readonly id?: string | undefined;
  /** A number, `<number>@c.us`, a group that the account is in, or `status@broadcast`. */
  readonly to: string;
  /** The text, or the caption; needed where there is no media. */
  readonly body?: string | undefined;
  /** A stanza id, or a page's message id. */
  readonly quotedMessageId?: string | undefined;
  /** The receiving pages cannot decrypt it before so many milliseconds have passed. */
  readonly decryptLateMs?: number | undefined;
  readonly media?: OutgoingMedia | undefined;
  /** Numbers, or `<number>@c.us`. */
  readonly mentions?: readonly string[] | undefined;
}

/** The bytes of a message as the phone got them. */
export interface ReceivedMedia {
  readonly mimeType: string;
  readonly filename?: string;
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
}

/** A group as phones see it. */
export interface Group {
  /** `<18 digits>@g.us` */
  readonly id: string;
  readonly subject: string;
  readonly participants: readonly { readonly id: string; readonly isAdmin: boolean }[];
  /** Whether linked devices see members by number or by hidden number. */
  readonly addressing: Addressing;
}

/** A group to be. */
export interface GroupDraft {
  /** `<18 digits>@g.us`; made up where absent. */
  readonly id?: string | undefined;
  readonly subject: string;
  /** Numbers, or `<number>@c.us`. */
  readonly participants: readonly string[];
}

/** What a member does to a group, in this order. People as numbers or `<number>@c.us`. */
export interface GroupUpdate {
  readonly subject?: string | undefined;
  readonly add?: readonly string[] | undefined;
  readonly remove?: readonly string[] | undefined;
  readonly promote?: readonly string[] | undefined;
  readonly demote?: readonly string[] | undefined;
  readonly leave?: boolean | undefined;
}

/** How much of each an account is given. */
export interface Filling {
  readonly chats?: number | undefined;
  readonly contacts?: number | undefined;
  readonly groups?: number | undefined;
}

/**
 * Plays the phones and the network. Every call ends within 10 s, one that sends media within 60 s, or rejects with the
 * simulator's own sentence. Messages are named by their stanza id or by a page's message id.
 */
export interface SimulatorClient {
  accounts(): Promise<Account[]>;
  account(number: string): Promise<Account>;
  addAccount(seed: AccountSeed): Promise<Account>;
  pages(): Promise<Page[]>;
  /** Links the page that shows this QR, given as its text or as a PNG data URL. */
  scan(number: string, qr: string): Promise<{ deviceId: string }>;
  /** Links the page that shows this code, as its owner does by typing it. */
  pair(number: string, code: string): Promise<{ deviceId: string }>;
  send(number: string, message: OutgoingMessage): Promise<PhoneMessage>;
  /** All that the phone has in chats and groups, oldest first; `with` is a person or a group. */
  messages(number: string, filter?: { with?: string }): Promise<PhoneMessage[]>;
  react(number: string, reaction: { messageId: string; emoji: string }): Promise<void>;
  /** Its own message, within 15 minutes. */
  edit(number: string, edit: { messageId: string; body: string }): Promise<PhoneMessage>;
  /** For everyone: its own message, or as an admin of the group anybody's, within the hour. */
  revoke(number: string, revocation: { messageId: string }): Promise<void>;
  /** What the phone got. */
  media(number: string, messageId: string): Promise<ReceivedMedia>;
  /** The media server forgets the bytes of a message; phones keep theirs. */
  dropMedia(messageId: string): Promise<void>;
  /** Makes a message that much older, everywhere; ends when all connected pages that have it show it so. */
  age(messageId: string, ms: number): Promise<void>;
  /** With `restrict` on, as phones make them: only admins change the subject. */
  createGroup(number: string, group: GroupDraft): Promise<Group>;
  /** Those that the account is in. */
  groups(number: string): Promise<Group[]>;
  updateGroup(number: string, groupId: string, update: GroupUpdate): Promise<Group>;
  profile(number: string, change: ProfileChange): Promise<Account>;
  contacts(number: string, change: ContactsChange): Promise<void>;
  /** Those of the last day that the phone can see or has posted, oldest first. */
  statuses(number: string): Promise<PhoneMessage[]>;
  /** Gives the account people it knows, chats and groups, at once and without a message being sent. */
  fill(number: string, amounts: Filling): Promise<void>;
  /** The phone opens the chat with `from`: its messages become read. */
  read(number: string, from: string): Promise<{ read: number }>;
  /** Turns the phone on or off; while it is off, what comes for it waits. */
  setOnline(number: string, online: boolean): Promise<void>;
  /** Unlinks one device, or all; their pages raise it `times` times. */
  logout(number: string, options?: { deviceId?: string; times?: number }): Promise<{ devices: number }>;
  /** Gives the pages that are linked to the account a fault, from their next load on. */
  fault(number: string, kind: PageFault): Promise<void>;
  /** From now on nothing that its pages send is ever acknowledged; what they ask is answered, and what comes, comes. */
  restrict(number: string, restricted: boolean): Promise<void>;
  /** From now on what its pages send is refused. */
  refuse(number: string, refusal: Refusal): Promise<void>;
  /** Whether a device that is linked by scanning has to bring a passkey. */
  requirePasskey(number: string, required: boolean): Promise<void>;
  /** Brings something that nobody has written into its pages, as a new message; answers with where it is. */
  notice(number: string, notice: NoticeDraft): Promise<{ id: string; chat: string }>;
  /** Takes the network away from the account's linked devices. */
  disconnect(number: string): Promise<void>;
  reconnect(number: string): Promise<void>;
  /**
   * Makes the connections half-open that pages of the account have now: they stay open, and nothing passes in either
   * direction until they are released. What was held back passes then. A connection made after this one is whole.
   */
  stall(number: string, stalled: boolean): Promise<void>;
  /**
   * With the options that this kind has, such as `disturb(id, 'block', { ms: 5000 })`. Ends as soon as the page has
   * it, and fails where a frozen page does not take it within 8 s.
   */
  disturb<K extends Disturbance>(pageId: string, kind: K, ...options: OptionsOf<K>): Promise<void>;
  settings(): Promise<SimulatorSettings>;
  /** What concerns pages holds from their next load on. */
  configure(settings: Partial<SimulatorSettings>): Promise<SimulatorSettings>;
}
