import { downloadMedia, mediaTypeOfMessage } from '../media/downloads.ts';
import { OpaqueData } from '../media/media-data.ts';
import { mediaServer } from '../media/media-server.ts';
import {
  getOrCreateMediaObject,
  type MediaIntent,
  type MediaObject,
  prepareMedia,
  releaseMediaObject,
} from '../media/uploads.ts';
import type { Modules } from '../registry.ts';

interface Upload {
  readonly mediaObject: MediaObject;
  readonly mediaType: string;
}

/** As the real page, it does not reject: a missing `mediaEntry` means that it has failed. */
async function uploadMedia({ mediaObject, mediaType }: Upload): Promise<object> {
  const blob = mediaObject.mediaBlob?.forceToBlob();
  if (!blob) return { kind: 'error' };
  try {
    const { url, encFilehash, ...entry } = await mediaServer.upload(blob, mediaType);
    const urls = { mmsUrl: url, deprecatedMms3Url: url };
    return { kind: 'success', mediaEntry: { ...entry, ...urls, encFilehash, uploadHash: encFilehash } };
  } catch {
    return { kind: 'error' };
  } finally {
    releaseMediaObject(mediaObject);
  }
}

export const mediaModules: Modules = {
  WAWebMediaOpaqueData: OpaqueData,
  WAWebPrepRawMedia: { prepRawMedia: (data: OpaqueData, intent: MediaIntent) => prepareMedia(data, intent) },
  WAWebMediaStorage: { getOrCreateMediaObject },
  WAWebMmsMediaTypes: {
    msgToMediaType: mediaTypeOfMessage,
    getMsgMediaType: mediaTypeOfMessage,
    castToV4: (type: string) => type,
  },
  // Nothing is cached: a large file would be held for as long as the page lives.
  WAWebMediaDataUtils: { shouldUseMediaCache: () => false },
  WAWebMediaInMemoryBlobCache: { InMemoryMediaBlobCache: { put: () => undefined, get: () => undefined } },
  WAWebMediaMmsV4Upload: { uploadMedia },
  WAWebStartMediaUploadQpl: { startMediaUploadQpl: () => ({}) },
  WAWebUploadManager: {
    encryptAndUpload: ({ blob, type, mediaKey }: { blob: Blob; type: string; mediaKey: string }) =>
      mediaServer.upload(blob, type, mediaKey),
  },
  WAWebDownloadManager: { downloadManager: { downloadAndMaybeDecrypt: downloadMedia } },
};
