import type { PageChat, PageDraft, PageId, PageMessage, PageSendResult } from '../window.ts';
import { type Contract, fn, SEND, unchecked } from './part.ts';

interface Chosen {
  readonly type: 'message';
  readonly list: readonly PageMessage[];
}

/** Modules for sending messages, and for actions on them. */
export interface OutgoingModules {
  WAWebSendMsgChatAction: {
    addAndSendMsgToChat(chat: PageChat, message: PageDraft, ...more: unknown[]): Promise<unknown>[];
  };
  WALinkify: { findLinks(text: string, httpOnly: boolean): readonly object[] };
  WAWebCodeFormatMutator: { removeCodeBlocks(text: string): string };
  WAWebLinkPreviewChatAction: {
    getLinkPreview(link: object, chat: PageChat): Promise<{ readonly data?: object } | null | undefined>;
  };
  WAWebChatForwardMessage: {
    forwardMessages(what: {
      chat: PageChat;
      msgs: readonly PageMessage[];
      multicast: boolean;
      includeCaption: boolean;
    }): Promise<readonly PageMessage[] | undefined>;
  };
  WAWebFindChatAction: { findOrCreateLatestChat(id: PageId, reason: string, options?: object): Promise<unknown> };
  WAWebMsgReply: { canReplyMsg(message: PageMessage): boolean };
  WAWebSendReactionMsgAction: { sendReactionToMsg(message: PageMessage, emoji: string): Promise<unknown> };
  WAWebMsgActionCapability: {
    canSenderRevokeMsg(message: PageMessage): boolean;
    canAdminRevokeMsg(message: PageMessage): boolean;
    canForwardMsg(message: PageMessage): boolean;
    canStarMsg?(message: PageMessage): boolean;
    canPinMsg?(message: PageMessage): boolean;
    canEditText(message: PageMessage): boolean;
    canEditCaption(message: PageMessage): boolean;
  };
  WAWebChatSendMessages: {
    sendRevokeMsgs(chat: PageChat, messages: Chosen, clearMedia: boolean): Promise<readonly PageSendResult[]>;
    sendStarMsgs(chat: PageChat, messages: readonly PageMessage[], isStarred: boolean): Promise<unknown>;
    sendDeleteMsgs(
      ...args: [PageChat, Chosen, boolean] | [{ chat_: PageChat; record: Chosen; clearMedia: boolean }]
    ): Promise<unknown>;
  };
  WAWebSendStatusMsgAction: {
    sendStatusTextMsgAction(status: { color: number; font: number; text: string }): Promise<PageSendResult | undefined>;
    sendStatusMediaMsgAction(
      ...args:
        | [{ mediaMsgData: object; beforeSend: () => Promise<void>; funnelContext?: object }]
        | [object, () => Promise<void>]
    ): Promise<PageSendResult | undefined>;
  };
  WAWebRevokeStatusAction: { sendStatusRevokeMsgAction(status: unknown, message: PageMessage): Promise<unknown> };
  WAWebPostSendStatusFailure: { postStatusSendFailure?: ((...failure: unknown[]) => unknown) | undefined };
}

/** Modules that the library uses to send. */
type OfLibrary =
  | 'WAWebChatGetters'
  | 'WAWebGetEphemeralFieldsMsgActionsUtils'
  | 'WAWebSendMessageEditAction'
  | 'WAWebMediaOpaqueData'
  | 'WAWebPrepRawMedia'
  | 'WAWebMediaStorage'
  | 'WAWebMediaDataUtils'
  | 'WAWebMediaInMemoryBlobCache'
  | 'WAWebMediaMmsV4Upload'
  | 'WAWebUploadManager'
  | 'WAWebStartMediaUploadQpl'
  | 'WAWebBackendJobsCommon'
  | 'WAWebE2EProtoUtils';

