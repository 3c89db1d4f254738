import type { AccountEventName } from '@chat-web/protocol';
import type { ContactCard } from './tools/contact-cards.ts';

/** The page's own models, as far as the program uses them, and what the program returns to the worker. */

/** An id of the page. `toString()` returns the serialised form in every build. */
export interface PageId {
  readonly user?: string;
  readonly server?: string;
  toString(): string;
}

/** What businesses, their customers and their advertisements add to a message. */
interface BusinessContent {
  /** The advertisement, or the link, from which its author wrote. */
  readonly ctwaContext?: Readonly<
    Partial<Record<'sourceUrl' | 'sourceId' | 'sourceType' | 'conversionSource' | 'title' | 'ctwaClid', unknown>>
  > | null;
  /** The chosen button. */
  readonly selectedButtonId?: string;
  /** The chosen button of a template. */
  readonly selectedId?: string;
  /** The chosen row of a list. */
  readonly listResponse?: {
    readonly title?: string;
    readonly singleSelectReply?: { readonly selectedRowId?: string } | null;
  } | null;
  /** The answer to an interactive message, as JSON. */
  readonly interactivePayload?: { readonly paramsJson?: string } | null;
  /** A template: a header may be in `title`. */
  readonly isFromTemplate?: boolean;
  /** It has buttons below it. */
  readonly isDynamicReplyButtonsMsg?: boolean;
  /** Header of a template or name of a product; in other messages, title of the link preview. */
  readonly title?: string;
  /** Of a product; in other messages, that of the link preview. */
  readonly description?: string;
  readonly footer?: string;
  /** A list to choose from. */
  readonly list?: { readonly title?: string; readonly description?: string } | null;
  readonly interactiveHeader?: { readonly title?: string; readonly subtitle?: string } | null;
  readonly carouselCardsParsed?: readonly ({ readonly caption?: string } | null)[] | null;
  readonly orderTitle?: string;
  /** The text of an order. */
  readonly message?: string;
  readonly paymentNoteMsg?: { readonly body?: string } | null;
  /** The answer of an assistant. */
  readonly richResponse?: { readonly fragments?: readonly ({ readonly text?: string } | null)[] } | null;
  /** What the page has read of a message that it holds back. */
  readonly quarantineExtractedText?: string;
}

/** Invitations to groups, channels and events. */
interface InvitationContent {
  /** The text of an invitation to a group. */
  readonly comment?: string;
  /** Its name. */
  readonly inviteGrpName?: string;
  readonly newsletterAdminInviteInfo?: ChannelInvitation | null;
  readonly newsletterFollowerInviteInfo?: ChannelInvitation | null;
  readonly eventName?: string;
  readonly eventDescription?: string;
  readonly eventLocation?: { readonly name?: string } | null;
}

interface ChannelInvitation {
  readonly newsletterName?: string;
  readonly inviteMessage?: string;
}

