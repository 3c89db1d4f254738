import { modelFields } from './model-fields.ts';
import type { PageModules } from './window.ts';

/**
 * What a session can do, and loses if the page lacks a part: operations and events by their names, some of them split
 * by kind (`sendMessage.media`). `session` is all of it, `link` the QR, `logout` the event that the phone has unlinked
 * the account, `networkProbe` detecting a dead connection that the page says is alive.
 */
export type Capability =
  | ('session' | 'link' | 'message' | 'message_ack' | 'missedMessages' | 'lateDecryption' | 'phoneNumbers')
  | ('logout' | 'networkProbe' | 'requestPairingCode')
  | ('sendMessage.text' | 'sendMessage.media' | 'sendMessage.sticker' | 'sendMessage.reply' | 'sendMessage.reaction')
  | ('editMessage' | 'deleteMessage' | 'deleteMessage.status' | 'getMedia' | 'postStatus.text' | 'postStatus.media')
  | (
      | 'listChats'
      | 'listGroups'
      | 'createGroup'
      | 'addParticipants'
      | 'removeParticipants'
      | 'leaveGroup'
      | 'renameGroup'
    )
  | ('listContacts' | 'getContact' | 'numberExists' | 'getPicture');

/** One part of a module of the page that is used. */
export interface Part {
  /** Its kind; `any` if it may be absent at the time of the check, `field` for a field of models. */
  readonly is: 'function' | 'object' | 'string' | 'any' | 'field';
  /** How it is used: arguments and result. */
  readonly form: string;
  /** The capabilities that need it. */
  readonly without: readonly Capability[];
  /** An alternative: the capabilities are lost only if both are missing. */
  readonly or?: string;
}

const fn = (form: string, ...without: Capability[]): Part => ({ is: 'function', form, without });
const object = (form: string, ...without: Capability[]): Part => ({ is: 'object', form, without });
const unchecked = (form: string, ...without: Capability[]): Part => ({ is: 'any', form, without });
/** A part with an alternative. */
const either = (part: Part, or: string): Part => ({ ...part, or });

const SEND: Capability[] = ['sendMessage.text', 'sendMessage.media', 'sendMessage.sticker'];

/** Exports of a module, each once, and paths below them. */
type Parts<M> = { readonly [E in keyof M & string]-?: Part } & Readonly<
  Record<`${keyof M & string}${'' | '[]'}.${string}`, Part>
>;

/** Modules that the library's functions use: those that our scripts call, and those of its start. */
type LibraryModule =
  | ('WABase64' | 'WAWebAdvSignatureApi' | 'WAWebCompanionRegClientUtils')
  | ('WAWebOfflineHandler' | 'WAWebSignalStoreApi' | 'WAWebUserPrefsInfoStore' | 'WAWebUserPrefsMultiDevice')
  | ('WALinkify' | 'WAWebChatGetters' | 'WAWebFindChatAction' | 'WAWebGetEphemeralFieldsMsgActionsUtils')
  | ('WAWebLinkPreviewChatAction' | 'WAWebSendMessageEditAction' | 'WASmaxGroupsAddParticipantsRPC' | 'WAWebWidToJid')
  | ('WAWebMediaDataUtils' | 'WAWebMediaInMemoryBlobCache' | 'WAWebMediaMmsV4Upload' | 'WAWebMediaOpaqueData')
  | ('WAWebMediaStorage' | 'WAWebPrepRawMedia' | 'WAWebStartMediaUploadQpl' | 'WAWebUploadManager')
  | ('WAWebBackendJobsCommon' | 'WAWebE2EProtoUtils' | 'WAWebStreamModel')
  | ('WAWebMsgCollection' | 'WAWebChatCollection' | 'WAWebContactCollection')
  | ('WAWebStatusCollection' | 'WAWebBlocklistCollection' | 'WAWebGroupMetadataCollection');

