import type { AccountEventName } from '@chat-web/protocol';
import type { PageModules } from './contract/index.ts';
import type { ChangeTools } from './tools/changes.ts';
import type { ChatTools } from './tools/chats.ts';
import type { FileTools } from './tools/files.ts';
import type { GroupTools } from './tools/groups.ts';
import type { IdTools } from './tools/identities.ts';
import type { MessageTools } from './tools/messages.ts';
import type { NumberTools } from './tools/numbers.ts';
import type { OutcomeTools } from './tools/outcomes.ts';
import type { PresenceTools } from './tools/presences.ts';
import type { SendTools } from './tools/sends.ts';

/**
 * Types of the page for scripts: the library's own helpers, and the modules of the page's registry. Only the parts that
 * are used; `contract.ts` documents each of them.
 *
 * Scripts are sent to the page as text, so each can use only its arguments and `window`. Shared functions are on
 * `window.chatWebTools`, which is installed before the listeners.
 */

/** An id of the page: `toString()` is the serialised form in every build. */
export interface PageId {
  readonly user?: string;
  readonly server?: string;
  toString(): string;
}

/** A message of the page. */
export interface PageMessage {
  readonly id: PageId & {
    readonly fromMe: boolean;
    readonly remote: PageId;
    /** The part that is unique in its chat. */
    readonly id?: string;
    readonly participant?: PageId;
  };
  readonly from?: PageId;
  readonly to?: PageId;
  readonly author?: PageId;
  readonly ack: number;
  readonly type: string;
  readonly subtype?: string;
  /** It arrived live. */
  readonly isNewMsg?: boolean;
  readonly isStatusV3?: boolean;
  /** A status that is posted to a group: only its chat is that of the group. */
  readonly isGroupStatus?: boolean;
  /** `HIDDEN`, `SCHEDULED_MESSAGE`, …; absent of an ordinary one. */
  readonly viewMode?: string;
  readonly isForwarded?: boolean;
  /** Sending it, or its last edit, has failed. */
  readonly isSendFailure?: boolean;
  readonly star?: boolean;
  readonly body?: string;
  readonly caption?: string;
  readonly t?: number;
  readonly directPath?: string;
  readonly encFilehash?: string;
  readonly filehash?: string;
  readonly mediaKey?: unknown;
  readonly mediaKeyTimestamp?: number;
  readonly mimetype?: string;
  readonly filename?: string;
  readonly mediaData?: { readonly mediaStage?: string };
  readonly quotedStanzaID?: string;
  readonly quotedParticipant?: PageId;
  readonly quotedRemoteJid?: PageId | null;
  readonly mentionedJidList?: readonly PageId[];
  /** The link that it has a preview of. */
  readonly matchedText?: string;
  /** 1: everybody in the group. */
  readonly nonJidMentions?: number;
  readonly isGif?: boolean;
  readonly isViewOnce?: boolean;
  readonly lat?: number;
  readonly lng?: number;
  readonly loc?: string;
  readonly vcardList?: readonly ({ readonly vcard?: string } | undefined)[];
  readonly pollName?: string;
  readonly pollOptions?: readonly ({ readonly name?: string; readonly localId?: number } | undefined)[];
  readonly pollSelectableOptionsCount?: number;
  /** Of a notice in a group: whom it concerns. */
  readonly recipients?: readonly (PageId | string)[];
  readonly templateParams?: readonly unknown[];
  /** Of an entry of the call log. */
  readonly callOutcome?: string;
  readonly callCreator?: PageId;
  readonly isVideoCall?: boolean;
  /** It was made in this page. */
  readonly local?: boolean;
  readonly latestEditMsgKey?: PageId;
  readonly latestEditSenderTimestampMs?: number;
  /** Of a message that was deleted for everyone: its former id, who deleted it, and when. */
  readonly protocolMessageKey?: PageMessage['id'];
  readonly revokeSender?: PageId;
  readonly revokeTimestamp?: number;
  downloadMedia(options: {
    downloadEvenIfExpensive: boolean;
    isUserInitiated: boolean;
    rmrReason: number;
  }): Promise<unknown>;
  once(event: string, listener: (message: PageMessage) => void): void;
  unsafe(): PageMessage;
  msgContextInfo(chatId: PageId): Readonly<Record<string, unknown>>;
}