/** Their parts. */
export const outgoingParts: Contract<OutgoingModules, OfLibrary> = {
  WAWebSendMsgChatAction: {
    addAndSendMsgToChat: fn(
      '(chat, message) → [Promise<message>, Promise<{messageSendResult, ackErrorCode}>]',
      ...SEND,
      'forwardMessage',
    ),
  },
  WAWebFindChatAction: {
    findOrCreateLatestChat: fn('(id) → Promise<{chat}>; throws «No LID for user»', ...SEND, 'forwardMessage'),
  },
  WAWebChatGetters: { getIsNewsletter: unchecked('(chat)'), getIsBroadcast: unchecked('(chat)') },
  WAWebGetEphemeralFieldsMsgActionsUtils: {
    getEphemeralFields: fn('(chat) → fields of a disappearing message', ...SEND),
  },
  WALinkify: {
    findLinks: unchecked('(text, whether only those with http or https) → links, for the preview of the first'),
  },
  WAWebCodeFormatMutator: {
    removeCodeBlocks: unchecked('(text) → the text without code blocks, whose links have no preview'),
  },
  WAWebLinkPreviewChatAction: {
    getLinkPreview: unchecked('(link, chat) → Promise<{data}> from the phone, which may take long; null for none'),
  },
  WAWebChatForwardMessage: {
    forwardMessages: fn(
      '({chat, msgs, multicast, includeCaption}) → Promise of the undelivered media; throws for a blocked recipient, hides other failures',
      'forwardMessage',
    ),
  },
  WAWebMsgReply: { canReplyMsg: fn('(message)', 'sendMessage.reply') },
  WAWebSendReactionMsgAction: {
    sendReactionToMsg: fn('(message, emoji) → Promise; throws if it fails', 'sendMessage.reaction'),
  },
  WAWebSendMessageEditAction: {
    sendMessageEdit: fn('(message, text, options) → Promise; throws «Cannot edit message»', 'editMessage'),
  },
  WAWebMsgActionCapability: {
    canSenderRevokeMsg: fn('(message)', 'deleteMessage'),
    canAdminRevokeMsg: fn('(message)', 'deleteMessage'),
    canForwardMsg: fn('(message)', 'forwardMessage'),
    canStarMsg: unchecked('the same'),
    canPinMsg: unchecked('the same; needs loaded members in a group'),
    canEditText: fn('(message)', 'editMessage'),
    canEditCaption: fn('(message)', 'editMessage'),
  },
  WAWebChatSendMessages: {
    sendRevokeMsgs: fn(
      "(chat, {type: 'message', list}, clearMedia) → Promise<[{messageSendResult}]>; while one is running in the chat, its promise",
      'deleteMessage',
    ),
    sendStarMsgs: fn(
      '(chat, messages, whether starred) → Promise; while one is running in the chat, its promise; other devices get it later',
      'starMessage',
    ),
    sendDeleteMsgs: fn(
      '({chat_, record: {type, list}, clearMedia}), in older builds (chat, record, clearMedia) → Promise of the number of deleted messages; while one is running in the chat, its promise',
      'deleteMessage',
    ),
  },
  WAWebMediaOpaqueData: {
    createFromData: fn('(blob, type) → Promise of the file', 'sendMessage.media', 'postStatus.media'),
  },
  WAWebPrepRawMedia: { prepRawMedia: fn('(file, intent) → {waitForPrep()}', 'sendMessage.media', 'postStatus.media') },
  WAWebMediaStorage: { getOrCreateMediaObject: fn('(filehash) → object', 'sendMessage.media', 'postStatus.media') },
  WAWebMediaDataUtils: { shouldUseMediaCache: unchecked('(type) → whether to cache it in memory') },
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
  WAWebStartMediaUploadQpl: { startMediaUploadQpl: fn('({entryPoint}) → a performance marker', 'sendMessage.sticker') },
  WAWebSendStatusMsgAction: {
    sendStatusTextMsgAction: fn('({text, color, font}) → Promise<{messageSendResult, msg}>', 'postStatus.text'),
    sendStatusMediaMsgAction: fn(
      '({mediaMsgData, beforeSend, funnelContext}), until spring 2026 (message, beforeSend) → Promise<{messageSendResult, msg}>',
      'postStatus.media',
    ),
  },
  WAWebRevokeStatusAction: {
    sendStatusRevokeMsgAction: fn('({revokeMsgs([id])}, message) → Promise; hides a failure', 'deleteMessage.status'),
  },
  WAWebPostSendStatusFailure: { postStatusSendFailure: unchecked('called when a status could not be sent; wrapped') },
  WAWebBackendJobsCommon: {
    mediaTypeFromProtobuf: fn(
      '(message) → its kind of media; the library makes it null for a location',
      'sendMessage.location',
    ),
  },
  WAWebE2EProtoUtils: {
    typeAttributeFromProtobuf: fn(
      '(message) → text, media, …; the library makes it text for a location',
      'sendMessage.location',
    ),
  },
};