/** A message of the page. */
export interface PageMessage extends BusinessContent, InvitationContent {
  /** `String()` serialises it. */
  readonly id: PageId & {
    readonly fromMe: boolean;
    readonly remote: PageId;
    /** The part that is unique in its chat. */
    readonly id?: string;
    readonly participant?: PageId;
  };
  /** Id of the chat it came from: in groups the group. */
  readonly from?: PageId;
  /** Id of the chat it goes to. */
  readonly to?: PageId;
  /** Id of the author, in groups and in the status feed. */
  readonly author?: PageId;
  /** The name that its author chose, as it came with the message. */
  readonly notifyName?: string;
  /** -1 failed, 0 not sent, 1 server, 2 device, 3 read, 4 played. */
  readonly ack: number;
  /** `chat` for a text, `image`, …; `ciphertext` before it is decrypted. */
  readonly type: string;
  /** The type of an `unknown` message, if the page knows that. */
  readonly futureproofType?: string;
  /** Why it is not decrypted; ends with `_unavailable_fanout` if it never will be. */
  readonly subtype?: string;
  /** Why the network refused it, as far as the page keeps that. */
  readonly errorCode?: string;
  /** It arrived live. */
  readonly isNewMsg?: boolean;
  /** A status posted to a group: its chat is the group, but it is not a message of it. */
  readonly isGroupStatus?: boolean;
  /** `HIDDEN`, `SCHEDULED_MESSAGE`: the page does not show it; `MEDIA_ALBUM`: in an album. Absent on ordinary ones. */
  readonly viewMode?: string;
  readonly isForwarded?: boolean;
  /** Encrypts what others add to it, such as votes, and reactions in announcement groups. */
  readonly messageSecret?: Uint8Array | null;
  /** The message, or its last edit, could not be sent. */
  readonly isSendFailure?: boolean;
  readonly star?: boolean;
  /** The text; for a file its thumbnail. */
  readonly body?: string;
  /** The text with a file. */
  readonly caption?: string;
  /** When it was sent, in Unix seconds. */
  readonly t?: number;
  /** Path of the file on the server; absent without a file. */
  readonly directPath?: string;
  /** Hash of the encrypted file, for the download. */
  readonly encFilehash?: string;
  /** Hash of the file, for the download. */
  readonly filehash?: string;
  /** Key of the file, for the download. */
  readonly mediaKey?: unknown;
  /** When that key was created, for the download. */
  readonly mediaKeyTimestamp?: number;
  readonly mimetype?: string;
  readonly filename?: string;
  /** Size of the file in bytes, as its sender states it. */
  readonly size?: number;
  /** `mediaStage` is `INIT`, `FETCHING`, `RESOLVED`, `REUPLOADING`, or begins with `ERROR_`. */
  readonly mediaData?: { readonly mediaStage?: string };
  /** Id of the quoted message. */
  readonly quotedStanzaID?: string;
  /** Id of its author. */
  readonly quotedParticipant?: PageId;
  /** Id of its chat, if that is not the chat of the reply. */
  readonly quotedRemoteJid?: PageId | null;
  /** What came with the reply of the quoted message; null if the page could not read that. */
  readonly quotedMsg?: Partial<PageMessage> | null;
  /** The message that it belongs to, and how: `MEDIA_ALBUM` for the photos and videos of an album. */
  readonly parentMsgKey?: PageId | null;
  readonly associationType?: string | null;
  /** Ids of the people mentioned. */
  readonly mentionedJidList?: readonly PageId[];
  /** The link that the preview is of, as written. */
  readonly matchedText?: string;
  /** 1: mentions everyone in the group. */
  readonly nonJidMentions?: number;
  /** True for a video shown as a GIF. */
  readonly isGif?: boolean;
  /** True for media that can be opened once. */
  readonly isViewOnce?: boolean;
  /** Latitude of a location, in degrees. */
  readonly lat?: number;
  /** Longitude of a location, in degrees. */
  readonly lng?: number;
  /** Name of a location, and its address on a second line. */
  readonly loc?: string;
  /** Several contact cards: {displayName, vcard} of each. */
  readonly vcardList?: readonly ({ readonly displayName?: string; readonly vcard?: string } | undefined)[];
  /** What the sender calls the person of a single card. */
  readonly vcardFormattedName?: string;
  /** Question of a poll. */
  readonly pollName?: string;
  /** Options of a poll: {name, localId} of each. */
  readonly pollOptions?: readonly ({ readonly name?: string; readonly localId?: number } | undefined)[];
  /** How many options a person may choose; 0 for any number. */
  readonly pollSelectableOptionsCount?: number;
  /** On a group notice: the people it is about. */
  readonly recipients?: readonly (PageId | string)[];
  /** On a request to add others: id of the requester, then of the others. */
  readonly templateParams?: readonly unknown[];
  /** On a call log entry: `Ongoing`, `Missed`, `Completed`, … */
  readonly callOutcome?: string;
  /** Who called. */
  readonly callCreator?: PageId;
  /** True for a video call. */
  readonly isVideoCall?: boolean;
  /** It was created in this page. */
  readonly local?: boolean;
  /** Changes with each edit. */
  readonly latestEditMsgKey?: PageId;
  /** When it was last edited. */
  readonly latestEditSenderTimestampMs?: number;
  /** On a message deleted for everyone: its former id, who deleted it, and when. */
  readonly protocolMessageKey?: PageMessage['id'];
  /** Who deleted it for everyone. */
  readonly revokeSender?: PageId;
  /** When that was. */
  readonly revokeTimestamp?: number;
  downloadMedia(options: {
    downloadEvenIfExpensive: boolean;
    isUserInitiated: boolean;
    rmrReason: number;
  }): Promise<unknown>;
  /** Event: `change:type`. A message from the database has no events. */
  once?(event: string, listener: (message: PageMessage) => void): void;
  /** The message, for `canReplyMsg`. */
  unsafe(): PageMessage;
  /** The fields of a reply in that chat. */
  msgContextInfo(chatId: PageId): Readonly<Record<string, unknown>>;
}