/** An edit that the page's database has taken: the message before it, and what it changes. */
export interface PageEdit {
  readonly parentMsg: PageMessage;
  readonly editedMsgData: Partial<PageMessage>;
  readonly isLatest?: boolean;
}

/** What people attach to a message, as the page stores it. */
interface PageAddon {
  readonly id?: PageMessage['id'];
  /** Of one that was made in this page: -1 if it failed, 0 until the network has it. */
  readonly ack?: number;
  /** When the network got it, in Unix seconds; absent in history. */
  readonly t?: number;
}

/** A reaction to a message, as the page stores it. */
export interface PageReaction extends PageAddon {
  readonly reactionParentKey?: PageMessage['id'];
  /** Empty if it was taken back. */
  readonly reactionText?: string;
  /** Milliseconds. */
  readonly reactionTimestamp?: number;
  readonly from?: PageId;
  readonly author?: PageId;
}

/** What somebody has chosen in a poll, as the page stores it. */
export interface PageVote extends PageAddon {
  readonly pollUpdateParentKey?: PageMessage['id'];
  /** Numbers, in some tables as bytes; none once it was taken back. */
  readonly selectedOptionLocalIds?: Iterable<number> | ArrayBuffer;
  /** Milliseconds. */
  readonly senderTimestampMs?: number;
  readonly from?: PageId;
  readonly author?: PageId;
}

/** A call that the page may take. */
export interface PageCall {
  readonly id?: string;
  /** Of the caller's device. */
  readonly peerJid?: PageId;
  /** None of a call between two. */
  readonly groupJid?: PageId | null;
  readonly isVideo?: boolean;
  readonly isGroup?: boolean;
  readonly outgoing?: boolean;
  userEndedCall?: boolean;
  /** 3 and 8: it rings. Null in a page without a call engine. */
  getState?(): number | null;
}

/** What became of messages, groups and chats, as it leaves the page. Times are in milliseconds. */
export interface PageChange {
  readonly name: AccountEventName;
  readonly data: Readonly<Record<string, unknown>>;
  /** The id of the row of a table from which it is. */
  readonly row?: string | undefined;
}

/** What somebody does. */
export interface PageActivity {
  /** Who; of a group, empty while nobody does anything. */
  readonly id?: PageId;
  /** `available`, `unavailable`, `typing` or `recording_audio`. */
  readonly type?: string;
  /** When the person was last seen, in Unix seconds. */
  readonly t?: number;
}

/** What is known of the presence of a person, or of the members of a group. */
export interface PagePresence {
  readonly id: PageId;
  readonly hasData?: boolean;
  readonly chatstate?: PageActivity;
}

/** A member of a group. */
export interface PageParticipant {
  readonly id: PageId;
  readonly isAdmin?: boolean;
  readonly isSuperAdmin?: boolean;
}

/** The loaded members of a group. */
interface PageParticipants {
  getModelsArray(): PageParticipant[];
  get(id: unknown): PageParticipant | undefined;
}

/** Until when a chat is muted. */
export interface PageMute {
  readonly id?: PageId;
  /** Unix seconds; 0 if it is not muted, -1 for ever. */
  readonly expiration?: number;
  mute(how: { expiration: number; sendDevice: true; showToast: false }): Promise<unknown>;
  unmute(how: { sendDevice: true; showToast: false }): Promise<unknown>;
}

