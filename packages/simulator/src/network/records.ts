import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { LookUp, PasskeyAnswer, Unlink } from '../api.ts';
import type {
  AccountSeed,
  Addressing,
  CodeRefusal,
  GroupPrivacy,
  OlderMessagesAnswer,
  PasskeyHandoff,
  Picture,
  PictureCode,
  Platform,
  Refusal,
} from '../control/inputs.ts';
import type {
  ContactChanges,
  PageFault,
  ServerEvent,
  WireBusinessProfile,
  WireCall,
  WireGroup,
  WireLabel,
  WireLimits,
  WireMarks,
  WireMedia,
  WireNotice,
  WirePresence,
  WirePrivacy,
  WireSaved,
  WireTextStyle,
} from '../page/wire.ts';
import type { PasskeyRecord } from './passkey.ts';

/** The connection of a page, as the network uses it. */
export interface Connection {
  send(event: ServerEvent): void;
  /** Closes it, as a lost connection. */
  drop(): void;
}

export class Device {
  readonly id: string = randomUUID();
  /** Its credential at login. */
  readonly secret = randomBytes(16).toString('hex');
  readonly linkedAt = new Date();
  /** As the page registered it: what the phone shows in its list of linked devices. */
  name = 'Unknown device';
  /** How often its keys have advanced; a profile with a lower count is an old copy. */
  keys = 0;
  /** Defined while it is logged in. */
  connection: Connection | undefined;
  /** The dialog for a new device was answered in the page. */
  onboarded = false;
  /** It has completed a sync. */
  synced = false;
  /** The presence that it reported last. */
  presence: WirePresence = 'unavailable';
  readonly waiting = new Set<Message>();
}

/** An account, its phone and its linked devices, as the network keeps them. At first its phone is on. */
export class AccountRecord {
  readonly kind = 'person';
  readonly number: string;
  /** `<number>@c.us` */
  readonly pn: string;
  /** `<digits>@lid`, of a bot `<digits>@bot`. */
  readonly lid: string;
  name: string;
  /** The name by which others find it, and the PIN that they need; undefined for none. */
  username: string | undefined;
  usernamePin: string | undefined;
  about = '';
  /** Its about text is hidden from everyone. */
  hidesAbout = false;
  privacy: WirePrivacy = {
    last: 'all',
    online: 'all',
    profile: 'all',
    status: 'all',
    readreceipts: 'all',
    groupadd: 'all',
    calladd: 'all',
  };
  /** The timer of its messages in new chats, in seconds; 0 for none. */
  messageTimer = 0;
  readonly platform: Platform;
  readonly addressing: Addressing;
  isBusiness = false;
  picture: Picture = 'none';
  /** The picture that a page has set; otherwise the default one. */
  jpeg: Buffer | undefined;
  pictureDelayMs = 0;
  /** Answered to every request for the picture, if defined. */
  pictureCode: PictureCode | undefined;
  groupPrivacy: GroupPrivacy = 'all';
  phoneOn = true;
  connected = true;
  /** How often its devices have logged in. */
  logins = 0;
  /** The fault of its pages, from their next load on. */
  fault: PageFault = 'none';
  /** Messages from its pages are never acknowledged. */
  restricted = false;
  /** How messages from its pages are refused. */
  refusal: Refusal = { kind: 'none' };
  passkey = false;
  /** By credential id. */
  readonly passkeys = new Map<string, PasskeyRecord>();
  readonly passkeyAnswers: PasskeyAnswer[] = [];
  /** What follows a passkey. */
  passkeyHandoff: PasskeyHandoff = 'automatic';
  /** Answered to every request for a pairing code, if defined. */
  codeRefusal: CodeRefusal | undefined;
  /** Others get only its LID. */
  readonly hiddenNumber: boolean;
  /** Other forms of its number, by which look-ups find it. */
  readonly otherNumbers: readonly string[];
  readonly lookUps: LookUp[] = [];
  readonly devices = new Map<string, Device>();
  /** The devices that were unlinked, oldest first. */
  readonly unlinks: Unlink[] = [];
  /** Its contacts, and how they are saved. */
  readonly book = new Map<AccountRecord, WireSaved>();
  /** Where its phone lets linked devices save contacts. */
  contactChanges: ContactChanges = 'phone';
  readonly blocked = new Set<AccountRecord>();
  /** Of a business account. */
  businessProfile: WireBusinessProfile | undefined;
  /** People whose number its devices know although they are not in the address book. */
  readonly disclosed = new Set<AccountRecord>();
  /** All messages from and to it, in the order in which the server got them. */
  readonly log: Message[] = [];
  /** Those that its phone does not have yet. */
  readonly waiting = new Set<Message>();
  /** The call that rings in its pages. */
  ringing: { readonly caller: AccountRecord; readonly call: WireCall } | undefined;
  /** Its owner has the app open on the phone; and when that was last so. */
  appOpen = false;
  lastSeenMs: number | undefined;
  /** Those that its devices do not have: they get the newest of them when they ask for more. */
  readonly olderMessages = new Set<Message>();
  /** What its phone answers then. */
  olderMessagesAnswer: OlderMessagesAnswer = 'shared';
  /** Chats that it shows although they have no messages, and those that it has deleted. */
  readonly keptChats = new Set<Peer>();
  readonly deletedChats = new Set<Peer>();
  /** Its labels, if it is a business account. */
  labels: readonly WireLabel[] = [];
  limits: WireLimits = { timeLockedUntil: null, newChats: null };
  /** What it has set in its chats. */
  readonly marks = new Map<Peer, WireMarks>();
  /** Requests of its devices that are refused, with the status of each. */
  readonly refusedRequests = new Map<string, number>();
  /** How many requests were refused as set, including messages. */
  refusals = 0;