/** An edit that is in the page's database: the message before it, and the changed fields. */
export interface PageEdit {
  readonly parentMsg: PageMessage;
  readonly editedMsgData: Partial<PageMessage>;
  readonly isLatest?: boolean;
}

/** A reaction to a message or a vote in a poll, as the page stores it. */
interface PageAddon {
  readonly id?: PageMessage['id'];
  /** On one created in this page: -1 if it failed, 0 until the network has it. */
  readonly ack?: number;
  /** When the network received it, in Unix seconds; absent in history. */
  readonly t?: number;
}

/** A reaction to a message, as the page stores it. */
export interface PageReaction extends PageAddon {
  readonly reactionParentKey?: PageMessage['id'];
  /** Empty if the reaction was removed. */
  readonly reactionText?: string;
  /** Milliseconds. */
  readonly reactionTimestamp?: number;
  readonly from?: PageId;
  readonly author?: PageId;
}

/** A vote in a poll, as the page stores it. */
export interface PageVote extends PageAddon {
  readonly pollUpdateParentKey?: PageMessage['id'];
  /** Numbers, in some tables as bytes; empty if the vote was removed. */
  readonly selectedOptionLocalIds?: Iterable<number> | ArrayBuffer;
  /** Milliseconds. */
  readonly senderTimestampMs?: number;
  readonly from?: PageId;
  readonly author?: PageId;
}

/** A call in the page. */
export interface PageCall {
  readonly id?: string;
  /** The caller's device. */
  readonly peerJid?: PageId;
  /** Null or absent on a call between two people. */
  readonly groupJid?: PageId | null;
  readonly isVideo?: boolean;
  readonly isGroup?: boolean;
  readonly outgoing?: boolean;
  userEndedCall?: boolean;
  /** 3 and 8: ringing. Null in a page without a call engine. */
  getState?(): number | null;
}

/** A change of a message, group, chat, call or presence, as the page returns it. Times are in milliseconds. */
export interface PageChange {
  readonly name: AccountEventName;
  readonly data: Readonly<Record<string, unknown>>;
  /** The id of the table row that the change comes from. */
  readonly row?: string | undefined;
}

/** A person's presence or activity. */
export interface PageActivity {
  /** The person; empty for a group without activity. */
  readonly id?: PageId;
  /** `available`, `unavailable`, `typing` or `recording_audio`. */
  readonly type?: string;
  /** When the person was last seen, in Unix seconds. */
  readonly t?: number;
}

/** The presence of a person, or of the members of a group. */
export interface PagePresence {
  readonly id: PageId;
  readonly hasData?: boolean;
  readonly chatstate?: PageActivity;
}

/** A member of a group. */
export interface PageParticipant {
  /** Id of the member, by number or hidden. */
  readonly id: PageId;
  /** True for an admin. */
  readonly isAdmin?: boolean;
  /** True for the creator of the group. */
  readonly isSuperAdmin?: boolean;
}

/** The loaded members of a group. */
interface PageParticipants {
  getModelsArray(): PageParticipant[];
  get(id: unknown): PageParticipant | undefined;
}