/** A chat of the page; groups have metadata, which may be loaded before their members. */
export interface PageChat {
  readonly id: PageId;
  readonly name?: string;
  readonly formattedTitle?: string;
  /** -1 if it was marked as unread by hand. */
  readonly unreadCount?: number;
  readonly archive?: boolean;
  /** When it was pinned; absent or 0 if it is not. */
  readonly pin?: number;
  readonly mute?: PageMute;
  readonly t?: number;
  /** Ids of labels. */
  readonly labels?: readonly string[];
  /** The loaded messages. */
  readonly msgs: { getModelsArray(): PageMessage[] };
  readonly lastReceivedKey?: PageId;
  /** Whether the phone has older messages that are not here. */
  readonly endOfHistoryTransferType?: number | null;
  /** The hidden id of the person, of a chat with one. */
  readonly accountLid?: PageId;
  /** A token for pictures that are not public. */
  readonly tcToken?: unknown;
  readonly groupMetadata?: PageGroup;
  readonly newsletterMetadata?: PageChannel;
}

/** What the page knows of a group. It may be loaded before the members, and in parts. */
export interface PageGroup {
  readonly size?: number;
  readonly participants?: PageParticipants;
  readonly desc?: string;
  /** By which a change says what it replaces. */
  readonly descId?: string;
  readonly owner?: PageId;
  readonly creation?: number;
  /** Only admins write. */
  readonly announce?: boolean | number;
  /** Only admins change subject, description and picture. */
  readonly restrict?: boolean | number;
  readonly memberAddMode?: string;
  readonly memberLinkMode?: string;
  readonly membershipApprovalMode?: boolean | number;
  readonly isLidAddressingMode?: boolean;
}

/** What the page knows of a channel. */
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
  /** Counts it as seen in the page. */
  handleReadStatus?(id: PageId): void;
}

