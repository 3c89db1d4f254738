import type { LookUp } from '../api.ts';
import type { Addressing, GroupPrivacy, Picture, PictureCode, Platform, Refusal } from '../control/inputs.ts';
import type { PageFault, ServerEvent, WireMedia, WireNotice, WireTextStyle, WireType } from '../page/wire.ts';
import type { Newsletter } from './newsletter.ts';

/** The connection of a page: what the network can do to it. */
export interface Line {
  send(event: ServerEvent): void;
  /** Cuts it as a lost network does. */
  drop(): void;
}

/** A linked device. */
export interface Device {
  readonly id: string;
  /** What it proves itself with. */
  readonly secret: string;
  readonly linkedAt: Date;
  /** There while it is logged in. */
  line: Line | undefined;
  /** Somebody at the page has answered the dialogue that greets a new device. */
  onboarded: boolean;
  /** It has synced once. */
  synced: boolean;
  /** What has come for it and is not confirmed by it yet. */
  readonly waiting: Set<Message>;
}

/** An account, its phone and its linked devices, as the network keeps them. */
export interface AccountRecord {
  readonly kind: 'person';
  readonly number: string;
  /** `<number>@c.us` */
  readonly pn: string;
  /** `<digits>@lid` */
  readonly lid: string;
  name: string;
  readonly platform: Platform;
  readonly addressing: Addressing;
  isBusiness: boolean;
  picture: Picture;
  pictureDelayMs: number;
  /** What the network answers who asks for the picture, whatever there is. */
  pictureCode: PictureCode | undefined;
  groupPrivacy: GroupPrivacy;
  phoneOn: boolean;
  connected: boolean;
  /** How often a device of it has been let in. */
  logins: number;
  /** What is wrong with its pages, from their next load on. */
  fault: PageFault;
  /** What its pages send is never acknowledged. */
  restricted: boolean;
  /** What its pages send is refused. */
  refusal: Refusal;
  /** A passkey is asked for when a device is linked. */
  passkey: boolean;
  /** Others know it by LID alone. */
  readonly hiddenNumber: boolean;
  /** What its devices have asked whether it is registered. */
  readonly lookUps: LookUp[];
  readonly devices: Map<string, Device>;
  /** Who is in its address book, and under which name. */
  readonly book: Map<AccountRecord, string>;
  readonly blocked: Set<AccountRecord>;
  /** Whose number its devices have learned without having it in the book. */
  readonly disclosed: Set<AccountRecord>;
  /** Every message from and to it, in the order in which the server had them. */
  readonly log: Message[];
  /** Those that its phone has not got yet. */
  readonly waiting: Set<Message>;
}

/** What a reply tells of the message that it answers. */
export interface Quote {
  readonly id: string;
  readonly author: AccountRecord;
  readonly body: string;
}

/** What a message carries besides its caption. */
export interface Attachment extends WireMedia {
  /** Hex, of the plain bytes. */
  readonly sha256: string;
}

/** What has happened in a group. */
interface Notice {
  readonly subtype: WireNotice['subtype'];
  readonly recipients: readonly AccountRecord[];
}

/** Somebody's answer to a message. */
interface ReactionRecord {
  readonly id: string;
  readonly emoji: string;
  readonly atMs: number;
}

/** A message as the network keeps it: one for all sides. */
export interface Message {
  /** The stanza id. */
  readonly id: string;
  readonly from: AccountRecord;
  readonly to: Party;
  readonly type: WireType;
  /** The text, or the caption. */
  body: string;
  /** Unix seconds. */
  timestamp: number;
  readonly quoted: Quote | undefined;
  readonly attachment: Attachment | undefined;
  readonly mentions: readonly AccountRecord[];
  readonly notice: Notice | undefined;
  readonly style: WireTextStyle | undefined;
  /** What the network passes on without a look: places, contact cards, invitations. */
  readonly fields: Readonly<Record<string, unknown>> | undefined;
  readonly decryptLateMs: number | undefined;
  /** Pages are not told that it is new. */
  readonly isQuiet: boolean;
  /** 1 on the server, 2 delivered, 3 read; in a group by all. */
  ack: 1 | 2 | 3;
  /** Who it was meant for, and how far it got with each. */
  readonly receipts: Map<AccountRecord, 1 | 2 | 3>;
  readonly reactions: Map<AccountRecord, ReactionRecord>;
  editedAtMs: number | undefined;
  /** There once it was taken back; pages know the message by this id from then on. */
  revocation: { readonly id: string; readonly by: AccountRecord } | undefined;
  /** Who has deleted it for themselves. */
  readonly hiddenFrom: Set<AccountRecord>;
}

/** What somebody may do in a group; there is one superadmin, who made it. */
type Rank = 'superadmin' | 'admin' | 'member';

/** A group, as the network keeps it. */
export interface GroupRecord {
  readonly kind: 'group';
  /** `<18 digits>@g.us` */
  readonly id: string;
  readonly creator: AccountRecord;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Whether members see each other by number or by hidden number. */
  readonly addressing: Addressing;
  subject: string;
  description: { readonly id: string; readonly text: string } | undefined;
  /** Only admins write. */
  announce: boolean;
  /** Only admins change subject and description. */
  restrict: boolean;
  /** Only admins add. */
  adminsAdd: boolean;
  readonly inviteCode: string;
  readonly members: Map<AccountRecord, Rank>;
  /** Who was in it and is not any more; true for who left by themselves. */
  readonly gone: Map<AccountRecord, boolean>;
}

/** The feed of statuses; who sees one is settled when it is posted. */
export interface StatusFeed {
  readonly kind: 'status';
  readonly id: 'status@broadcast';
}

/** Where a message can go: to a person, a group, or the status feed; or where it comes from, a channel. */
export type Party = AccountRecord | GroupRecord | StatusFeed | Newsletter;