/** The mute state of a chat. */
export interface PageMute {
  readonly id?: PageId;
  /** Unix seconds; 0 if it is not muted, -1 for forever. */
  readonly expiration?: number;
  mute(how: { expiration: number; sendDevice: true; showToast: false }): Promise<unknown>;
  unmute(how: { sendDevice: true; showToast: false }): Promise<unknown>;
}

/** A chat of the page. Groups have metadata, which may be loaded before their members. */
export interface PageChat {
  readonly id: PageId;
  /** Its name, if formattedTitle is absent. */
  readonly name?: string;
  /** Its name, as the page shows it. */
  readonly formattedTitle?: string;
  /** The number of unread messages; -1 if it was marked as unread. */
  readonly unreadCount?: number;
  /** How many unread messages the page is marking as read. */
  pendingSeenCount?: number;
  /** False if its composer is disabled; undefined if the page has not computed that yet. */
  readonly canSend?: boolean;
  /** True for a group that the network has suspended. */
  isSuspendedOrTerminated?(): boolean;
  /** True if it is archived. */
  readonly archive?: boolean;
  /** When it was pinned; absent or 0 if it is not pinned. */
  readonly pin?: number;
  readonly mute?: PageMute;
  /** When it last changed, in Unix seconds. */
  readonly t?: number;
  /** Ids of labels. */
  readonly labels?: readonly string[];
  /** The loaded messages. */
  readonly msgs: { getModelsArray(): PageMessage[] };
  /** Key of its last message. */
  readonly lastReceivedKey?: PageId;
  /**
   * Whether the phone has older messages than the page. 0, 3: it has; 1: it has none; 2: the first sync is still running;
   * 4: they are on the phone only; 5: they may not be shared.
   */
  readonly endOfHistoryTransferType?: number | null;
  /** The person's hidden id, in a chat with one person. */
  readonly accountLid?: PageId;
  /** A token for pictures and texts that are not public. */
  readonly tcToken?: unknown;
  /** The setting "advanced chat privacy"; in a group, `trigger` may be a name. */
  readonly limitSharing?: {
    readonly sharingLimited?: boolean;
    readonly trigger?: unknown;
    readonly initiatedBy?: PageId | null;
  } | null;
  /** The other person, for the page's own functions. */
  readonly contact?: unknown;
  readonly groupMetadata?: PageGroup;
  readonly newsletterMetadata?: PageChannel;
}

/** The metadata of a group. It may be loaded before the members, and in parts. */
export interface PageGroup {
  /** Number of members. */
  readonly size?: number;
  readonly participants?: PageParticipants;
  /** The description. */
  readonly desc?: string;
  /** The id of the description. A change names the one that it replaces; with another one it is refused with 409. */
  readonly descId?: string;
  /** Id of its creator. */
  readonly owner?: PageId;
  /** When it was created, in Unix seconds. */
  readonly creation?: number;
  /** The announcement group of a community; which of these depends on the build. */
  readonly isCag?: boolean;
  readonly defaultSubgroup?: boolean;
  /** A community itself: the page has it as a group, too. */
  readonly isParentGroup?: boolean;
  /** Id of the community that the group is in. */
  readonly parentGroup?: PageId | null;
  /** Only admins can send messages. */
  readonly announce?: boolean | number;
  /** Only admins can change subject, description and picture. */
  readonly restrict?: boolean | number;
  /** `admin_add` or `all_member_add`. */
  readonly memberAddMode?: string;
  /** `all_member_link` if all members may see the invite. */
  readonly memberLinkMode?: string;
  /** True if an admin approves requests to join. */
  readonly membershipApprovalMode?: boolean | number;
  /** True if members have hidden ids. */
  readonly isLidAddressingMode?: boolean;
}

/** The metadata of a channel. */
interface PageChannel {
  /** `owner`, `admin`, `subscriber` or `guest`. */
  readonly membershipType?: string;
  readonly name?: string;
  readonly description?: string;
  readonly size?: number;
  readonly inviteCode?: string;
  readonly verified?: boolean;
}

/** The statuses of one person. */
export interface PageStatus {
  readonly id: PageId;
  readonly msgs: { getModelsArray(): PageMessage[] };
  /** Marks a status as seen in the page. */
  handleReadStatus?(id: PageId): void;
}