/**
 * The contract with the page: every module that our scripts use (`PageModules`, which the compiler enforces) and every
 * module that the called functions of the library use (a test compares them with its source).
 *
 * Compared with published reconstructions of the page of April to October 2026; each start checks it again.
 */
export const contract: { readonly [N in keyof PageModules]: Parts<PageModules[N]> } & Readonly<
  Record<LibraryModule, Readonly<Record<string, Part>>>
> = {
  // Start and link.
  WAWebSocketModel: {
    Socket: object('the connection: on(event, listener)', 'session'),
    'Socket.on': fn('(change:state | change:hasSynced, listener)', 'session'),
    'Socket.state': unchecked('OPENING, PAIRING, UNPAIRED, CONNECTED, CONFLICT, …'),
    'Socket.hasSynced': unchecked('true once the page has synced'),
    'Socket.logout': unchecked('() → unlinks this device'),
  },
  WAWebStreamModel: { Stream: unchecked('mode MAIN once the page itself is up, for dialogs') },
  WAWebUserPrefsMeUser: {
    getMaybeMePnUser: fn('() → own id by number', 'session'),
    getMaybeMeLidUser: fn('() → own hidden id', 'session'),
  },
  WAWebWidFactory: {
    createWid: fn('(text) → id; throws for an invalid id', 'session'),
    asUserWidOrThrow: fn("(id) → the person's id, in groups and in the status feed", ...SEND, 'postStatus.media'),
  },
  WAWebMsgKey: {
    prototype: object('toString() is the serialised id', 'session'),
    newId: fn('() → Promise of a new id', ...SEND, 'postStatus.media'),
  },
  WAWebCollections: {
    Msg: either(object('the messages', 'session'), 'WAWebMsgCollection.MsgCollection'),
    'Msg.on': either(fn('(add | change:ack, listener(message, value))', 'session'), 'WAWebMsgCollection.MsgCollection'),
    'Msg.get': either(fn('(serialised id) → message', 'session'), 'WAWebMsgCollection.MsgCollection'),
    'Msg.getModelsArray': either(fn('() → messages', 'missedMessages'), 'WAWebMsgCollection.MsgCollection'),
    'Msg.getMessagesById': unchecked('([serialised id]) → Promise<{messages}>, also of those not loaded'),
    Chat: either(object('the chats', 'session'), 'WAWebChatCollection.ChatCollection'),
    'Chat.get': either(fn('(id) → chat', 'session'), 'WAWebChatCollection.ChatCollection'),
    'Chat.getModelsArray': either(
      fn('() → chats', 'listChats', 'listGroups', 'missedMessages'),
      'WAWebChatCollection.ChatCollection',
    ),
    Contact: either(
      object('people and groups', 'listContacts', 'getContact'),
      'WAWebContactCollection.ContactCollection',
    ),
    'Contact.get': either(fn('(id) → contact', 'getContact'), 'WAWebContactCollection.ContactCollection'),
    'Contact.getModelsArray': either(fn('() → contacts', 'listContacts'), 'WAWebContactCollection.ContactCollection'),
    Blocklist: unchecked('get(id) → there if blocked'),
    Status: either(
      object('getMyStatus() → own feed', 'deleteMessage.status'),
      'WAWebStatusCollection.StatusCollection',
    ),
    GroupMetadata: unchecked('update(group id) queries the members'),
    WAWebGroupMetadataCollection: unchecked('the same, under its name in other builds'),
    ...modelFields,
  },
  // The collections by themselves, for a build that lacks the module that holds them all.
  WAWebMsgCollection: { MsgCollection: object('the messages') },
  WAWebChatCollection: { ChatCollection: object('the chats') },
  WAWebContactCollection: { ContactCollection: object('people and groups') },
  WAWebStatusCollection: { StatusCollection: object('the status feed, by who posted') },
  WAWebBlocklistCollection: { BlocklistCollection: object('who is blocked') },
  WAWebGroupMetadataCollection: {},
  WAWebConnModel: { Conn: object('pushname, platform; ref and on(change:ref) for the QR', 'link') },
  WAWebCmd: {
    Cmd: object('on(logout | logout_from_bridge | offline_progress_update_from_bridge), refreshQR()', 'logout'),
  },
  WAWebLaunchSocketUtils: {
    refreshQR: either(fn('() → fresh QR references; in older builds Cmd.refreshQR', 'link'), 'WAWebCmd.Cmd'),
  },
  WAWebLinkDeviceEvents: {
    WAWebLinkDeviceEvents: unchecked('on(link_device_events:…, listener)'),
  },
  WAWebOfflineHandler: { OfflineMessageHandler: unchecked('getOfflineDeliveryProgress() → percent, 99 at most') },
  WAWebBuildConstants: { VERSION_STR: unchecked('the version, where window.Debug does not say it') },
  WABase64: { encodeB64: fn('(bytes) → text', 'link') },
  WAWebCompanionRegClientUtils: { DEVICE_PLATFORM: unchecked('part of the QR', 'link') },
  WAWebAdvSignatureApi: {},
  WAWebAltDeviceLinkingApi: {
    setPairingType: fn('(ALT_DEVICE_LINKING | QR_CODE)', 'requestPairingCode'),
    initializeAltDeviceLinking: fn('() → Promise; removes the secret of the QR', 'requestPairingCode'),
    startAltLinkingFlow: fn(
      '(digits, whether the phone is notified) → Promise<code>; throws {type: {name, value: {code}}}',
      'requestPairingCode',
    ),
    initializeQRLinking: unchecked('() → Promise; another secret for the QR'),
  },
  WAWebUserPrefsInfoStore: { waNoiseInfo: object('get() → {staticKeyPair}', 'link') },
  WAWebSignalStoreApi: { waSignalStore: object('getRegistrationInfo() → {identityKeyPair}', 'link') },
  WAWebUserPrefsMultiDevice: { getADVSecretKey: fn('() → part of the QR', 'link') },

  // Messages in.
  WAWebChatLoadMessages: {
    loadEarlierMsgs: fn('({chat}) → Promise of older messages; none at the beginning', 'missedMessages'),
  },
  WAWebSyncGatingUtils: { isPlaceholderMessageResendEnabled: unchecked('() → replaced by true, where it is there') },
  WAWebNonMessageDataRequestPlaceholderMessageResendUtils: {
    handlePlaceholderMsgsSeen: fn('(messages, true) → requests messages that could not be decrypted', 'lateDecryption'),
  },
  WAWebMmsMediaTypes: {
    getMsgMediaType: fn('(message) → type of its file for the download', 'getMedia'),
    msgToMediaType: fn(
      '({type, isGif, isNewsletter}) → the same for an upload',
      'sendMessage.media',
      'postStatus.media',
    ),
    castToV4: fn('(type) → type', 'sendMessage.media', 'postStatus.media'),
  },
  WAWebDownloadManager: {
    downloadManager: object('downloads and decrypts', 'getMedia'),
    'downloadManager.downloadAndMaybeDecrypt': fn(
      '({directPath, encFilehash, filehash, mediaKey, mediaKeyTimestamp, type, mimetype, signal, downloadQpl}) → ArrayBuffer, Uint8Array or Blob',
      'getMedia',
    ),
  },
  WAWebStartMediaDownloadQpl: {
    startMediaDownloadQpl: unchecked('({entryPoint}) → a measure; one of our own without it'),
  },

  // Messages out.
  WAWebSendMsgChatAction: {
    addAndSendMsgToChat: fn(
      '(chat, message) → [Promise<message>, Promise<{messageSendResult, ackErrorCode}>]',
      ...SEND,
    ),
  },
  WAWebFindChatAction: { findOrCreateLatestChat: fn('(id) → Promise<{chat}>; throws «No LID for user»', ...SEND) },
  WAWebChatGetters: { getIsNewsletter: unchecked('(chat)'), getIsBroadcast: unchecked('(chat)') },
  WAWebGetEphemeralFieldsMsgActionsUtils: {
    getEphemeralFields: fn('(chat) → fields of a message that disappears', ...SEND),
  },
  WALinkify: { findLink: unchecked('(text) → link, for its preview') },
  WAWebLinkPreviewChatAction: { getLinkPreview: unchecked('(link) → Promise<{data}>') },
  WAWebMsgReply: { canReplyMsg: fn('(message)', 'sendMessage.reply') },
  WAWebQueryExistsJob: {
    queryWidExists: fn(
      '(id) → Promise<{wid} | null>; queries the network, and stores hidden ids',
      ...(['numberExists', 'createGroup', 'addParticipants', 'removeParticipants', 'networkProbe'] as const),
    ),
  },
  WAWebSendReactionMsgAction: {
    sendReactionToMsg: fn('(message, emoji) → Promise; throws where it fails', 'sendMessage.reaction'),
  },
  WAWebSendMessageEditAction: {
    sendMessageEdit: fn('(message, text, options) → Promise; throws «Cannot edit message»', 'editMessage'),
  },
  WAWebMsgActionCapability: {
    canSenderRevokeMsg: fn('(message)', 'deleteMessage'),
    canAdminRevokeMsg: fn('(message)', 'deleteMessage'),
    canEditText: fn('(message)', 'editMessage'),
    canEditCaption: fn('(message)', 'editMessage'),
  },
  WAWebChatSendMessages: {
    sendRevokeMsgs: fn("(chat, {type: 'message', list}, clearMedia) → Promise<[{messageSendResult}]>", 'deleteMessage'),
    sendDeleteMsgs: fn(
      '({chat_, record: {type, list}, clearMedia}), in older builds (chat, record, clearMedia)',
      'deleteMessage',
    ),
  },
  WAWebMediaOpaqueData: {
    createFromData: fn('(blob, type) → Promise of the file', 'sendMessage.media', 'postStatus.media'),
  },
  WAWebPrepRawMedia: { prepRawMedia: fn('(file, intent) → {waitForPrep()}', 'sendMessage.media', 'postStatus.media') },
  WAWebMediaStorage: { getOrCreateMediaObject: fn('(filehash) → object', 'sendMessage.media', 'postStatus.media') },
  WAWebMediaDataUtils: { shouldUseMediaCache: unchecked('(type) → whether to keep it in memory') },
  WAWebMediaInMemoryBlobCache: { InMemoryMediaBlobCache: unchecked('put(filehash, blob)') },
  WAWebMediaMmsV4Upload: {
    uploadMedia: fn(
      '({mimetype, mediaObject, mediaType}) → Promise<{mediaEntry}>',
      'sendMessage.media',
      'postStatus.media',
    ),
  },
  WAWebUploadManager: {
    encryptAndUpload: fn('({blob, type, signal, mediaKey, uploadQpl}) → Promise', 'sendMessage.sticker'),
  },
  WAWebStartMediaUploadQpl: { startMediaUploadQpl: fn('({entryPoint}) → a measure', 'sendMessage.sticker') },
  WAWebSendStatusMsgAction: {
    sendStatusTextMsgAction: fn('({text, color, font}) → Promise<{messageSendResult, msg}>', 'postStatus.text'),
    sendStatusMediaMsgAction: fn(
      '({mediaMsgData, beforeSend, funnelContext}), to spring 2026 (message, beforeSend) → Promise<{messageSendResult, msg}>',
      'postStatus.media',
    ),
  },
  WAWebRevokeStatusAction: { sendStatusRevokeMsgAction: fn('(own status, message) → Promise', 'deleteMessage.status') },

  // People and groups.
  WAWebApiContact: {
    getCurrentLid: fn(
      '(id by number) → hidden id, from memory',
      ...(['phoneNumbers', 'getPicture', 'addParticipants', 'removeParticipants'] as const),
    ),
    getPhoneNumber: either(
      fn('(hidden id) → id by number, from memory', 'phoneNumbers'),
      'WAWebLidMigrationUtils.toPn',
    ),
  },
  WAWebLidMigrationUtils: { toPn: either(fn('the same', 'phoneNumbers'), 'WAWebApiContact.getPhoneNumber') },
  WAWebContactGetters: {
    getIsMe: unchecked('(contact)'),
    getIsUser: unchecked('(contact)'),
    getIsWAContact: unchecked('(contact)'),
    getName: unchecked('(contact) → name in the address book'),
    getPushname: unchecked('(contact) → name that the person chose'),
  },
  WAWebFrontendContactGetters: { getIsMyContact: unchecked('(contact)') },
  WAWebContactProfilePicThumbBridge: {
    requestProfilePicFromServer: fn("({id, tcToken}) → Promise<{eurl} | {tag: ''} | {stale: true}>", 'getPicture'),
  },
  WAWebGroupQueryJob: {
    queryAndUpdateGroupMetadataById: unchecked('({id}) → Promise; rejects if the network limits the rate'),
  },
  WAWebGroupCreateJob: { createGroup: fn('(options, [{phoneNumber}]) → Promise<{wid}>', 'createGroup') },
  WAWebGroupModifyInfoJob: { setGroupSubject: fn('(group id, subject) → Promise', 'renameGroup') },
  WAWebExitGroupAction: {
    sendExitGroup: fn('(chat) → Promise<true | false>; false if the network refuses', 'leaveGroup'),
  },
  WAWebModifyParticipantsGroupAction: {
    removeParticipants: fn('(chat, members) → Promise; throws for all if one is not allowed', 'removeParticipants'),
  },
  WASmaxGroupsAddParticipantsRPC: {
    sendAddParticipantsRPC: fn('({iqTo, participantArgs}) → Promise', 'addParticipants'),
  },
  WAWebWidToJid: {
    widToGroupJid: fn('(id) → text', 'addParticipants'),
    widToUserJid: fn('(id) → text', 'addParticipants'),
  },

  // Wrapped by the library at its start, for kinds of messages that are not sent from here.
  WAWebBackendJobsCommon: {},
  WAWebE2EProtoUtils: {},
};

