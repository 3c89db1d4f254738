import type { PageSwitches } from './switches.ts';

/** How an account has saved a person. */
export interface WireSaved {
  readonly name: string;
  /** The first name, or the last one. */
  readonly shortName: string;
  /** The address book of the phone has it, too. */
  readonly isOnPhone: boolean;
  /** By hidden number and user name. */
  readonly isByUsername: boolean;
}

/** Where linked devices may save contacts: also in the address book of the phone, only in the app, or not at all. */
export type ContactChanges = 'phone' | 'app' | 'none';

/** A person as an account's linked devices know them; without a name, a stranger. */
export interface WireUser extends Partial<WireSaved> {
  /** `<number>@c.us`; absent where the number is hidden, as of strangers in a group. */
  readonly pn?: string | undefined;
  /** `<digits>@lid` */
  readonly lid: string;
  /** The id that the chat with this person has: one of the two above. */
  readonly chat: string;
  /** The name that the person chose. */
  readonly pushname: string;
  readonly isBusiness: boolean;
  readonly username?: string | undefined;
  readonly isBlocked: boolean;
}

/** Whether an account is shown as online. */
export type WirePresence = 'available' | 'unavailable';

/** Privacy settings of an account, by the network's names: who sees what, and who may add or call it. */
export type WirePrivacy = Readonly<
  Record<'last' | 'online' | 'profile' | 'status' | 'readreceipts' | 'groupadd' | 'calladd', string>
>;
export interface WireBusinessProfile {
  readonly description?: string | undefined;
  readonly address?: string | undefined;
  readonly email?: string | undefined;
  readonly websites: readonly string[];
  readonly categories: readonly string[];
  readonly timezone?: string | undefined;
  /** By day (`mon`), from and to in minutes since midnight; open all day without any. */
  readonly days?: Readonly<Record<string, readonly (readonly [number, number])[]>> | undefined;
}

export interface WireSelf extends WireUser {
  readonly pn: string;
  readonly platform: string;
  readonly privacy: WirePrivacy;
  readonly contactChanges: ContactChanges;
  /** The timer of its messages in new chats, in seconds; 0 for none. */
  readonly messageTimer: number;
}

/** The types of messages that phones know; pages may get others. */
export type WireType =
  | (
      | 'chat'
      | 'image'
      | 'video'
      | 'ptv'
      | 'audio'
      | 'ptt'
      | 'document'
      | 'sticker'
      | 'location'
      | 'vcard'
      | 'multi_vcard'
    )
  | (
      | 'poll_creation'
      | 'groups_v4_invite'
      | 'gp2'
      | 'revoked'
      | 'call_log'
      | 'e2e_notification'
      | 'notification_template'
    );

/** The delivery state of a message for a recipient: 1 on the server, 2 delivered, 3 read. `t` in Unix seconds. */
export interface WireReceipt {
  readonly who: string;
  readonly ack: 1 | 2 | 3;
  readonly t: number;
}

/** What a reply contains of the quoted message. */
export interface WireQuote {
  readonly id: string;
  /** Who wrote it, as `@c.us` or `@lid` id. */
  readonly author: string;
  readonly type: string;
  /** The text, or the caption. */
  readonly body: string;
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
  /** Where it is, if not in the chat of the reply. */
  readonly chat?: string | undefined;
}

/** A file on the media server, as a message names it. */
export interface WireMedia {
  readonly directPath: string;
  readonly mimetype: string;
  readonly filename?: string | undefined;
  readonly size: number;
  /** Base64 of the SHA-256 of the plain bytes. */
  readonly filehash: string;
  readonly encFilehash: string;
  readonly mediaKey: string;
  /** Unix seconds. */
  readonly mediaKeyTimestamp: number;
  readonly isGif?: boolean;
  readonly isViewOnce?: boolean;
}

export interface WireTextStyle {
  /** 0xAARRGGBB */
  readonly backgroundColor: number;
  readonly font: number;
}