  constructor({
    number,
    name,
    lid = randomLid(),
    platform = 'android',
    addressing = 'pn',
    hiddenNumber = false,
    username,
    otherNumbers = [],
  }: AccountSeed) {
    this.number = number;
    this.name = name;
    this.pn = `${number}@c.us`;
    this.lid = lid.includes('@') ? lid : `${lid}@lid`;
    this.platform = platform;
    this.addressing = hiddenNumber ? 'lid' : addressing;
    this.hiddenNumber = hiddenNumber;
    this.username = username;
    this.otherNumbers = otherNumbers;
  }
}

function randomLid(): string {
  return `9${String(randomInt(1e13)).padStart(13, '0')}`;
}

/** What a reply contains of the quoted message. */
export interface Quote {
  readonly id: string;
  readonly author: AccountRecord;
  readonly type: string;
  /** The text, or the caption. */
  readonly body: string;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
  /** Where it is, if not in the chat of the reply. */
  readonly chat?: Peer | undefined;
}

export interface Attachment extends WireMedia {
  /** Hex, of the plain bytes. */
  readonly sha256: string;
}

interface Notice {
  readonly subtype: WireNotice['subtype'];
  readonly recipients: readonly AccountRecord[];
}

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

/** The fields that every message has, and those that only some have. */
export type MessageParts = Pick<Message, 'id' | 'from' | 'to'> & Partial<Message>;

