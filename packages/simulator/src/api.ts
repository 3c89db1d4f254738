import type { Addressing, ContactCard, MediaKind, Place, Poll } from './control/inputs.ts';

export type * from './account-api.ts';
export type * from './page-api.ts';

/** The type of a message. */
export type MessageType =
  | ('text' | MediaKind | 'location' | 'contact' | 'contacts' | 'poll')
  /** An invitation to a group, for a person who cannot be added. */
  | 'invite'
  /** A notice in a group; phones do not list those. */
  | 'notice'
  /** Deleted for everyone, by its author or an admin. */
  | 'revoked';

/** A message as a phone has it; people as `<number>@c.us`. */
export interface PhoneMessage {
  /** The stanza id, as in the third part of a page's message id. */
  readonly id: string;
  readonly type: MessageType;
  /** The person who wrote it, also in groups. */
  readonly from: string;
  /** A person, a group, or `status@broadcast`. */
  readonly to: string;
  /** The chat in which the phone shows it: the other person, the group, or `status@broadcast`. */
  readonly chat: string;
  /** Who wrote it, in groups and in the status feed. */
  readonly author?: string | undefined;
  /** That person's name: as in the address book, otherwise the one they chose. */
  readonly authorName?: string | undefined;
  readonly fromMe: boolean;
  /** The text, or the caption. */
  readonly body: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** 1 on the server, 2 delivered, 3 read. */
  readonly ack: number;
  /** Sent by a page with a secret. Without one, members of a community's announcement group cannot reply or react. */
  readonly hasSecret?: boolean | undefined;
  /** The message that the quote leads to; undefined where the chat that it names does not have it. */
  readonly quotedMessageId?: string | undefined;
  readonly quotedBody?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly filename?: string | undefined;
  /** Bytes. */
  readonly size?: number | undefined;
  readonly reactions: readonly { readonly from: string; readonly emoji: string }[];
  readonly edited: boolean;
  readonly starred?: boolean;
  readonly pinned?: boolean;
  /** `#rrggbb`, of a text status. */
  readonly backgroundColor?: string | undefined;
  readonly font?: number | undefined;
  /** A place; angles in degrees. */
  readonly location?: Place | undefined;
  readonly contacts?: readonly ContactCard[] | undefined;
  readonly poll?: Poll | undefined;
  /** A video that plays by itself, and a file that can be opened once. */
  readonly isGif?: true | undefined;
  readonly isViewOnce?: true | undefined;
  /** It was written by another person. */
  readonly isForwarded?: true | undefined;
  /** The people that the text mentions, and true if it mentions all members of the group. */
  readonly mentions?: readonly string[] | undefined;
  readonly mentionsAll?: true | undefined;
  /** What is shown of the first link in the text. */
  readonly linkPreview?: { readonly title: string; readonly description: string } | undefined;
}

/** The bytes of a message as the phone got them. */
export interface ReceivedMedia {
  readonly mimeType: string;
  readonly filename?: string | undefined;
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
  readonly description?: string | undefined;
  /** Only admins write, change subject and description, add; and an admin approves who joins by the invite. */
  readonly settings: {
    readonly announce: boolean;
    readonly restrict: boolean;
    readonly adminsAdd: boolean;
    readonly approveJoins: boolean;
  };
  readonly inviteCode: string;
  /** The people who wait for approval. */
  readonly requests: readonly string[];
  /** The size of its picture. */
  readonly pictureBytes?: number | undefined;
}

/** A channel, with what was posted, oldest first. */
export interface Channel {
  /** `<18 digits>@newsletter` */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly inviteCode: string;
  /** Numbers. */
  readonly followers: readonly string[];
  readonly posts: readonly { readonly id: string; readonly body: string }[];
}

/** A phone in a list of phones. */
export interface ListedPhone {
  readonly number: string;
  readonly name: string;
  /** The phone is on. */
  readonly online: boolean;
  /** How many devices are linked. */
  readonly devices: number;
  /** Messages that it has not read. */
  readonly unread: number;
}

/** A chat or group in a phone's list. */
export interface ListedChat {
  /** `<number>@c.us` or `<18 digits>@g.us` */
  readonly id: string;
  /** The name in the address book, otherwise the one that the person chose; the subject of a group. */
  readonly name: string;
  readonly unread: number;
  /** Manually, on one of the account's devices. */
  readonly markedUnread: boolean;
  readonly archived: boolean;
  readonly pinned: boolean;
  /** Unix seconds; 0 if it is not muted, -1 for forever. */
  readonly mutedUntil: number;
  /** Their names. */
  readonly labels: readonly string[];
  /** Who is typing or recording in it. */
  readonly doing: readonly { readonly from: string; readonly state: 'typing' | 'recording' }[];
  /** Absent for a group without messages. */
  readonly lastMessage?: PhoneMessage | undefined;
}
