/** A person as an account's linked devices know them. */
export interface WireUser {
  /** `<number>@c.us`; absent where the number is hidden, as of strangers in a group. */
  readonly pn?: string;
  /** `<digits>@lid` */
  readonly lid: string;
  /** The id that the chat with this person has: one of the two above. */
  readonly chat: string;
  /** The name that the person chose. */
  readonly pushname: string;
  /** The name in the account's address book; absent for strangers. */
  readonly name?: string;
  readonly isBusiness: boolean;
  readonly isBlocked: boolean;
}

/** The account that a device is linked to. */
export interface WireSelf extends WireUser {
  readonly pn: string;
  readonly platform: string;
}

/** What kind of thing a message is, in the words of the page. */
export type WireType =
  | ('chat' | 'image' | 'video' | 'audio' | 'ptt' | 'document' | 'sticker' | 'location' | 'vcard' | 'multi_vcard')
  | ('groups_v4_invite' | 'gp2' | 'revoked');

/** What a reply tells of the message that it answers. */
export interface WireQuote {
  readonly id: string;
  /** Who wrote it, as `@c.us` or `@lid` id. */
  readonly author: string;
  readonly body: string;
}

/** A file on the media server, as a message names it. */
export interface WireMedia {
  readonly directPath: string;
  readonly mimetype: string;
  readonly filename?: string;
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

/** How a text status looks. */
export interface WireTextStyle {
  /** 0xAARRGGBB */
  readonly backgroundColor: number;
  readonly font: number;
}

/** What a notice in a group is about, and whom it concerns. */
export interface WireNotice {
  readonly subtype:
    | ('create' | 'add' | 'invite' | 'remove' | 'leave' | 'promote' | 'demote')
    | ('subject' | 'description' | 'announce' | 'restrict' | 'member_add_mode');
  readonly recipients: readonly string[];
}

/** Somebody's answer to a message; an empty one was taken back. */
export interface WireReaction {
  readonly id: string;
  readonly from: string;
  readonly fromMe: boolean;
  readonly emoji: string;
  readonly atMs: number;
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
  readonly author?: string;
  /** Unix seconds. */
  readonly t: number;
  readonly ack: number;
  readonly type: WireType;
  /** The text, or the caption. */
  readonly body: string;
  readonly media?: WireMedia;
  readonly mentions?: readonly string[];
  readonly notifyName?: string;
  readonly quoted?: WireQuote;
  readonly notice?: WireNotice;
  readonly style?: WireTextStyle;
  /** What the network passes on without a look. */
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly reactions: readonly WireReaction[];
  readonly editedAtMs?: number;
  /** Under which id it went before it was taken back. */
  readonly revokedId?: string;
  /** Stays undecrypted for so long after it arrived. */
  readonly decryptLateMs?: number;
}

/** A group as one of its members, past ones included, sees it. */
export interface WireGroup {
  readonly id: string;
  readonly subject: string;
  readonly description?: { readonly id: string; readonly text: string };
  readonly owner: string;
  /** Unix seconds. */
  readonly creation: number;
  readonly addressing: 'pn' | 'lid';
  readonly announce: boolean;
  readonly restrict: boolean;
  readonly adminsAdd: boolean;
  /** False once the account has left or was removed. */
  readonly isMember: boolean;
  readonly participants: readonly { readonly id: string; readonly rank: 'superadmin' | 'admin' | 'member' }[];
}

/** A chat with its newest messages, oldest first. */
export interface WireChat {
  readonly id: string;
  readonly unreadCount: number;
  readonly messages: readonly WireMessage[];
  readonly group?: WireGroup;
}

/** A message that a page wants to send. */
export type WireDraft = Pick<
  WireMessage,
  'id' | 'chat' | 't' | 'type' | 'body' | 'quoted' | 'media' | 'mentions' | 'style' | 'fields'
>;

/** What a page makes a group from. */
export interface WireGroupDraft {
  readonly subject: string;
  readonly participants: readonly string[];
  readonly addressing: 'pn' | 'lid';
  readonly announce: boolean;
  readonly restrict: boolean;
  readonly adminsAdd: boolean;
}

/** How it went with one person who was to be in a group; 200 is well. */
export interface WireParticipantResult {
  readonly id: string;
  readonly code: 200 | 403 | 404 | 408 | 409;
  /** What an invitation needs, where the person can only be invited. */
  readonly invite?: { readonly code: string; readonly expiration: number };
}

/** What members do to each other. */
export type WireMemberAction = 'remove' | 'promote' | 'demote';

/** What can be set in a group. */
export type WireGroupChange =
  | { readonly subject: string }
  | { readonly description: { readonly id: string; readonly text: string } }
  | { readonly announce: boolean }
  | { readonly restrict: boolean }
  | { readonly adminsAdd: boolean };

/** A picture, or why there is none: 401 for one that is private, 404 where there is none. */
export type WirePicture = { readonly url: string } | { readonly code: 401 | 404 };

/** Questions of a page that the network answers, by name. */
export interface Requests {
  /** Who has this `@c.us` or `@lid` id; null where nobody has. */
  exists: { params: { jid: string }; result: WireUser | null };
  /** Answered when the server has the message (ack 1). Sending an id twice delivers it once. */
  send: { params: WireDraft; result: { t: number } };
  /** Marks a chat as read. */
  read: { params: { chat: string }; result: { read: number } };
  /** Up to `limit` messages of a chat before the message `before`, oldest first. */
  history: { params: { chat: string; before?: string; limit: number }; result: WireMessage[] };
  /** A message by its stanza id. */
  message: { params: { id: string }; result: WireMessage | null };
  /** Those three are told to all sides, this page among them, before they are answered. */
  react: { params: { id: string; emoji: string }; result: null };
  edit: { params: { id: string; body: string }; result: null };
  revoke: { params: { id: string }; result: null };
  /** Deletes messages for this account alone. */
  hide: { params: { ids: readonly string[] }; result: null };
  'create-group': { params: WireGroupDraft; result: { group: WireGroup; participants: WireParticipantResult[] } };
  group: { params: { id: string }; result: WireGroup };
  'change-group': { params: { id: string; change: WireGroupChange }; result: null };
  'add-to-group': { params: { id: string; who: string }; result: WireParticipantResult };
  'change-members': { params: { id: string; who: readonly string[]; action: WireMemberAction }; result: null };
  'leave-group': { params: { id: string }; result: null };
  'group-invite': { params: { id: string; renew: boolean }; result: { code: string } };
  'invited-group': { params: { code: string }; result: WireGroup };
  'join-group': { params: { code: string }; result: { id: string } };
  picture: { params: { id: string }; result: WirePicture };
  block: { params: { id: string; blocked: boolean }; result: null };
  /** The text under a name; with `text`, one's own is set to that first. */
  about: { params: { id: string; text?: string }; result: { text: string } };
  /** Unlinks this device. */
  logout: { params: Record<string, never>; result: null };
}

export type RequestName = keyof Requests;

/** What a page says on `/ws/chat`. */
export type PageMessage =
  /** Not linked: wants QR references, and says which keys its QR carries. */
  | { readonly type: 'register'; readonly noiseKey: string; readonly identityKey: string }
  | { readonly type: 'login'; readonly deviceId: string; readonly secret: string }
  /** Has taken in a message; until it says so, the message comes again at the next login. */
  | { readonly type: 'received'; readonly id: string }
  /** Wants fresh references after the last one ran out. */
  | { readonly type: 'refresh' }
  | {
      readonly [N in RequestName]: {
        readonly type: 'request';
        readonly request: number;
        readonly name: N;
        readonly params: Requests[N]['params'];
      };
    }[RequestName];

/** What the network says on `/ws/chat`. */
export type ServerEvent =
  | { readonly type: 'ref'; readonly ref: string }
  | { readonly type: 'refs-ended' }
  | { readonly type: 'pairing' }
  | { readonly type: 'paired'; readonly deviceId: string; readonly secret: string }
  /** The login was accepted: everything that the device should know. */
  | {
      readonly type: 'welcome';
      readonly self: WireSelf;
      readonly users: readonly WireUser[];
      readonly chats: readonly WireChat[];
    }
  /** More of what the device should know, such as the address book after it has changed. */
  | { readonly type: 'news'; readonly users: readonly WireUser[]; readonly chats: readonly WireChat[] }
  /** How much of what came while the device was away has been delivered. */
  | { readonly type: 'progress'; readonly percent: number }
  | { readonly type: 'synced' }
  | { readonly type: 'message'; readonly message: WireMessage; readonly user?: WireUser }
  /** Something about a message is different now: its text, its age, its reactions; or it was taken back. */
  | { readonly type: 'changed'; readonly message: WireMessage; readonly user?: WireUser }
  /** Deleted elsewhere for this account, by page message id. */
  | { readonly type: 'hidden'; readonly keys: readonly string[] }
  | { readonly type: 'group'; readonly group: WireGroup; readonly users: readonly WireUser[] }
  | { readonly type: 'ack'; readonly keys: readonly string[]; readonly ack: number }
  /** The chat was read elsewhere. */
  | { readonly type: 'chat-read'; readonly chat: string }
  /** Unlinked; the page raises it so many times, and goes through state UNPAIRED before it reloads if told to. */
  | { readonly type: 'logged-out'; readonly times: number; readonly unpaired: boolean }
  | { readonly type: 'conflict' }
  | { readonly type: 'answer'; readonly request: number; readonly result: unknown }
  | { readonly type: 'refused'; readonly request: number; readonly status: number; readonly message: string };

/** What a page reports on `/ws/stage`: what somebody who looks at it would see. */
export interface PageReport {
  readonly socketState: string;
  readonly hasSynced: boolean;
  /** The text of the QR on the screen. */
  readonly qr?: string;
  /** The number of the account that it is linked to. */
  readonly number?: string;
}

/** What the stage may do to a page. */
export type StageCue = 'reload' | 'pushState' | 'iframe' | 'sync';

/** What a page is told with its document. */
export interface PageSettings {
  readonly idProperty: string;
  readonly widProperty: string;
  readonly reconnectDelayMs: number;
}