/** A message as the network stores it: one record for all participants. */
export class Message {
  /** The stanza id. */
  readonly id!: string;
  readonly from!: AccountRecord;
  readonly to!: Peer;
  readonly type: string = 'chat';
  /** The text, or the caption. */
  body = '';
  /** Unix seconds. */
  timestamp = Math.floor(Date.now() / 1000);
  readonly quoted: Quote | undefined;
  readonly attachment: Attachment | undefined;
  mentions: readonly AccountRecord[] = [];
  readonly notice: Notice | undefined;
  readonly style: WireTextStyle | undefined;
  /** The page that sent it included a secret. */
  readonly hasSecret: boolean | undefined;
  /** Forwarded without being interpreted: places, contact cards, polls, invitations. */
  fields: Readonly<Record<string, unknown>> | undefined;
  readonly decryptLateMs: number | undefined;
  /** Pages cannot decrypt it; the subtype is their reason. */
  undecrypted: { readonly subtype?: string | undefined } | undefined;
  /** Pages do not get `isNewMsg` for it. */
  readonly isQuiet: boolean = false;
  /** 1 on the server, 2 delivered, 3 read; in a group by all. */
  ack: 1 | 2 | 3 = 1;
  /** Its recipients, with the ack of each. */
  readonly receipts = new Map<AccountRecord, 1 | 2 | 3>();
  /** When each of these was raised last, in Unix seconds. */
  readonly receiptTimes = new Map<AccountRecord, number>();
  readonly starredBy = new Set<AccountRecord>();
  /** Until when it is pinned in its chat, in Unix ms. */
  pinnedUntilMs: number | undefined;
  readonly reactions = new Map<AccountRecord, ReactionRecord>();
  /** Of a poll: what each person has chosen. */
  readonly votes = new Map<AccountRecord, VoteRecord>();
  editedAtMs: number | undefined;
  /** Defined once it was deleted for everyone; pages then know the message by this id. */
  revocation: { readonly id: string; readonly by: AccountRecord; readonly atMs: number } | undefined;
  /** The accounts that have deleted it for themselves. */
  readonly hiddenFrom = new Set<AccountRecord>();

  constructor(parts: MessageParts) {
    Object.assign(this, parts);
  }
}

/** The rank of a member; the only superadmin is the creator of the group. */
type Rank = 'superadmin' | 'admin' | 'member';

export interface NewGroup {
  /** Random by default. */
  readonly id?: string | undefined;
  readonly subject: string;
  readonly addressing: Addressing;
  readonly announce?: boolean;
  readonly restrict?: boolean;
  readonly adminsAdd?: boolean;
  /** Seconds; default 0. */
  readonly messageTimer?: number;
  /** Random by default. */
  readonly inviteCode?: string | undefined;
  readonly community?: WireGroup['community'];
}

/** A group, as the network keeps it. */
export class GroupRecord {
  readonly kind = 'group';
  /** `<18 digits>@g.us` */
  readonly id: string;
  readonly creator: AccountRecord;
  /** Unix seconds. */
  readonly createdAt = Math.floor(Date.now() / 1_000);
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
  /** After how many seconds its messages disappear; 0 for never. */
  readonly messageTimer: number;
  /** An admin approves who joins by the invite. */
  approveJoins = false;
  /** The network answers changes of settings with success, and makes none. */
  ignoresSettings = false;
  /** It is a community, or in one. */
  readonly community: WireGroup['community'];
  inviteCode: string;
  /** Invite codes that are no longer valid. */
  readonly revokedCodes = new Set<string>();
  /** The people who wait for approval, and since when, in Unix seconds. */
  readonly requests = new Map<AccountRecord, number>();
  /** A JPEG. */
  picture: Buffer | undefined;
  readonly members: Map<AccountRecord, Rank>;
  /** Former members; true for those who left by themselves. */
  readonly gone = new Map<AccountRecord, boolean>();

  /** With its creator as the only member. */
  constructor(creator: AccountRecord, draft: NewGroup) {
    this.id = draft.id ?? `120363${String(randomInt(1e12)).padStart(12, '0')}@g.us`;
    this.creator = creator;
    this.members = new Map([[creator, 'superadmin']]);
    this.subject = draft.subject;
    this.addressing = draft.addressing;
    this.announce = draft.announce ?? false;
    this.restrict = draft.restrict ?? false;
    this.adminsAdd = draft.adminsAdd ?? false;
    this.messageTimer = draft.messageTimer ?? 0;
    this.community = draft.community;
    this.inviteCode = draft.inviteCode ?? createInviteCode();
  }
}

/** The last part of a link that lets people join. */
export function createInviteCode(): string {
  return randomBytes(16).toString('base64url');
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
export type Peer = AccountRecord | GroupRecord | StatusFeed | Newsletter;
