/**
 * The page as scripts see it: the library's own helpers, and the modules that the library reads through the page's
 * registry. Only what is used here.
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
  /** It came in while the page was there. */
  readonly isNewMsg?: boolean;
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
  downloadMedia(options: { downloadEvenIfExpensive: boolean; rmrReason: number }): Promise<unknown>;
  unsafe(): PageMessage;
}

/** A member of a group. */
export interface PageParticipant {
  readonly id: PageId;
  readonly isAdmin?: boolean;
  readonly isSuperAdmin?: boolean;
}

/** A chat of the page; groups have metadata. */
export interface PageChat {
  readonly id: PageId;
  readonly name?: string;
  readonly formattedTitle?: string;
  readonly unreadCount?: number;
  readonly t?: number;
  /** Those of its messages that are loaded. */
  readonly msgs: { getModelsArray(): PageMessage[] };
  readonly lastReceivedKey?: PageId;
  readonly groupMetadata?: {
    readonly participants: { getModelsArray(): PageParticipant[]; get(id: unknown): PageParticipant | undefined };
  };
  iAmAdmin?(): boolean;
}

/** Somebody whom the page knows. */
export interface PageContact {
  readonly id: PageId;
  readonly phoneNumber?: PageId;
}

interface Found<T> {
  get(id: unknown): T | undefined;
  getModelsArray(): T[];
}

/** Modules by the names under which the page registers them. */
export interface PageModules {
  WAWebApiContact: {
    getCurrentLid(wid: unknown): PageId | undefined;
    getPhoneNumber(wid: unknown): PageId | undefined;
  };
  WAWebChatLoadMessages: {
    loadEarlierMsgs(what: { chat: PageChat }): Promise<readonly PageMessage[] | undefined>;
  };
  WAWebCmd: {
    Cmd: {
      refreshQR?(): void;
      sendRevokeMsgs(chat: PageChat, messages: object, options: object): Promise<unknown>;
      sendDeleteMsgs(chat: PageChat, messages: object, clearMedia: boolean): Promise<unknown>;
    };
  };
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
      on(event: string, listener: (message: PageMessage) => void): void;
      off(event: string, listener: (message: PageMessage) => void): void;
    };
  };
  WAWebConnModel: { Conn: { pushname?: string; platform?: string } };
  WAWebContactProfilePicThumbBridge: {
    requestProfilePicFromServer(chat: { id: unknown }): Promise<{ eurl?: string } | undefined>;
  };
  WAWebDownloadManager: {
    downloadManager: { downloadAndMaybeDecrypt(media: object): Promise<ArrayBuffer> };
  };
  WAWebExitGroupAction: { sendExitGroup(chat: PageChat): Promise<unknown> };
  WAWebGroupCreateJob: { createGroup(options: object, people: { phoneNumber: object }[]): Promise<{ wid: PageId }> };
  WAWebGroupModifyInfoJob: { setGroupSubject(group: unknown, subject: string): Promise<unknown> };
  WAWebLaunchSocketUtils: { refreshQR(): void };
  WAWebLidMigrationUtils: { toPn(wid: unknown): PageId | undefined };
  WAWebModifyParticipantsGroupAction: {
    removeParticipants(chat: PageChat, participants: PageParticipant[]): Promise<unknown>;
  };
  WAWebMsgActionCapability: {
    canSenderRevokeMsg(message: PageMessage): boolean;
    canAdminRevokeMsg(message: PageMessage): boolean;
    canEditText(message: PageMessage): boolean;
    canEditCaption(message: PageMessage): boolean;
  };
  WAWebMsgKey: { prototype: object };
  WAWebMsgReply: { canReplyMsg(message: PageMessage): boolean };
  WAWebQueryExistsJob: { queryWidExists(wid: unknown): Promise<{ wid?: PageId } | null> };
  WAWebRevokeStatusAction: { sendStatusRevokeMsgAction(status: unknown, message: PageMessage): Promise<unknown> };
  WAWebSendReactionMsgAction: { sendReactionToMsg(message: PageMessage, emoji: string): Promise<unknown> };
  WAWebSendStatusMsgAction: {
    sendStatusTextMsgAction(status: { color: number; font: number; text: string }): Promise<unknown>;
  };
  WAWebSocketModel: { Socket: { state: string; hasSynced?: boolean; logout(): Promise<void> } };
  WAWebUserPrefsMeUser: { getMaybeMePnUser(): PageId | undefined; getMaybeMeLidUser(): PageId | undefined };
  WAWebWidFactory: { createWid(id: string): object };
}

interface PageElement {
  click(): void;
  querySelectorAll(selector: string): ArrayLike<PageElement>;
}

/** How far the page has been set up. */
export interface SetUpState {
  readonly document: string;
  injected?: boolean;
  listening?: boolean;
}

/** What our scripts share in the page, there as soon as it is listened to. */
export interface PageTools {
  /** The id of a person by phone number where the page knows it; other ids as they are. */
  phoneOr(id: PageId | undefined): string | undefined;
  /** True for an error by which the network says no, as against one of the page. */
  isRefusal(error: unknown): boolean;
  /** A message by its serialised id, also one that is not loaded. */
  findMessage(id: string): Promise<PageMessage | undefined>;
  /** What the API tells of a contact; its id by phone number where that is known. */
  contactModel(contact: PageContact): Record<string, unknown>;
  /** A group that the account is in; one that it has left stays listed in the page. */
  ownGroup(id: string): PageChat | undefined;
  /** True for the account's own id, by number or hidden. */
  isMe(id: PageId): boolean;
  /** Keeps a file, unless it has been dropped before it came. */
  keep(key: string, file: Blob): void;
  drop(key: string): void;
  /** Files on their way into a message, and blobs on their way out of one, by a key of ours. */
  readonly files: Map<string, Blob>;
}

/** The page's global object. */
export interface PageWindow {
  readonly document: { querySelectorAll(selector: string): Iterable<PageElement> };
  require<N extends keyof PageModules>(name: N): PageModules[N];
  WWebJS: {
    getChat(id: string, options: { getAsModel: false }): Promise<PageChat | null | undefined>;
    getContactModel(contact: PageContact): Record<string, unknown>;
    getMessageModel(message: PageMessage): Record<string, unknown>;
    sendMessage(chat: PageChat, content: string, options: object): Promise<PageMessage | undefined>;
    editMessage(message: PageMessage, content: string, options: object): Promise<PageMessage | undefined>;
    mediaInfoToFile(info: { data: string; mimetype: string; filename?: string }): File;
    assertColor(hex: string): number;
    enforceLidAndPnRetrieval(id: string): Promise<{ lid?: PageId; phone?: PageId }>;
    getAddParticipantsRpcResult(group: unknown, person: unknown): Promise<{ code?: number }>;
  };
  chatWeb?: SetUpState;
  chatWebTools: PageTools;
  [name: string]: unknown;
}
