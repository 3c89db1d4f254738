import type { LookUp, PasskeyAnswer, Unlink } from '../api.ts';
import type {
  Addressing,
  CodeRefusal,
  GroupPrivacy,
  OldMessages,
  PasskeyHandoff,
  Picture,
  PictureCode,
  Platform,
  Refusal,
} from '../control/inputs.ts';
import type {
  PageFault,
  ServerEvent,
  WireBusinessProfile,
  WireCall,
  WireLabel,
  WireMarks,
  WireMedia,
  WireNotice,
  WirePresence,
  WirePrivacy,
  WireTextStyle,
  WireType,
} from '../page/wire.ts';
import type { PasskeyRecord } from './passkey-assertion.ts';

/** The connection of a page, as the network uses it. */
export interface Line {
  send(event: ServerEvent): void;
  /** Closes it, as a lost connection. */
  drop(): void;
}

/** A linked device. */
export interface Device {
  readonly id: string;
  /** Its credential at login. */
  readonly secret: string;
  readonly linkedAt: Date;
  /** How often its keys have advanced; a profile with a lower count is an old copy. */
  keys: number;
  /** Defined while it is logged in. */
  line: Line | undefined;
  /** The dialogue for a new device was answered in the page. */
  onboarded: boolean;
  /** It has completed a sync. */
  synced: boolean;
  /** The presence that it reported last. */
  presence: WirePresence;
  /** Messages that it has not confirmed yet. */
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
  about: string;
  /** Its about text is hidden from everyone. */
  hidesAbout: boolean;
  privacy: WirePrivacy;
  readonly platform: Platform;
  readonly addressing: Addressing;
  isBusiness: boolean;
  picture: Picture;
  /** The picture that a page has set; otherwise the default one. */
  jpeg: Buffer | undefined;
  pictureDelayMs: number;
  /** Answered to every request for the picture, if defined. */
  pictureCode: PictureCode | undefined;
  groupPrivacy: GroupPrivacy;
  phoneOn: boolean;
  connected: boolean;
  /** How often its devices have logged in. */
  logins: number;
  /** The fault of its pages, from their next load on. */
  fault: PageFault;
  /** Messages from its pages are never acknowledged. */
  restricted: boolean;
  /** How messages from its pages are refused. */
  refusal: Refusal;
  /** Linking a device requires a passkey. */
  passkey: boolean;
  /** By credential id. */
  readonly passkeys: Map<string, PasskeyRecord>;
  readonly passkeyAnswers: PasskeyAnswer[];
  /** What follows a passkey. */
  passkeyHandoff: PasskeyHandoff;
  /** Answered to every request for a pairing code, if defined. */
  codeRefusal: CodeRefusal | undefined;
  /** Others get only its LID. */
  readonly hiddenNumber: boolean;
  /** The ids whose registration its devices have checked. */
  readonly lookUps: LookUp[];
  readonly devices: Map<string, Device>;
  /** The devices that were unlinked, oldest first. */
  readonly unlinks: Unlink[];
  /** Its address book: people with their names. */
  readonly book: Map<AccountRecord, string>;
  readonly blocked: Set<AccountRecord>;
  /** Of a business account. */
  businessProfile: WireBusinessProfile | undefined;
  /** People whose number its devices know although they are not in the address book. */
  readonly disclosed: Set<AccountRecord>;
  /** All messages from and to it, in the order in which the server got them. */
  readonly log: Message[];
  /** Those that its phone does not have yet. */
  readonly waiting: Set<Message>;
  /** The call that rings in its pages. */
  ringing: { readonly caller: AccountRecord; readonly call: WireCall } | undefined;
  /** Its owner has the app open on the phone; and when that was last so. */
  appOpen: boolean;
  lastSeenMs: number | undefined;
  /** Those that its devices do not have: they get the newest of them when they ask for more. */
  readonly onlyOnPhone: Set<Message>;
  /** What its phone answers then. */
  oldMessages: OldMessages;
  /** Chats that it shows although they have no messages, and those that it has deleted. */
  readonly keptChats: Set<Party>;
  readonly deletedChats: Set<Party>;
  /** Its labels, if it is a business account. */
  labels: readonly WireLabel[];
  /** What it has set in its chats. */
  readonly marks: Map<Party, WireMarks>;
  /** Requests of its devices that are refused, with the status of each. */
  readonly refusedRequests: Map<string, number>;
}