/** A contact of the page. */
export interface PageContact {
  /** Id of the person, by number or hidden. */
  readonly id: PageId;
  /** Name in the address book. */
  readonly name?: string;
  /** Name that the person chose. */
  readonly pushname?: string;
  /** The name by which the person is found. */
  readonly username?: string | null;
  /** True for a business account. */
  readonly isBusiness?: boolean;
  /** True if the account has blocked them. */
  readonly isContactBlocked?: boolean;
  /** True if it is saved by user name. */
  readonly isUsernameContact?: boolean;
  /** Whether the address book of the phone has it; nullish if it is from there. */
  readonly syncToAddressbook?: boolean | null;
  /** The default timer for messages in new chats, in seconds; absent or 0 for none. */
  readonly disappearingModeDuration?: number | null;
}

/** A label of a business account. */
export interface PageLabel {
  readonly id: string;
  readonly name?: string;
  readonly colorIndex?: number;
  /** Absent in older builds. */
  readonly type?: number | null;
  readonly isActive?: boolean;
}

/** The profile of a business. Without a profile, it only has an id. */
export interface PageBusinessProfile {
  readonly description?: unknown;
  readonly address?: unknown;
  readonly structuredAddress?: { readonly streetAddress?: unknown };
  readonly email?: unknown;
  readonly website?: readonly ({ readonly url?: unknown } | null)[] | null;
  readonly categories?: readonly ({ readonly localized_display_name?: unknown } | null)[] | null;
  /** By day: `{mode, hours: [[from, to]]}`, in minutes. */
  readonly businessHours?: { readonly config?: Readonly<Record<string, unknown>>; readonly timezone?: unknown } | null;
}

/** A message handed to the page. */
export interface PageDraft {
  id: PageMessage['id'];
  readonly from?: unknown;
  readonly to?: unknown;
  /** On a forwarded message; which of these depends on the build. */
  readonly forwardedFromWeb?: boolean;
  readonly multicast?: boolean;
  /** The message that this one belongs to. */
  readonly parentMsgKey?: PageMessage['id'] | null;
  /** Set by us, and removed before the page sees it: the id to give the message. */
  chatWebMark?: SendMark | undefined;
}

/** What the page sends for a change of a message: it refers to the message by one of these keys. */
export interface PageRecord {
  readonly protocolMessageKey?: { readonly id?: string } | null;
  readonly targetMessageKey?: { readonly id?: string } | null;
  readonly reactionParentKey?: { readonly id?: string } | null;
  readonly pinParentKey?: { readonly id?: string } | null;
  /** `message_edit`, `sender_revoke`, `admin_revoke`. */
  readonly subtype?: string;
  /** Negative if the network has refused it; reactions and pins have none then. */
  readonly ack?: number;
  readonly errorCode?: string;
}

/** Identifies a message while it passes through the library. */
export interface SendMark {
  readonly call: string;
  /** The part of its id that is unique in its chat; undefined: the page chooses. */
  readonly messageId?: string | undefined;
}

/** A forwarded message: its id, and the message once it is in its chat. */
export interface HandedForward {
  readonly id: string;
  readonly added: Promise<PageMessage | undefined>;
}

/** The result of a send: `OK`, or one of several errors. */
export interface PageSendResult {
  readonly messageSendResult?: string;
  /** The network's code of a refusal. */
  readonly ackErrorCode?: number;
  readonly msg?: PageMessage;
}

