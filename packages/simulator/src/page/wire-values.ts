/** A person as an account's linked devices know them. */
export interface WireUser {
  /** `<number>@c.us`; absent where the number is hidden, as of strangers in a group. */
  readonly pn?: string | undefined;
  /** `<digits>@lid` */
  readonly lid: string;
  /** The id that the chat with this person has: one of the two above. */
  readonly chat: string;
  /** The name that the person chose. */
  readonly pushname: string;
  /** The name in the account's address book; absent for strangers. */
  readonly name?: string | undefined;
  readonly isBusiness: boolean;
  readonly isBlocked: boolean;
}

/** Whether an account is shown as online. */
export type WirePresence = 'available' | 'unavailable';

/** Privacy settings of an account, by the network's names: who sees what, and who may add or call it. */
export type WirePrivacy = Readonly<
  Record<'last' | 'online' | 'profile' | 'status' | 'readreceipts' | 'groupadd' | 'calladd', string>
>;
/** The public profile of a business. */
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

/** The account that a device is linked to. */
export interface WireSelf extends WireUser {
  readonly pn: string;
  readonly platform: string;
  readonly privacy: WirePrivacy;
}

/** The type of a message, in the page's terms. */
export type WireType =
  | ('chat' | 'image' | 'video' | 'audio' | 'ptt' | 'document' | 'sticker' | 'location' | 'vcard' | 'multi_vcard')
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
  readonly body: string;
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
  readonly type: WireType;
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
export type WireLeft = 0 | 1 | 3 | 4 | 5;

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

/** A label of a business account. */
export interface WireLabel {
  readonly id: string;
  readonly name: string;
  readonly colorIndex: number;
}

/** A chat with its newest messages, oldest first. */
export interface WireChat {
  readonly id: string;
  readonly unreadCount: number;
  readonly left: WireLeft;
  readonly marks: WireMarks;
  readonly messages: readonly WireMessage[];
  readonly group?: WireGroup | undefined;
  readonly channel?: WireChannel | undefined;
}

/** The preview of a link in a text; empty without one. */
export type WirePreview = Readonly<Partial<Record<(typeof previewFields)[number], unknown>>>;

/** The names of its fields. */
export const previewFields = ['title', 'description', 'matchedText'] as const;

/** A message that a page wants to send. */
export type WireDraft = Pick<
  WireMessage,
  'id' | 'chat' | 't' | 'type' | 'body' | 'quoted' | 'media' | 'mentions' | 'style' | 'fields'
> & { readonly hasSecret?: boolean | undefined };

/** What a page creates a group from. */
export interface WireGroupDraft {
  readonly subject: string;
  readonly participants: readonly string[];
  readonly addressing: 'pn' | 'lid';
  readonly announce: boolean;
  readonly restrict: boolean;
  readonly adminsAdd: boolean;
}

/** The result for one person to add to a group; 200 if added. */
export interface WireParticipantResult {
  readonly id: string;
  readonly code: 200 | 403 | 404 | 408 | 409;
  /** The data of an invitation, if the person can only be invited. */
  readonly invite?: { readonly code: string; readonly expiration: number } | undefined;
}

/** The actions of members on each other. */
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

/** A picture, or the network's code: 401 for one that is private, 404 where there is none, and others. */
export type WirePicture = { readonly url: string } | { readonly code: number };

/** A call that rings. */
export interface WireCall {
  readonly id: string;
  readonly from: string;
  readonly isVideo: boolean;
  /** Its entry in the page's log while it rings. */
  readonly entry: WireMessage;
}