/** What a reply contains of the quoted message. */
export interface Quote {
  readonly id: string;
  readonly author: AccountRecord;
  readonly body: string;
  /** Where it is, if not in the chat of the reply. */
  readonly chat?: Party | undefined;
}

/** The file of a message. */
export interface Attachment extends WireMedia {
  /** Hex, of the plain bytes. */
  readonly sha256: string;
}

/** An event in a group. */
interface Notice {
  readonly subtype: WireNotice['subtype'];
  readonly recipients: readonly AccountRecord[];
}

/** A reaction to a message. */
interface ReactionRecord {
  readonly id: string;
  /** Empty once it was removed: devices that were offline get that, too. */
  readonly emoji: string;
  readonly atMs: number;
}

/** The options that a person has chosen in a poll; none once the vote was removed. */
interface VoteRecord {
  readonly id: string;
  readonly options: readonly number[];
  readonly atMs: number;
  /** Its key refers to the poll by the person's other id. */
  readonly byOtherId: boolean;
}

/** A message as the network stores it: one record for all participants. */
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
  mentions: readonly AccountRecord[];
  readonly notice: Notice | undefined;
  readonly style: WireTextStyle | undefined;
  /** The page that sent it included a secret. */
  readonly hasSecret: boolean | undefined;
  /** Forwarded without being interpreted: places, contact cards, polls, invitations. */
  fields: Readonly<Record<string, unknown>> | undefined;
  readonly decryptLateMs: number | undefined;
  /** Pages do not get `isNewMsg` for it. */
  readonly isQuiet: boolean;
  /** 1 on the server, 2 delivered, 3 read; in a group by all. */
  ack: 1 | 2 | 3;
  /** Its recipients, with the ack of each. */
  readonly receipts: Map<AccountRecord, 1 | 2 | 3>;
  /** When each of these was raised last, in Unix seconds. */
  readonly receiptTimes: Map<AccountRecord, number>;
  /** The accounts that have starred it. */
  readonly starredBy: Set<AccountRecord>;
  /** Until when it is pinned in its chat, in Unix ms. */
  pinnedUntilMs: number | undefined;
  readonly reactions: Map<AccountRecord, ReactionRecord>;
  /** Of a poll: what each person has chosen. */
  readonly votes: Map<AccountRecord, VoteRecord>;
  editedAtMs: number | undefined;
  /** Defined once it was deleted for everyone; pages then know the message by this id. */
  revocation: { readonly id: string; readonly by: AccountRecord; readonly atMs: number } | undefined;
  /** The accounts that have deleted it for themselves. */
  readonly hiddenFrom: Set<AccountRecord>;
}

/** The rank of a member; the only superadmin is the creator of the group. */
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
  /** An admin approves who joins by the invite. */
  approveJoins: boolean;
  /** The network answers changes of settings with success, and makes none. */
  ignoresSettings: boolean;
  inviteCode: string;
  /** Invite codes that are not valid any more. */
  readonly revokedCodes: Set<string>;
  /** The people who wait for approval, and since when, in Unix seconds. */
  readonly requests: Map<AccountRecord, number>;
  /** A JPEG. */
  picture: Buffer | undefined;
  readonly members: Map<AccountRecord, Rank>;
  /** Former members; true for those who left by themselves. */
  readonly gone: Map<AccountRecord, boolean>;
}

/** The feed of statuses; the audience of each is fixed when it is posted. */
export interface StatusFeed {
  readonly kind: 'status';
  readonly id: 'status@broadcast';
}

/** A channel. Its author is not visible. */
export interface Newsletter {
  readonly kind: 'newsletter';
  /** `<18 digits>@newsletter` */
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly inviteCode: string;
  /** Absent for a channel that exists only through a notice: it has no owner. */
  readonly owner: AccountRecord | undefined;
  readonly followers: Set<AccountRecord>;
  /** What was posted, oldest first. */
  readonly log: Message[];
}

/** The target of a message: a person, a group or the status feed; or its source, a channel. */
export type Party = AccountRecord | GroupRecord | StatusFeed | Newsletter;