/**
 * Components of the page that contain a module which is not loaded at its start, best first. The page's loader takes
 * only names of components; which modules they contain follows from published dependency graphs.
 */
export const components: Readonly<Record<string, readonly string[]>> = {
  WAWebContactProfilePicThumbBridge: ['WAWebProfileDrawer.react', 'WAWebNewGroupFlow.react'],
  WAWebExitGroupAction: ['WAWebNewGroupFlow.react', 'WAWebExistingGroupPermissionsDrawer.react'],
  WAWebGroupCreateJob: ['WAWebNewGroupFlow.react'],
  WAWebModifyParticipantsGroupAction: ['WAWebNewGroupFlow.react', 'WAWebExistingGroupPermissionsDrawer.react'],
  WAWebPrepRawMedia: ['WAWebMediaForwardMediaMsg', 'WAWebAttachMediaFlow.react', 'WAWebStatusAttachMediaFlow.react'],
  WAWebRevokeStatusAction: ['WAWebStatusViewer.react', 'WAWebStatusDrawerFlow.react'],
  WAWebSendStatusMsgAction: [
    ...['WAWebCreateTextStatusFlow.react', 'WAWebStatusViewer.react', 'WAWebStatusDrawerFlow.react'],
  ],
  WAWebUploadManager: ['WAWebMediaForwardMediaMsg', 'WAWebAttachMediaFlow.react', 'WAWebStatusAttachMediaFlow.react'],
};
