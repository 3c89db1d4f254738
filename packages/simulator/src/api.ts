import type { ContactCard, MediaKind, Place, Poll } from './control/inputs.ts';
import type { DisturbanceOptions, PageDisturbance, PageFault, PageReport } from './page/wire.ts';

export type MessageType =
  | ('text' | MediaKind | 'location' | 'contact' | 'contacts' | 'poll')
  /** One that only pages and other clients show. */
  | 'other'
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
  /** After how many seconds it disappears. */
  readonly messageTimer?: number | undefined;
  /** The people that the text mentions, and true if it mentions all members of the group. */
  readonly mentions?: readonly string[] | undefined;
  readonly mentionsAll?: true | undefined;
  /** What is shown of the first link in the text. */
  readonly linkPreview?: { readonly title: string; readonly description: string } | undefined;
}

export interface ReceivedMedia {
  readonly mimeType: string;
  readonly filename?: string | undefined;
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
}

/** A phone in a list of phones. */
export interface ListedPhone {
  readonly number: string;
  readonly name: string;
  readonly online: boolean;
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
  readonly chatStates: readonly { readonly from: string; readonly state: 'typing' | 'recording' }[];
  /** Absent for a group without messages. */
  readonly lastMessage?: PhoneMessage | undefined;
}

export type { PageFault };

/** A check whether an id is registered. */
export interface LookUp {
  /** ISO 8601. */
  readonly at: string;
  readonly jid: string;
}

/**
 * Why a device was unlinked: on the phone, by its own page, by the request for a pairing code, because an old copy of
 * its profile logged in, or because the dialog "What's new" was not answered.
 */
export type UnlinkCause = 'phone' | 'page' | 'pairing_code' | 'old_keys' | 'whats_new';

/**
 * Why the assertion of a passkey was refused: it is malformed, its passkey is not registered, it is for another
 * ceremony, its challenge is unknown or was used (`challenge`) or is too old (`expired`), it was made for another site
 * (`origin`, `rp_id`), without a user, or without verifying the user; its signature is wrong, or its count did not
 * increase.
 */
export type PasskeyRefusal =
  | ('malformed' | 'credential' | 'type' | 'challenge' | 'expired' | 'origin' | 'rp_id')
  | ('user_present' | 'user_verified' | 'signature' | 'counter');

/** An assertion that a page has sent. */
export interface PasskeyAnswer {
  /** ISO 8601. */
  readonly at: string;
  /** Absent if it was accepted. */
  readonly refusal?: PasskeyRefusal | undefined;
}

export interface Unlink {
  /** ISO 8601. */
  readonly at: string;
  readonly deviceId: string;
  readonly cause: UnlinkCause;
}

/** A page that is open in some browser: what it shows, and what the network knows about it. */
export interface Page extends Omit<PageReport, 'disturbancesReceived'> {
  /** Stays the same over reloads of the tab. */
  readonly id: string;
  /** How long it has shown its QR. */
  readonly qrAgeMs?: number | undefined;
  /** The account whose owner has to type a pairing code that the page shows. */
  readonly codeFor?: string | undefined;
  /** The account that has scanned it, or typed its code, and requires a passkey. */
  readonly passkeyFor?: string | undefined;
  /** True while a request of it has no answer, such as a send that is not confirmed. */
  readonly isWaiting: boolean;
}

/** Events that can be caused in a page; `conflict` and `idle` come from the network. */
type Disturbance = PageDisturbance['kind'] | 'conflict' | 'idle';

/** The arguments of `disturb` after the page: a kind, and its options if it has any. */
export type DisturbArguments =
  | [kind: Exclude<Disturbance, keyof DisturbanceOptions>, options?: undefined]
  | { [K in keyof DisturbanceOptions]: [kind: K, options: DisturbanceOptions[K]] }[keyof DisturbanceOptions];
