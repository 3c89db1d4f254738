import type { FileTools } from './tools/files.ts';
import type { GroupTools } from './tools/groups.ts';
import type { IdTools } from './tools/identities.ts';
import type { MessageTools } from './tools/messages.ts';
import type { OutcomeTools } from './tools/outcomes.ts';

/**
 * The page as scripts see it: the library's own helpers, and the modules that the library reads through the page's
 * registry. Only what is used here; `contract.ts` says of each part what it is for.
 *
 * Scripts are sent to the page as text, so each can use nothing but its arguments and `window`. What several of them
 * share is hung on `window.chatWebTools` once the page is listened to.
 */

/** An id of the page: its text is the serialised form, however this build spells the property that holds it. */
export interface PageId {
  readonly user?: string;
  readonly server?: string;
  toString(): string;
}

/** A message of the page. */
export interface PageMessage {
  readonly id: PageId & { readonly fromMe: boolean; readonly remote: PageId };
  readonly from?: PageId;
  readonly to?: PageId;
  readonly author?: PageId;
  readonly ack: number;
  readonly type: string;
  readonly subtype?: string;
  /** It came in while the page was there. */
  readonly isNewMsg?: boolean;
  readonly isStatusV3?: boolean;
  readonly isForwarded?: boolean;
  /** The page has given up on sending it, or on its last edit. */
  readonly isSendFailure?: boolean;
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
  readonly mentionedJidList?: readonly PageId[];
  downloadMedia(options: {
    downloadEvenIfExpensive: boolean;
    isUserInitiated: boolean;
    rmrReason: number;
  }): Promise<unknown>;
  once(event: string, listener: (message: PageMessage) => void): void;
  unsafe(): PageMessage;
}

/** A member of a group. */
export interface PageParticipant {
  readonly id: PageId;
  readonly isAdmin?: boolean;
  readonly isSuperAdmin?: boolean;
}

/** The members of a group, as far as the page has loaded them. */
interface PageParticipants {
  getModelsArray(): PageParticipant[];
  get(id: unknown): PageParticipant | undefined;
}

/** A chat of the page; groups have metadata, which may be there before their members are. */
export interface PageChat {
  readonly id: PageId;
  readonly name?: string;
  readonly formattedTitle?: string;
  readonly unreadCount?: number;
  readonly t?: number;
  /** Those of its messages that are loaded. */
  readonly msgs: { getModelsArray(): PageMessage[] };
  readonly lastReceivedKey?: PageId;
  /** Lets the account see pictures that are not for everybody. */
  readonly tcToken?: unknown;
  readonly groupMetadata?: { readonly size?: number; readonly participants?: PageParticipants };
}

/** Somebody whom the page knows. */
export interface PageContact {
  readonly id: PageId;
  readonly name?: string;
  readonly pushname?: string;
  readonly isBusiness?: boolean;
  readonly isContactBlocked?: boolean;
}

/** How a send ended: `OK`, or one of several errors. */
export interface PageSendResult {
  readonly messageSendResult?: string;
  /** The network's own code, where it has refused. */
  readonly ackErrorCode?: number;
  readonly msg?: PageMessage;
}

/** Measures a download, for the page's own statistics. */
interface PageMeasure {
  addAnnotations(annotations: object): unknown;
}

interface Found<T> {
  get(id: unknown): T | undefined;
  getModelsArray(): T[];
}

interface Chosen {
  readonly type: 'message';
  readonly list: readonly PageMessage[];
}

type Getter<R> = (contact: PageContact) => R;