/** A message, as the page returns it. */
export interface MessageModel {
  readonly id: string;
  readonly fromMe: boolean;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly author: string | undefined;
  readonly senderName: string | undefined;
  readonly username: string | undefined;
  readonly quotedMessageId: string | undefined;
  readonly quoted?:
    | { readonly author: string | undefined; readonly type: string | undefined; readonly body: string | undefined }
    | undefined;
  readonly mentionedIds: readonly (string | undefined)[];
  readonly type: string;
  readonly body: string | undefined;
  readonly caption: string | undefined;
  readonly t: number | undefined;
  readonly ack: number | undefined;
  readonly hasMedia: boolean;
  readonly mimetype: string | undefined;
  readonly filename: string | undefined;
  readonly isForwarded: boolean;
  readonly isStatus: boolean;
  readonly mentionAll: boolean;
  readonly gif: boolean;
  readonly viewOnce: boolean;
  readonly unavailable?: 'view_once' | 'not_decrypted' | undefined;
  readonly albumId?: string | undefined;
  readonly community?: { readonly id: string; readonly role: 'parent' | 'announcements' | 'group' } | undefined;
  readonly location?: { readonly latitude: number | undefined; readonly longitude: number | undefined } | undefined;
  readonly contacts?: readonly ContactCard[] | undefined;
  readonly referral?: Readonly<Record<'url' | 'id' | 'type' | 'title' | 'clickId', string | undefined>> | undefined;
  readonly selected?: Readonly<Record<'id' | 'text', string | undefined>> | undefined;
  readonly poll?: { readonly options: readonly (string | undefined)[]; readonly multiple: boolean } | undefined;
}

/** What the page reports to the worker unasked. `call` identifies a send that the worker requested. */
export type PageSignal =
  | { readonly is: 'message'; readonly model: MessageModel }
  | { readonly is: 'ack'; readonly id: string; readonly ack: number }
  | ({ readonly is: 'change'; readonly happenedAt: number } & PageChange)
  /** This page sent the message. */
  | { readonly is: 'own'; readonly id: string }
  /** The dialogs that stay open have changed: the page's state has their texts. */
  | { readonly is: 'dialogs' }
  /** The page is about to hand the message over. */
  | { readonly is: 'sending'; readonly call: string }
  /** The message was handed over with this id; the worker chose a part of it. */
  | { readonly is: 'handed'; readonly call: string; readonly id: string }
  /** The message was handed over, and the network has not confirmed it yet. */
  | { readonly is: 'sent'; readonly call: string; readonly id: string };

/** A limit of the network on the account. */
export interface PageLimit {
  readonly kind: 'time_lock' | 'new_chats';
  /** When it ends, in milliseconds since 1970; undefined if the network does not say. */
  readonly untilMs?: number;
  /** How many new chats are left. */
  readonly remaining?: number;
}

/** The outcome of a send, from the page's own promise. */
export interface SendOutcome {
  /** `unknown`: the network may have the message. */
  readonly is: 'sent' | 'refused' | 'unknown';
  /** The page's name for the outcome. */
  readonly name?: string | undefined;
  /** The network's code for it. */
  readonly code?: number | undefined;
}

/** The limits of one send. Times as of `Date.now()`. */
export interface SendPlan {
  /** Identifies the send in signals. */
  readonly call: string;
  /** The message is not sent after this time: the caller has received an error. */
  readonly beginBy: number;
  /** When the answer must be sent. */
  readonly answerBy: number;
  /** How long to wait for the network to confirm the message, in milliseconds. */
  readonly ackTimeoutMs: number;
  /** The part of the message's id after its chat; undefined: the page chooses. */
  readonly messageId?: string | undefined;
}

/** Whether the network has a message: its ack, or the refusal and its code. */
export interface SendState {
  /** 0 if the time limit was reached. */
  readonly ack: number;
  readonly refused?: SendRefusal;
}

/** Why a send was refused: the page's name for it, and the network's code. */
export interface SendRefusal {
  readonly name?: string | undefined;
  readonly code?: number | undefined;
  /** For a limit: how long the caller should wait. */
  readonly retryAfterSeconds?: number | undefined;
}

/** A posted status: its message, or why it was refused. Undefined: the page returned no valid result. */
export type Posted = { readonly message: MessageModel } | { readonly refused: SendRefusal } | undefined;

/** A group that the account is a member of, with its members if they were loaded in time. */
export interface OwnGroup {
  readonly group: PageChat;
  readonly members: readonly PageParticipant[] | undefined;
  /** Undefined while the members are unknown. */
  readonly isAdmin: boolean | undefined;
}