/** What a notice in a group is about, and whom it concerns. */
export interface WireNotice {
  readonly subtype:
    | ('create' | 'add' | 'invite' | 'remove' | 'leave' | 'promote' | 'demote')
    | ('subject' | 'description' | 'picture' | 'announce' | 'restrict' | 'member_add_mode')
    | ('membership_approval_mode' | 'membership_approval_request' | 'created_membership_requests');
  readonly recipients: readonly string[];
}

/** A reaction to a message; an empty one was removed. */
export interface WireReaction {
  readonly id: string;
  readonly from: string;
  readonly fromMe: boolean;
  readonly emoji: string;
  readonly atMs: number;
}

/** What a person has chosen in a poll, by the positions of the options. */
export interface WireVote {
  readonly id: string;
  readonly from: string;
  readonly fromMe: boolean;
  readonly options: readonly number[];
  readonly atMs: number;
  /** Its key refers to the poll by the person's other id. */
  readonly byOtherId: boolean;
}

/** A message as one account sees it. */
export interface WireMessage {
  /** The stanza id: the third part of a serialised message id. */
  readonly id: string;
  readonly chat: string;
  readonly from: string;
  readonly to: string;
  readonly fromMe: boolean;
  /** Who wrote it, in groups and in the status feed. */
  readonly author?: string | undefined;
  /** Unix seconds. */
  readonly t: number;
  readonly ack: number;
  readonly type: string;
  /** The text, or the caption. */
  readonly body: string;
  readonly media?: WireMedia | undefined;
  readonly mentions?: readonly string[] | undefined;
  readonly notifyName?: string | undefined;
  readonly quoted?: WireQuote | undefined;
  readonly notice?: WireNotice | undefined;
  readonly style?: WireTextStyle | undefined;
  /** Forwarded without being interpreted. */
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
  readonly reactions: readonly WireReaction[];
  readonly votes?: readonly WireVote[] | undefined;
  readonly editedAtMs?: number | undefined;
  /** Its id before it was deleted for everyone. */
  readonly revokedId?: string | undefined;
  readonly revokedBy?: string | undefined;
  readonly revokedAtMs?: number | undefined;
  /** Delivered without being marked as new. */
  readonly isQuiet?: boolean | undefined;
  /** How long after its arrival it can be decrypted. */
  readonly decryptLateMs?: number | undefined;
  /** It cannot be decrypted; the subtype is the reason. */
  readonly undecrypted?: { readonly subtype?: string | undefined } | undefined;
}

/** A group as one of its members, past ones included, sees it. */
export interface WireGroup {
  readonly id: string;
  readonly subject: string;
  readonly description?: { readonly id: string; readonly text: string } | undefined;
  readonly owner: string;
  /** Unix seconds. */
  readonly creation: number;
  readonly addressing: 'pn' | 'lid';
  readonly announce: boolean;
  readonly restrict: boolean;
  readonly adminsAdd: boolean;
  readonly approveJoins: boolean;
  /** It is a community; or a group of one, or the group for its announcements, with its id. */
  readonly community?: { readonly role: 'parent' | 'announcements' | 'group'; readonly id?: string } | undefined;
  /** False once the account has left or was removed. */
  readonly isMember: boolean;
  readonly participants: readonly { readonly id: string; readonly rank: 'superadmin' | 'admin' | 'member' }[];
}

/** The visible presence of a person, or of a member of a group. */
export interface WireActivity {
  /** The id of the person or the group. */
  readonly id: string;
  /** The member. */
  readonly participant?: string | undefined;
  /** `idle`: stopped typing or recording. */
  readonly type: WirePresence | 'typing' | 'recording_audio' | 'idle';
  /** When the person was last seen, in Unix seconds. */
  readonly t?: number | undefined;
  /** The person hides when they were last seen. */
  readonly deny?: boolean | undefined;
}

/** What an account does in a chat, as others see it. */
export type ChatStateName = 'typing' | 'recording' | 'paused';

/**
 * Whether the phone has older messages than a device: 0 yes, 1 no, 3 it has all of them; on request, 4 it sends no
 * more, 5 it is not allowed to send any.
 */
