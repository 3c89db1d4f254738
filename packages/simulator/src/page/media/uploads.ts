import { encodeB64 } from '../base64.ts';
import { MediaData, type OpaqueData } from './media-data.ts';

/** The intended kind of the file. */
export interface MediaIntent {
  readonly asSticker?: boolean;
  readonly asGif?: boolean;
  readonly isPtt?: boolean;
  readonly asDocument?: boolean;
}

/** The kind of a file in a chat, by its type and the options. */
export function mediaTypeOf(mimeType: string, { asSticker, isPtt, asDocument }: MediaIntent): string {
  if (asSticker) return 'sticker';
  if (asDocument) return 'document';
  const [kind = ''] = mimeType.split('/');
  if (kind === 'audio') return isPtt ? 'ptt' : 'audio';
  return kind === 'image' || kind === 'video' ? kind : 'document';
}

/** A file in preparation; unlike in the real page, its bytes stay unchanged. */
export function prepareMedia(data: OpaqueData, intent: MediaIntent) {
  return {
    waitForPrep: async () => {
      const type = mediaTypeOf(data.type(), intent);
      const { filename } = data;
      const media = new MediaData({
        type,
        mimetype: data.type(),
        size: data.size(),
        mediaBlob: data,
        filehash: await sha256Base64(data.forceToBlob()),
      });
      if (intent.asGif && type === 'video') media.set({ isGif: true });
      if (type === 'document' && filename !== undefined) media.set({ filename });
      return media;
    },
  };
}

/** The SHA-256 of the bytes, in base64. */
async function sha256Base64(blob: Blob): Promise<string> {
  return encodeB64(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()));
}

/** A file by its hash, shared by all messages that contain it. */
export interface MediaObject {
  readonly filehash: string;
  type: string;
  size: number;
  readonly contentInfo: { waveform?: Uint8Array };
  /** Only until it is uploaded. */
  mediaBlob: OpaqueData | undefined;
  /** Takes over what is known about the file. */
  consolidate(known: ReturnType<MediaData['toJSON']>): void;
}

const objects = new Map<string, MediaObject>();

/** The object of that hash. */
export function getOrCreateMediaObject(filehash: string): MediaObject {
  const present = objects.get(filehash);
  if (present) return present;
  const object: MediaObject = {
    filehash,
    type: '',
    size: 0,
    contentInfo: {},
    mediaBlob: undefined,
    consolidate({ type, size, mediaBlob }) {
      Object.assign(object, { type, size, mediaBlob });
    },
  };
  objects.set(filehash, object);
  return object;
}

/** The file is uploaded: the page need not hold it any longer. */
export function releaseMediaObject(object: MediaObject): void {
  object.mediaBlob = undefined;
  objects.delete(object.filehash);
}
