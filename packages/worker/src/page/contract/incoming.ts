import type { PageChat, PageMessage } from '../models.ts';
import { type Contract, fn, object, unchecked } from './part.ts';

/** A performance marker of a download, for the page's own statistics. */
interface PageMeasure {
  addAnnotations(annotations: object): unknown;
}

/** Modules for incoming messages and their files. */
export interface IncomingModules {
  WAWebChatLoadMessages: {
    /** Resolves without messages at the start of the chat. */
    loadEarlierMsgs(what: { chat: PageChat }): Promise<readonly PageMessage[] | undefined>;
  };
  WAWebSyncGatingUtils: {
    /** Replaced, to return true. */
    isPlaceholderMessageResendEnabled?(): boolean;
  };
  WAWebNonMessageDataRequestPlaceholderMessageResendUtils: {
    /** Requests messages that could not be decrypted. */
    handlePlaceholderMsgsSeen(messages: readonly PageMessage[], isUrgent: boolean): unknown;
  };
  WAWebMmsMediaTypes: {
    /** The type of its file, for the download. */
    getMsgMediaType(message: PageMessage): string;
    /** The same, for an upload. */
    msgToMediaType(what: object): string;
    castToV4(type: string): string;
  };
  WAWebDownloadManager: {
    /** Downloads and decrypts. */
    downloadManager: {
      downloadAndMaybeDecrypt(media: object): Promise<ArrayBuffer | Uint8Array<ArrayBuffer> | Blob>;
    };
  };
  WAWebStartMediaDownloadQpl: {
    /** Returns a performance marker. Without it, we pass a stub. */
    startMediaDownloadQpl(options: { entryPoint: string }): PageMeasure;
  };
}

/** Their parts. */
export const incomingParts: Contract<IncomingModules> = {
  WAWebChatLoadMessages: { loadEarlierMsgs: fn('missedMessages', 'listChannelMessages') },
  WAWebSyncGatingUtils: { isPlaceholderMessageResendEnabled: unchecked() },
  WAWebNonMessageDataRequestPlaceholderMessageResendUtils: { handlePlaceholderMsgsSeen: fn('lateDecryption') },
  WAWebMmsMediaTypes: {
    getMsgMediaType: fn('getMedia'),
    msgToMediaType: fn('sendMessage.media', 'postStatus.media'),
    castToV4: fn('sendMessage.media', 'postStatus.media'),
  },
  WAWebDownloadManager: {
    downloadManager: object('getMedia'),
    'downloadManager.downloadAndMaybeDecrypt': fn('getMedia'),
  },
  WAWebStartMediaDownloadQpl: { startMediaDownloadQpl: unchecked() },
};