export type WireOlderMessagesLeft = 0 | 1 | 3 | 4 | 5;

/** What an account has set in a chat, on all its devices. */
export interface WireMarks {
  /** Marked as unread manually. */
  readonly isUnread: boolean;
  readonly isArchived: boolean;
  /** 0 if it is not pinned. */
  readonly pinnedAtMs: number;
  /** Unix seconds; 0 if it is not muted, -1 for forever. */
  readonly mutedUntil: number;
  /** Ids. */
  readonly labels: readonly string[];
  /** After how many seconds its new messages disappear; 0 for never. */
  readonly messageTimer: number;
}

/** A channel as an account sees it. */
export interface WireChannel {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly inviteCode: string;
  readonly role: 'owner' | 'subscriber' | 'guest';
  readonly followers: number;
}

/** The network's limits on writing to people who have not written to the account. */
export interface WireLimits {
  /** Unix ms; null: not locked. */
  readonly timeLockedUntil: number | null;
  /** How many such people it may write to, and has written to, until a time in Unix seconds. Null: any number. */
  readonly newChats: { readonly total: number; readonly used: number; readonly until: number } | null;
}

export interface WireLabel {
  readonly id: string;
  readonly name: string;
  readonly colorIndex: number;
}

/** A chat with its newest messages, oldest first. */
export interface WireChat {
  readonly id: string;
  readonly unreadCount: number;
  readonly left: WireOlderMessagesLeft;
  readonly marks: WireMarks;
  readonly messages: readonly WireMessage[];
  readonly group?: WireGroup | undefined;
  readonly channel?: WireChannel | undefined;
}

/** The preview of a link in a text; empty without one. */
export type WirePreview = Readonly<Partial<Record<(typeof previewFields)[number], unknown>>>;

export const previewFields = ['title', 'description', 'matchedText'] as const;

export type WireDraft = Pick<
  WireMessage,
  'id' | 'chat' | 't' | 'type' | 'body' | 'quoted' | 'media' | 'mentions' | 'style' | 'fields'
> & { readonly hasSecret?: boolean | undefined };

/** The result for one person to add to a group; 200 if added. */
export interface WireParticipantResult {
  readonly id: string;
  readonly code: 200 | 403 | 404 | 408 | 409;
  /** The data of an invitation, if the person can only be invited. */
  readonly invite?: { readonly code: string; readonly expiration: number } | undefined;
}

export type WireMemberAction = 'remove' | 'promote' | 'demote';

/** The settings of a group. */
export type WireGroupChange =
  | { readonly subject: string }
  | { readonly description: WireDescription }
  | { readonly announce: boolean }
  | { readonly restrict: boolean }
  | { readonly adminsAdd: boolean }
  | { readonly approveJoins: boolean };

/** A description, and the id of the one that it replaces; without a text, the description is removed. */
export interface WireDescription {
  readonly id: string;
  readonly text: string;
  readonly previous?: string | undefined;
}

export interface WireCall {
  readonly id: string;
  readonly from: string;
  readonly isVideo: boolean;
  /** Its entry in the page's log while it rings. */
  readonly entry: WireMessage;
}

/** What the network requires to be signed, in the form of the real network. */
export interface PasskeyOptions {
  /** URL-safe base64. */
  readonly challenge: string;
  /** How long the browser may wait for the passkey, in milliseconds. */
  readonly timeout: number;
  readonly rpId: string;
  /** Empty: any passkey of the relying party will do. Ids as URL-safe base64. */
  readonly allowCredentials: readonly { readonly type: 'public-key'; readonly id: string }[];
  readonly userVerification: 'required';
  readonly extensions: { readonly uvm: boolean };
}

/** The answer of the browser; bytes as URL-safe base64. */
export interface PasskeyAssertion {
  readonly id: string;
  readonly rawId: string;
  readonly type: string;
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle: string | null;
  };
}

export type PasskeyScreenName = 'passkey_prompt' | 'passkey_pending' | 'waiting_for_phone' | 'code_matching' | 'error';

