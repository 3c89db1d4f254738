import type { PageChat, PageMessage } from '../window.ts';
import { type Contract, fn, object, unchecked } from './part.ts';

/** A performance marker of a download, for the page's own statistics. */
interface PageMeasure {
  addAnnotations(annotations: object): unknown;
}

/** Modules for incoming messages and their files. */
export interface IncomingModules {
  WAWebChatLoadMessages: {
    loadEarlierMsgs(what: { chat: PageChat }): Promise<readonly PageMessage[] | undefined>;
  };
  WAWebSyncGatingUtils: { isPlaceholderMessageResendEnabled?(): boolean };
  WAWebNonMessageDataRequestPlaceholderMessageResendUtils: {
    handlePlaceholderMsgsSeen(messages: readonly PageMessage[], isUrgent: boolean): unknown;
  };
  WAWebMmsMediaTypes: {
    getMsgMediaType(message: PageMessage): string;
    msgToMediaType(what: object): string;
    castToV4(type: string): string;
  };
  WAWebDownloadManager: {
    downloadManager: { downloadAndMaybeDecrypt(media: object): Promise<ArrayBuffer | Uint8Array<ArrayBuffer> | Blob> };
  };
  WAWebStartMediaDownloadQpl: { startMediaDownloadQpl(options: { entryPoint: string }): PageMeasure };
}

/** Their parts. */
export const incomingParts: Contract<IncomingModules> = {
  WAWebChatLoadMessages: {
    loadEarlierMsgs: fn(
      '({chat}) → Promise of older messages; none at the start of the chat',
      'missedMessages',
      'listChannelMessages',
    ),
  },
  WAWebSyncGatingUtils: { isPlaceholderMessageResendEnabled: unchecked('() → replaced to return true, if present') },
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
    startMediaDownloadQpl: unchecked('({entryPoint}) → a performance marker; we use a stub without it'),
  },
};
