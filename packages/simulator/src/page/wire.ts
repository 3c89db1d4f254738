import type { DialogueKind } from './dialogues.ts';
import type { PasskeyScreenName } from './models/passkey-view.ts';
import type { PasskeyAssertion, PasskeyOptions } from './passkey-ceremony.ts';
import type { SocketState } from './socket-states.ts';
import type { PageSwitches } from './switches.ts';
import type {
  ChatStateName,
  WireActivity,
  WireBusinessProfile,
  WireCall,
  WireChannel,
  WireChat,
  WireDraft,
  WireGroup,
  WireGroupChange,
  WireGroupDraft,
  WireLabel,
  WireLeft,
  WireMarks,
  WireMemberAction,
  WireMessage,
  WireParticipantResult,
  WirePicture,
  WirePresence,
  WirePreview,
  WirePrivacy,
  WireReceipt,
  WireSelf,
  WireUser,
} from './wire-values.ts';

export type * from './wire-values.ts';

/** Requests of a page to the network, by name. */
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
  /** The dialogue for a new device was answered. */
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
  'create-group': { params: WireGroupDraft; result: { group: WireGroup; participants: WireParticipantResult[] } };
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
  'business-profile': { params: { id: string }; result: WireBusinessProfile | null };
  picture: { params: { id: string }; result: WirePicture };
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
  /** Unlinks this device. */
  logout: { params: Record<string, never>; result: null };
}

export type RequestName = keyof Requests;

/** Requests of a page that is not linked, by name. */
export interface OfferRequests {
  /** A code with which the owner of that number can link it; refused with a status that the page knows. */
  code: { params: { phone: string }; result: { code: string } };
  /** What a passkey has to sign. */
  'passkey-options': { params: Record<string, never>; result: PasskeyOptions };
  'passkey-proof': { params: { assertion: PasskeyAssertion }; result: null };
  /** The code on the phone is that of the page. */
  'passkey-confirm': { params: Record<string, never>; result: null };
}

export type OfferRequestName = keyof OfferRequests;

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
  /** Not linked: requests QR references, with the keys in its QR. */
  | { readonly type: 'register'; readonly noiseKey: string; readonly identityKey: string }
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
  | { readonly type: 'refresh' }
  | RequestMessage<'request', Requests>
  | RequestMessage<'offer-request', OfferRequests>;

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
      /** False until the page has answered the dialogue for a new device. */
      readonly onboarded: boolean;
      /** This device has synced before. */
      readonly synced: boolean;
      readonly labels: readonly WireLabel[];
      readonly users: readonly WireUser[];
      readonly chats: readonly WireChat[];
    }
  /** More data for the device, such as the address book after it has changed. */
  | { readonly type: 'news'; readonly users: readonly WireUser[]; readonly chats: readonly WireChat[] }
  /** How much of the messages from the device's time offline has been delivered. */
  | { readonly type: 'progress'; readonly percent: number }
  | { readonly type: 'synced' }
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
  /** All labels of the account, after a change. */
  | { readonly type: 'labels'; readonly labels: readonly WireLabel[] }
  /** The marks that another device has set in a chat. */
  | { readonly type: 'marks'; readonly chat: string; readonly marks: WireMarks }
  | { readonly type: 'activity'; readonly activity: WireActivity }
  /** The phone sends older messages of a chat, or reports why it does not. */
  | { readonly type: 'older'; readonly chat: string; readonly left: WireLeft }
  /** A call rings; null: none does any more. */
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

/** What a page reports on `/ws/stage`: what a user in front of it would see. */
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
  /** How many cues this connection has received; reported before each is played, since some block the page. */
  readonly cuesTaken: number;
}

/** The options of some cues. */
export interface CueOptions {
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
  /** A dialogue opens. */
  readonly dialogue: { readonly which: DialogueKind };
}

/** The cues for a page; `deaf` removes all listeners from its messages, `broken` makes its modules throw. */
export type StageCue =
  | { readonly kind: 'reload' | 'pushState' | 'iframe' | 'sync' | 'deaf' | 'broken' }
  | { readonly [K in keyof CueOptions]: { readonly kind: K } & CueOptions[K] }[keyof CueOptions];

/** The fault of an account's pages. */
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

/** The settings in a page's document. */
export interface PageSettings extends PageSwitches {
  readonly fault: PageFault;
}