/** Dialogs that a test can open: each is one that a program must not close without care. */
export type DialogKind =
  /** Its only button logs the device out, and so does Escape. */
  | 'log-out'
  /** A choice between two harmless buttons; Escape does nothing. */
  | 'refresh'
  /** It cannot be closed. */
  | 'stuck'
  /** Has a title and buttons of choice. */
  | 'titled';

/** A dialog that a test opens. */
export interface DialogOptions {
  readonly which: DialogKind;
  /** Of a `titled` one, which each of its buttons closes, and Escape does not. */
  readonly title?: string | undefined;
  readonly buttons?: readonly string[] | undefined;
  /** The button that logs the device out instead. */
  readonly logOut?: string | undefined;
  /** If it is open for that long, the device is unlinked. */
  readonly unlinkAfterMs?: number | undefined;
}

/** The states of the connection, with the library's names. */
export const socketStates = [
  'CONFLICT',
  'CONNECTED',
  'DEPRECATED_VERSION',
  'OPENING',
  'PAIRING',
  'PROXYBLOCK',
  'SMB_TOS_BLOCK',
  'TIMEOUT',
  'TOS_BLOCK',
  'UNLAUNCHED',
  'UNPAIRED',
  'UNPAIRED_IDLE',
] as const;

export type SocketState = (typeof socketStates)[number];

/** The network's; the page allows a few minutes more. */
export const EDIT_TIME_LIMIT_MS = 15 * 60_000;

export const REVOKE_TIME_LIMIT_MS = 2.5 * 24 * 60 * 60_000;

/** Whether a message of that age, in Unix seconds, is still inside a window. */
export function isWithinTimeLimit(limitMs: number, timestamp: number): boolean {
  return Date.now() - timestamp * 1000 < limitMs;
}