/** A contact of the page. */
export interface PageContact {
  readonly id: PageId;
  readonly name?: string;
  readonly pushname?: string;
  readonly isBusiness?: boolean;
  readonly isContactBlocked?: boolean;
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

/** The profile of a business. Without a profile, there is nothing but its id. */
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

/** A message that is handed to the page. */
export interface PageDraft {
  id: PageMessage['id'];
  readonly from?: unknown;
  readonly to?: unknown;
  /** The page forwards it: one of these, by build. */
  readonly forwardedFromWeb?: boolean;
  readonly multicast?: boolean;
  /** The message that it belongs to. */
  readonly parentMsgKey?: PageMessage['id'] | null;
  /** Ours, and taken out before the page sees it: what its id is to be. */
  chatWebMark?: SendMark | undefined;
}

/** Identifies a message on its way through the library. */
export interface SendMark {
  readonly call: string;
  /** The part of its id that is unique in its chat; undefined: the page chooses. */
  readonly messageId?: string | undefined;
}

/** A message that was forwarded: its id, and the message once it is in its chat. */
export interface HandedForward {
  readonly id: string;
  readonly added: Promise<PageMessage | undefined>;
}

/** How a send ended: `OK`, or one of several errors. */
export interface PageSendResult {
  readonly messageSendResult?: string;
  /** The network's code of a refusal. */
  readonly ackErrorCode?: number;
  readonly msg?: PageMessage;
}

/** An element of the page's document. */
export interface PageElement {
  readonly textContent: string | null;
  readonly isConnected: boolean;
  click(): void;
  getAttribute(name: string): string | null;
  matches(selector: string): boolean;
  dispatchEvent(event: object): boolean;
  querySelectorAll(selector: string): ArrayLike<PageElement> & Iterable<PageElement>;
}

/** What the page has told about the link. */
export interface LinkingState {
  /** When it last asked for a passkey, and whether its screen was ever seen. */
  passkeyAt: number;
  hasScreen: boolean;
  /** When a pairing code was last typed. */
  typedAt: number;
  /** What the network has asked for since the last look. */
  code?: 'renew' | 'end' | undefined;
}

/** The set-up state of the page. */
interface SetUpState {
  readonly document: string;
  injected?: boolean;
  listening?: boolean;
  /** What listens to changes. */
  attached?: Readonly<Record<string, boolean>>;
  /** The page's own `require`, wrapped by the one with stand-ins. */
  require?: (name: string) => unknown;
  /** What the page has told about the link; times are in milliseconds since 1970. */
  linking?: LinkingState;
  /** What has become since `since` was read at `at`: times in milliseconds since 1970. */
  caughtUp?: { readonly since: number; readonly at: number };
  /** How the account is to be shown; the page decides until that is set. */
  presence?: 'available' | 'unavailable';
  /** The page loads the statuses that it has stored, or has loaded them. */
  statuses?: Promise<unknown>;
  /** Texts of open dialogs. */
  dialogs?: readonly string[];
}

/** A message as it leaves the page. */
export interface MessageModel {
  readonly id: string;
  readonly fromMe: boolean;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly author: string | undefined;
  readonly quotedMessageId: string | undefined;
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
  readonly location?: { readonly latitude: number | undefined; readonly longitude: number | undefined } | undefined;
  readonly poll?: { readonly options: readonly (string | undefined)[]; readonly multiple: boolean } | undefined;
}

/** What the page tells the worker by itself. `call` identifies a send that the worker has asked for. */
export type PageSignal =
  | { readonly is: 'message'; readonly model: MessageModel }
  | { readonly is: 'ack'; readonly id: string; readonly ack: number }
  | ({ readonly is: 'change'; readonly happenedAt: number } & PageChange)
  /** The page sends this message itself. */
  | { readonly is: 'own'; readonly id: string }
  /** The page is about to hand the message over. */
  | { readonly is: 'sending'; readonly call: string }
  /** It hands it over under this id, which the worker has chosen a part of. */
  | { readonly is: 'handed'; readonly call: string; readonly id: string }
  /** It has handed it over, and the network takes its time to confirm it. */
  | { readonly is: 'sent'; readonly call: string; readonly id: string };

/** The outcome of a send, from the page's own promise. */
export interface SendOutcome {
  /** `unknown`: the network may have the message. */
  readonly is: 'sent' | 'refused' | 'unknown';
  /** The page's name for the outcome. */
  readonly name?: string | undefined;
  /** The network's code for it. */
  readonly code?: number | undefined;
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
}

/** The network's code of a refusal. */
export interface Refused {
  readonly refused: number;
}

/** A status that was posted: its message, or why it was refused. Undefined: the page returned no valid result. */
export type Posted = { readonly message: MessageModel } | { readonly refused: SendRefusal } | undefined;

/** A group that the account is a member of, and its members, if they were loaded in time. */
export interface OwnGroup {
  readonly group: PageChat;
  readonly members: readonly PageParticipant[] | undefined;
  /** Undefined while the members are unknown. */
  readonly isAdmin: boolean | undefined;
}

/** Why a group was not read or changed. */
export type GroupRefusal = 'no_group' | 'not_admin' | Refused;

/** The functions that our scripts share in the page. */
type PageTools = IdTools &
  NumberTools &
  MessageTools &
  OutcomeTools &
  SendTools &
  GroupTools &
  ChatTools &
  FileTools &
  PresenceTools &
  ChangeTools;

/** Media as the library prepares them: a model of the page, with fields of the library's own. */
type PageMedia = Record<string, unknown> & { toJSON?(): Record<string, unknown> };

/** The page's global object. */
export interface PageWindow {
  readonly document: {
    readonly body: PageElement | null;
    querySelectorAll(selector: string): Iterable<PageElement>;
  };
  require<N extends keyof PageModules>(name: N): PageModules[N];
  Debug?: { VERSION?: string };
  WWebJS: {
    getChat(id: string, options: { getAsModel: false }): Promise<PageChat | null | undefined>;
    sendMessage(chat: PageChat, content: string, options: object): Promise<PageMessage | undefined>;
    editMessage(message: PageMessage, content: string, options: object): Promise<PageMessage | undefined>;
    mediaInfoToFile(info: { data: string; mimetype: string; filename?: string }): File;
    processMediaData(info: object, options: object): Promise<PageMedia>;
    assertColor(hex: string): number;
    enforceLidAndPnRetrieval(id: string): Promise<{ lid?: PageId; phone?: PageId }>;
  };
  chatWeb?: SetUpState;
  chatWebTools: PageTools;
  /** Sends a `PageSignal`, as JSON, to the worker. There is no answer. */
  chatWebSignal(json: string): void;
  [name: string]: unknown;
}
