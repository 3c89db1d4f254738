import type { PageChat, PageDraft, PageId, PageMessage, PageSendResult } from '../models.ts';
import { type Contract, fn, SEND, unchecked } from './part.ts';

interface Chosen {
  readonly type: 'message';
  readonly list: readonly PageMessage[];
}

/** Modules for sending messages, and for actions on them. */
export interface OutgoingModules {
  WAWebSendMsgChatAction: {
    /** Returns a promise of the message, and one of the `PageSendResult`. */
    addAndSendMsgToChat(chat: PageChat, message: PageDraft, ...more: unknown[]): Promise<unknown>[];
  };
  WALinkify: {
    /** The first is previewed. */
    findLinks(text: string, httpOnly: boolean): readonly object[];
  };
  WAWebCodeFormatMutator: {
    /** Returns the text without code blocks, whose links have no preview. */
    removeCodeBlocks(text: string): string;
  };
  WAWebLimitSharingPropMappingUtils: {
    getLimitSharingTriggerFromGroupSettingsChange(trigger: string): unknown;
  };
  WAWebLinkPreviewChatAction: {
    /** From the phone, which may take long. Null for none. */
    getLinkPreview(link: object, chat: PageChat): Promise<{ readonly data?: object } | null | undefined>;
  };
  WAWebChatForwardMessage: {
    /** Resolves with the undelivered media. Throws for a blocked recipient; hides other failures. */
    forwardMessages(what: {
      chat: PageChat;
      msgs: readonly PageMessage[];
      multicast: boolean;
      includeCaption: boolean;
    }): Promise<readonly PageMessage[] | undefined>;
  };
  WAWebFindChatAction: {
    /** Throws `No LID for user`. */
    findOrCreateLatestChat(id: PageId, reason: string, options?: object): Promise<unknown>;
  };
  WAWebMsgReply: { canReplyMsg(message: PageMessage): boolean };
  WAWebSendReactionMsgAction: {
    /** Throws if it fails. */
    sendReactionToMsg(message: PageMessage, emoji: string): Promise<unknown>;
  };
  WAWebMsgActionCapability: {
    canSenderRevokeMsg(message: PageMessage): boolean;
    canAdminRevokeMsg(message: PageMessage): boolean;
    canForwardMsg(message: PageMessage): boolean;
    canStarMsg?(message: PageMessage): boolean;
    /** Needs the loaded members in a group. */
    canPinMsg?(message: PageMessage): boolean;
    canEditText(message: PageMessage): boolean;
    canEditCaption(message: PageMessage): boolean;
  };
  WAWebChatSendMessages: {
    /** While one is running in the chat, returns its promise. */
    sendRevokeMsgs(chat: PageChat, messages: Chosen, clearMedia: boolean): Promise<readonly PageSendResult[]>;
    /** While one is running in the chat, returns its promise. Other devices get it later. */
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
  WAWebRevokeStatusAction: {
    /** Hides a failure. */
    sendStatusRevokeMsgAction(status: unknown, message: PageMessage): Promise<unknown>;
  };
  WAWebPostSendStatusFailure: {
    /** Called when a status could not be sent. Wrapped. */
    postStatusSendFailure?: ((...failure: unknown[]) => unknown) | undefined;
  };
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
  WAWebSendMsgChatAction: { addAndSendMsgToChat: fn(...SEND, 'forwardMessage') },
  WAWebFindChatAction: { findOrCreateLatestChat: fn(...SEND, 'forwardMessage') },
  WAWebChatGetters: {
    // (chat)
    getIsNewsletter: unchecked(), // (chat)
    getIsBroadcast: unchecked(),
  },
  WAWebGetEphemeralFieldsMsgActionsUtils: {
    // (chat) → fields of a disappearing message
    getEphemeralFields: fn(...SEND),
  },
  WALinkify: { findLinks: unchecked() },
  WAWebCodeFormatMutator: { removeCodeBlocks: unchecked() },
  WAWebLimitSharingPropMappingUtils: { getLimitSharingTriggerFromGroupSettingsChange: unchecked() },
  WAWebLinkPreviewChatAction: { getLinkPreview: unchecked() },
  WAWebChatForwardMessage: { forwardMessages: fn('forwardMessage') },
  WAWebMsgReply: { canReplyMsg: fn('sendMessage.reply') },
  WAWebSendReactionMsgAction: { sendReactionToMsg: fn('sendMessage.reaction') },
  WAWebSendMessageEditAction: {
    // (message, text, options) → Promise; throws «Cannot edit message»
    sendMessageEdit: fn('editMessage'),
  },
  WAWebMsgActionCapability: {
    canSenderRevokeMsg: fn('deleteMessage'),
    canAdminRevokeMsg: fn('deleteMessage'),
    canForwardMsg: fn('forwardMessage'),
    canStarMsg: unchecked(),
    canPinMsg: unchecked(),
    canEditText: fn('editMessage'),
    canEditCaption: fn('editMessage'),
  },
  WAWebChatSendMessages: {
    sendRevokeMsgs: fn('deleteMessage'),
    sendStarMsgs: fn('starMessage'),
    sendDeleteMsgs: fn('deleteMessage'),
  },
  WAWebMediaOpaqueData: {
    // (blob, type) → Promise of the file
    createFromData: fn('sendMessage.media', 'postStatus.media'),
  },
  WAWebPrepRawMedia: {
    // (file, intent) → {waitForPrep()}
    prepRawMedia: fn('sendMessage.media', 'postStatus.media'),
  },
  WAWebMediaStorage: {
    // (filehash) → object
    getOrCreateMediaObject: fn('sendMessage.media', 'postStatus.media'),
  },
  WAWebMediaDataUtils: {
    // (type) → whether to cache it in memory
    shouldUseMediaCache: unchecked(),
  },
  WAWebMediaInMemoryBlobCache: {
    // put(filehash, blob)
    InMemoryMediaBlobCache: unchecked(),
  },
  WAWebMediaMmsV4Upload: {
    // ({mimetype, mediaObject, mediaType}) → Promise<{mediaEntry}>
    uploadMedia: fn('sendMessage.media', 'postStatus.media'),
  },
  WAWebUploadManager: {
    // ({blob, type, signal, mediaKey, uploadQpl}) → Promise
    encryptAndUpload: fn('sendMessage.sticker'),
  },
  WAWebStartMediaUploadQpl: {
    // ({entryPoint}) → a performance marker
    startMediaUploadQpl: fn('sendMessage.sticker'),
  },
  WAWebSendStatusMsgAction: {
    sendStatusTextMsgAction: fn('postStatus.text'),
    sendStatusMediaMsgAction: fn('postStatus.media'),
  },
  WAWebRevokeStatusAction: { sendStatusRevokeMsgAction: fn('deleteMessage.status') },
  WAWebPostSendStatusFailure: { postStatusSendFailure: unchecked() },
  WAWebBackendJobsCommon: {
    // (message) → its kind of media; the library makes it null for a location
    mediaTypeFromProtobuf: fn('sendMessage.location'),
  },
  WAWebE2EProtoUtils: {
    // (message) → text, media, …; the library makes it text for a location
    typeAttributeFromProtobuf: fn('sendMessage.location'),
  },
};