export interface Requests {
  /** The person with this `@c.us` or `@lid` id; null if it is not registered. */
  exists: { params: { jid: string }; result: WireUser | null };
  /** Answered when the server has the message (ack 1), or refuses it. Sending an id twice delivers it once. */
  send: { params: WireDraft; result: { t: number } | { nack: number } };
  /** Up to `limit` messages of a chat before or after a message, or the newest, oldest first; null if it is unknown. */
  history: {
    params: { chat: string; before?: string | undefined; after?: string | undefined; limit: number };
    result: WireMessage[] | null;
  };
  /** Requests older messages of a chat from the phone; its answer is the event `older`. */
  older: { params: { chat: string }; result: null };
  /** The delivery state of a message of the account for each recipient. */
  receipts: { params: { id: string }; result: WireReceipt[] };
  /** Reaches the account's other devices. */
  star: { params: { ids: readonly string[]; isStarred: boolean }; result: null };
  /** Pins a message in its chat for so long, or unpins it with 0. */
  pin: { params: { id: string; seconds: number }; result: null };
  /** A message by its stanza id. */
  message: { params: { id: string }; result: WireMessage | null };
  /** The preview of a link, from the account's phone; never answered while the phone is off. */
  preview: { params: { url: string }; result: { title: string; description: string } };
  /** The dialog for a new device was answered. */
  onboarded: { params: Record<string, never>; result: null };
  /** These three reach all devices, this page included, before they are answered. */
  react: { params: { id: string; emoji: string; reactionId: string; atMs: number }; result: null };
  edit: {
    params: { id: string; body: string; atMs: number; mentions: readonly string[]; preview: WirePreview };
    result: null;
  };
  revoke: { params: { id: string }; result: null };
  /** Deletes messages for this account only. */
  hide: { params: { ids: readonly string[] }; result: null };
  'create-group': {
    params: {
      subject: string;
      participants: readonly string[];
      addressing: 'pn' | 'lid';
      announce: boolean;
      restrict: boolean;
      adminsAdd: boolean;
      messageTimer: number;
    };
    result: { group: WireGroup; participants: WireParticipantResult[] };
  };
  group: { params: { id: string }; result: WireGroup };
  /** The groups of the account. */
  groups: { params: Record<string, never>; result: readonly WireGroup[] };
  'change-group': { params: { id: string; change: WireGroupChange }; result: null };
  'add-to-group': { params: { id: string; who: readonly string[] }; result: WireParticipantResult[] };
  /** A code for each: 200, 406 for the creator of the group, 404 for a person who is not a member. */
  'change-members': { params: { id: string; who: readonly string[]; action: WireMemberAction }; result: number[] };
  'leave-group': { params: { id: string }; result: null };
  /** The code of a group's invite; null for members who may not see it. */
  'invite-code': { params: { id: string }; result: { code: string | null } };
  'renew-invite': { params: { id: string }; result: { code: string } };
  /** The group that an invite is for. */
  invite: { params: { code: string }; result: WireGroup };
  join: { params: { code: string }; result: { id: string; waits: boolean } };
  'join-requests': { params: { id: string }; result: readonly { readonly id: string; readonly t: number }[] };
  /** A code for each: 200, or 404 for a person who does not wait. */
  'answer-join-requests': { params: { id: string; who: readonly string[]; approve: boolean }; result: number[] };
  /** The account has read a chat: the authors get receipts. */
  seen: { params: { chat: string }; result: null };
  'mark-chat': { params: { chat: string; marks: Partial<WireMarks> }; result: null };
  'clear-chat': { params: { chat: string; isDeleted: boolean }; result: null };
  /** Which of the numbers are registered, in any order: `phone` is as requested. And the numbers of hidden ids. */
  'exists-many': {
    params: { phones: readonly string[]; lids: readonly string[] };
    result: {
      phones: { phone: string; pn: string | undefined; lid: string | undefined }[];
      lids: { lid: string; pn: string | undefined }[];
    };
  };
  block: { params: { id: string; isBlocked: boolean }; result: null };
  /** Saves a person, or deletes the contact; null: nobody has that number. Reaches the account's other devices. */
  'set-contact': { params: { id: string; saved: WireSaved | null }; result: WireUser | null };
  'business-profile': { params: { id: string }; result: WireBusinessProfile | null };
  /** The code is 401 for a picture that is private, 404 where there is none, and others. */
  picture: { params: { id: string }; result: { readonly url: string } | { readonly code: number } };
  /** A channel by its id or invite code, with its newest messages; refused with 404 if there is none. */
  channel: { params: { key: string }; result: { channel: WireChannel; chat: WireChat } };
  'follow-channel': { params: { id: string }; result: null };
  /** The account's additions to posts of a channel. */
  'channel-add-ons': { params: { id: string }; result: null };
  'unfollow-channel': { params: { id: string }; result: null };
  /** The account has seen a status. */
  'see-status': { params: { id: string }; result: null };
  /** A person's about text, unless it is hidden. */
  about: { params: { id: string }; result: { about: string; isHidden: boolean } };
  /** Changes of the account itself. */
  'set-name': { params: { name: string }; result: null };
  'set-about': { params: { about: string }; result: null };
  /** The picture of a group or of the account: a JPEG in base64; null removes it. */
  'set-picture': { params: { id: string; data: string | null }; result: null };
  'set-privacy': { params: { name: keyof WirePrivacy; value: string }; result: null };
  presence: { params: { presence: WirePresence }; result: null };
  /** Subscribes to what a person, by hidden id, or the members of a group do, until the connection ends. */
  'subscribe-presence': { params: { id: string }; result: null };
  /** Rejects the call that rings. */
  'reject-call': { params: { id: string }; result: null };
  /** The person with a user name; null: nobody has it, `needsPin`: the PIN is missing or wrong. */
  username: { params: { name: string; pin?: string | undefined }; result: WireUser | { needsPin: true } | null };
  limits: { params: Record<string, never>; result: WireLimits };
  /** Unlinks this device. */
  logout: { params: Record<string, never>; result: null };
}

export type RequestName = keyof Requests;