/** Modules by the names under which the page registers them. */
export interface PageModules {
  WAWebApiContact: {
    getCurrentLid(wid: unknown): PageId | undefined;
    getPhoneNumber(wid: unknown): PageId | undefined;
  };
  WAWebBuildConstants: { VERSION_STR: string };
  WAWebChatLoadMessages: {
    loadEarlierMsgs(what: { chat: PageChat }): Promise<readonly PageMessage[] | undefined>;
  };
  WAWebChatSendMessages: {
    sendRevokeMsgs(chat: PageChat, messages: Chosen, clearMedia: boolean): Promise<readonly PageSendResult[]>;
    sendDeleteMsgs(
      ...args: [PageChat, Chosen, boolean] | [{ chat_: PageChat; record: Chosen; clearMedia: boolean }]
    ): Promise<unknown>;
  };
  WAWebCmd: { Cmd: { refreshQR?(): void; on(event: string, listener: () => void): void } };
  WAWebCollections: {
    Blocklist: { get(id: unknown): unknown };
    Chat: Found<PageChat>;
    Contact: Found<PageContact>;
    GroupMetadata?: { update(wid: unknown): Promise<unknown> };
    WAWebGroupMetadataCollection?: { update(wid: unknown): Promise<unknown> };
    Status: { getMyStatus(): unknown };
    Msg: {
      get(id: string): PageMessage | undefined;
      getModelsArray(): PageMessage[];
      getMessagesById(ids: string[]): Promise<{ messages?: PageMessage[] } | undefined>;
      on(event: string, listener: (message: PageMessage, value?: unknown) => void): void;
      off(event: string, listener: (message: PageMessage) => void): void;
    };
  };
  WAWebConnModel: { Conn: { pushname?: string; platform?: string } };
  WAWebContactGetters: {
    getIsMe: Getter<boolean>;
    getIsUser: Getter<boolean>;
    getIsWAContact: Getter<boolean>;
    getName: Getter<string | undefined>;
    getPushname: Getter<string | undefined>;
  };
  WAWebContactProfilePicThumbBridge: {
    requestProfilePicFromServer(what: {
      id: unknown;
      tcToken?: unknown;
    }): Promise<{ eurl?: string; tag?: string; stale?: boolean } | undefined>;
  };
  WAWebDownloadManager: {
    downloadManager: { downloadAndMaybeDecrypt(media: object): Promise<ArrayBuffer | Uint8Array<ArrayBuffer> | Blob> };
  };
  WAWebExitGroupAction: { sendExitGroup(chat: PageChat): Promise<unknown> };
  WAWebFrontendContactGetters: { getIsMyContact: Getter<boolean> };
  WAWebGroupCreateJob: { createGroup(options: object, people: { phoneNumber: object }[]): Promise<{ wid: PageId }> };
  WAWebGroupModifyInfoJob: { setGroupSubject(group: unknown, subject: string): Promise<unknown> };
  WAWebGroupQueryJob: { queryAndUpdateGroupMetadataById(what: { id: unknown }): Promise<unknown> };
  WAWebLaunchSocketUtils: { refreshQR(): void };
  WAWebLidMigrationUtils: { toPn(wid: unknown): PageId | undefined };
  WAWebMmsMediaTypes: {
    getMsgMediaType(message: PageMessage): string;
    msgToMediaType(what: object): string;
    castToV4(type: string): string;
  };
  WAWebModifyParticipantsGroupAction: {
    removeParticipants(chat: PageChat, participants: readonly PageParticipant[]): Promise<unknown>;
  };
  WAWebMsgActionCapability: {
    canSenderRevokeMsg(message: PageMessage): boolean;
    canAdminRevokeMsg(message: PageMessage): boolean;
    canEditText(message: PageMessage): boolean;
    canEditCaption(message: PageMessage): boolean;
  };
  WAWebMsgKey: {
    prototype: object;
    newId(): Promise<string>;
    new (parts: { from: unknown; to: unknown; id: string; participant: unknown; selfDir: 'out' }): PageMessage['id'];
  };
  WAWebMsgReply: { canReplyMsg(message: PageMessage): boolean };
  WAWebNonMessageDataRequestPlaceholderMessageResendUtils: {
    handlePlaceholderMsgsSeen(messages: readonly PageMessage[], isUrgent: boolean): unknown;
  };
  WAWebQueryExistsJob: { queryWidExists(wid: unknown): Promise<{ wid?: PageId } | null> };
  WAWebRevokeStatusAction: { sendStatusRevokeMsgAction(status: unknown, message: PageMessage): Promise<unknown> };
  WAWebSendMsgChatAction: {
    addAndSendMsgToChat(chat: PageChat, message: { readonly id: unknown }, ...more: unknown[]): Promise<unknown>[];
  };
  WAWebSendReactionMsgAction: { sendReactionToMsg(message: PageMessage, emoji: string): Promise<unknown> };
  WAWebSendStatusMsgAction: {
    sendStatusTextMsgAction(status: { color: number; font: number; text: string }): Promise<PageSendResult | undefined>;
    sendStatusMediaMsgAction(
      ...args:
        | [{ mediaMsgData: object; beforeSend: () => Promise<void>; funnelContext?: object }]
        | [object, () => Promise<void>]
    ): Promise<PageSendResult | undefined>;
  };
  WAWebSocketModel: {
    Socket: { state: string; hasSynced?: boolean; logout(): Promise<void>; on(event: string, listener: unknown): void };
  };
  WAWebStartMediaDownloadQpl: { startMediaDownloadQpl(options: { entryPoint: string }): PageMeasure };
  WAWebSyncGatingUtils: { isPlaceholderMessageResendEnabled?(): boolean };
  WAWebUserPrefsMeUser: { getMaybeMePnUser(): PageId | undefined; getMaybeMeLidUser(): PageId | undefined };
  WAWebWidFactory: { createWid(id: string): object; asUserWidOrThrow(wid: unknown): PageId };
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

/** How far the page has been set up. */
interface SetUpState {
  readonly document: string;
  injected?: boolean;
  listening?: boolean;
  /** The page's own `require`, behind the one that knows stand-ins. */
  require?: (name: string) => unknown;
  /** Texts of dialogs that nothing has closed. */
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
}

/** What became of a send, as the page's own promise says it. */
export interface SendOutcome {
  /** `unknown`: the network may have it, whatever the page says. */
  readonly is: 'sent' | 'refused' | 'unknown';
  /** The page's name for the outcome. */
  readonly name?: string | undefined;
  /** The network's code for it. */
  readonly code?: number | undefined;
}

/** The network says no, with this code. */
export interface Refused {
  readonly refused: number;
}

/** A post to the status feed: its message, or why it was refused. Undefined: the page does not say, or not legibly. */
export type Posted = { readonly message: MessageModel } | { readonly refused: string } | undefined;

/** A group that the account is in, and its members, if they became known in time. */
export interface OwnGroup {
  readonly group: PageChat;
  readonly members: readonly PageParticipant[] | undefined;
  /** Undefined while the members are not known. */
  readonly isAdmin: boolean | undefined;
}

/** What our scripts share in the page, there as soon as it is listened to. */
type PageTools = IdTools & MessageTools & OutcomeTools & GroupTools & FileTools;

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
    getAddParticipantsRpcResult(group: unknown, person: unknown): Promise<{ code?: number }>;
  };
  chatWeb?: SetUpState;
  chatWebTools: PageTools;
  /** Told of messages and acks by the listeners; behind them is the worker. */
  chatWebOnMessage(model: MessageModel): void;
  chatWebOnAck(id: string, ack: number): void;
  [name: string]: unknown;
}