/** Requests of a page that is not linked, by name. */
export interface PairingRequests {
  /** A code with which the owner of that number can link it; refused with a status that the page knows. */
  code: { params: { phone: string }; result: { code: string } };
  /** What a passkey has to sign. */
  'passkey-options': { params: Record<string, never>; result: PasskeyOptions };
  'passkey-proof': { params: { assertion: PasskeyAssertion }; result: null };
  /** The code on the phone is that of the page. */
  'passkey-confirm': { params: Record<string, never>; result: null };
}

export type PairingRequestName = keyof PairingRequests;

type RequestMessage<T extends string, R extends { [N in keyof R]: { params: unknown } }> = {
  readonly [N in keyof R]: {
    readonly type: T;
    readonly request: number;
    readonly name: N;
    readonly params: R[N]['params'];
  };
}[keyof R];

/** Messages from a page on `/ws/chat`. */
export type PageMessage =
  /** Not linked: requests QR references, with the keys in its QR, and how the device names itself. */
  | {
      readonly type: 'register';
      readonly noiseKey: string;
      readonly identityKey: string;
      readonly deviceProps?: string | undefined;
    }
  /** `keys` is how often the keys in this profile have advanced. */
  | { readonly type: 'login'; readonly deviceId: string; readonly secret: string; readonly keys: number }
  /** The keys have advanced, and the count is on the disk. */
  | { readonly type: 'keys'; readonly count: number }
  /** Confirms a message; without it, the message is delivered again at the next login. */
  | { readonly type: 'received'; readonly id: string }
  /** Confirms an event. */
  | { readonly type: 'confirmed'; readonly confirm: number }
  /** What the account does in a chat, by its jid. There is no answer. */
  | { readonly type: 'chat-state'; readonly to: string; readonly state: ChatStateName }
  /** The user does not show a passkey. */
  | { readonly type: 'passkey-cancelled' }
  /** The user no longer links by a code. */
  | { readonly type: 'code-cancelled' }
  /** Requests new references after the last one has expired. */
  | { readonly type: 'refresh'; readonly deviceProps?: string | undefined }
  | RequestMessage<'request', Requests>
  | RequestMessage<'pairing-request', PairingRequests>;

/** Messages from the network on `/ws/chat`. */
export type ServerEvent =
  | { readonly type: 'ref'; readonly ref: string }
  | { readonly type: 'refs-ended' }
  | { readonly type: 'pairing' }
  /** The owner has scanned the QR; there is no link without a passkey. */
  | { readonly type: 'passkey'; readonly options: PasskeyOptions }
  /** The owner has continued on the phone, which shows this code; `confirmed` if it need not be compared. */
  | { readonly type: 'phone-continues'; readonly code: string; readonly confirmed: boolean }
  | { readonly type: 'paired'; readonly deviceId: string; readonly secret: string }
  /** The login was accepted: all data for the device. */
  | {
      readonly type: 'welcome';
      readonly self: WireSelf;
      /** False until the page has answered the dialog for a new device. */
      readonly onboarded: boolean;
      /** This device has synced before. */
      readonly synced: boolean;
      readonly labels: readonly WireLabel[];
      readonly limits: WireLimits;
      readonly users: readonly WireUser[];
      readonly chats: readonly WireChat[];
    }
  /** More data for the device, such as the address book after it has changed. */
  | { readonly type: 'news'; readonly users: readonly WireUser[]; readonly chats: readonly WireChat[] }
  /** How much of the messages from the device's time offline has been delivered. */
  | { readonly type: 'progress'; readonly percent: number }
  | { readonly type: 'synced' }
  /** Confirmed once everything before it is handled. */
  | { readonly type: 'check'; readonly confirm: number }
  | { readonly type: 'message'; readonly message: WireMessage; readonly user?: WireUser | undefined }
  /** A message has changed: its text, age or reactions; or it was deleted for everyone. */
  | {
      readonly type: 'changed';
      readonly message: WireMessage;
      readonly user?: WireUser | undefined;
      readonly confirm?: number | undefined;
    }
  /** Deleted elsewhere for this account, by page message id. */
  | { readonly type: 'hidden'; readonly keys: readonly string[] }
  | { readonly type: 'group'; readonly group: WireGroup; readonly users: readonly WireUser[] }
  | { readonly type: 'ack'; readonly keys: readonly string[]; readonly ack: number }
  /** The account now uses another app on its phone, such as that for businesses. */
  | { readonly type: 'platform'; readonly platform: string }
  | { readonly type: 'contact-changes'; readonly contactChanges: ContactChanges }
  /** All labels of the account, after a change. */
  | { readonly type: 'labels'; readonly labels: readonly WireLabel[] }
  /** The account's limits, after a change. */
  | { readonly type: 'limits'; readonly limits: WireLimits }
  /** The marks that another device has set in a chat. */
  | { readonly type: 'marks'; readonly chat: string; readonly marks: WireMarks }
  | { readonly type: 'activity'; readonly activity: WireActivity }
  /** The phone sends older messages of a chat, or reports why it does not. */
  | { readonly type: 'older'; readonly chat: string; readonly left: WireOlderMessagesLeft }
  /** A call rings; null: none rings. */
  | { readonly type: 'call'; readonly call: WireCall | null }
  /** Its messages were deleted on another device; with `isDeleted`, the chat. */
  | { readonly type: 'cleared'; readonly chat: string; readonly isDeleted: boolean }
  /** The chat was read elsewhere. */
  | { readonly type: 'chat-read'; readonly chat: string }
  /**
   * Unlinked: the page raises the event `times` times, and with `unpaired` goes through state UNPAIRED before it
   * reloads.
   */
  | { readonly type: 'logged-out'; readonly times: number; readonly unpaired: boolean }
  | { readonly type: 'conflict' }
  | { readonly type: 'answer'; readonly request: number; readonly result: unknown }
  | { readonly type: 'refused'; readonly request: number; readonly status: number; readonly message: string };

/** What a page reports on `/ws/test-control`: what a user in front of it would see. */
export interface PageReport {
  readonly socketState: string;
  readonly hasSynced: boolean;
  /** The text of the QR on the screen. */
  readonly qr?: string | undefined;
  /** The screen for a passkey that covers the page, and its code. */
  readonly passkeyScreen?: PasskeyScreenName | undefined;
  readonly verificationCode?: string | undefined;
  /** The number of the account that it is linked to. */
  readonly number?: string | undefined;
  /** The last value that a test wrote in this browser profile. */
  readonly lastWrite?: string | undefined;
  /** How the browser identifies itself: `navigator.userAgent`, and the names in `navigator.userAgentData`. */
  readonly browser: { readonly userAgent: string; readonly brands: readonly string[] };
  /** On this connection; reported before each is performed, since some block the page. */
  readonly disturbancesReceived: number;
}

export interface DisturbanceOptions {
  /** How long the page's main thread is busy. */
  readonly block: { readonly ms: number };
  /** The page keeps allocating memory, until it is reloaded. */
  readonly leak: { readonly mbPerSecond: number };
  /** The state of the socket, until something else sets it. */
  readonly state: { readonly state: SocketState };
  /** Written to localStorage. */
  readonly write: { readonly value: string };
  /** The page allocates that much memory, once, and keeps it until it is reloaded. */
  readonly grow: { readonly mb: number };
  /** A dialog opens. */
  readonly dialog: DialogOptions;
}

/** What a test does to a page; `deaf` removes all listeners from its messages, `broken` makes its modules throw. */
export type PageDisturbance =
  | { readonly kind: 'reload' | 'pushState' | 'iframe' | 'sync' | 'deaf' | 'broken' }
  | {
      readonly [K in keyof DisturbanceOptions]: { readonly kind: K } & DisturbanceOptions[K];
    }[keyof DisturbanceOptions];

export type PageFault =
  | 'none'
  /** The document begins and never ends. */
  | 'document'
  /** An image of the page never loads, and so the page never fires `load`; its scripts run. */
  | 'image'
  /** The socket state stays at OPENING: the page's login is never accepted. */
  | 'state'
  /** The page's login is accepted, and it never syncs. */
  | 'sync';

export interface PageSettings extends PageSwitches {
  readonly fault: PageFault;
}
