import { encodeB64 } from '../base64.ts';
import { MediaData } from './media-data.ts';
import type { OpaqueData } from './opaque-data.ts';

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
        filehash: await hashOf(data.forceToBlob()),
      });
      if (intent.asGif && type === 'video') media.set({ isGif: true });
      if (type === 'document' && filename !== undefined) media.set({ filename });
      return media;
    },
  };
}

/** The SHA-256 of the bytes, in base64. */
async function hashOf(blob: Blob): Promise<string> {
  return encodeB64(await crypto.subtle.digest('SHA-256', await blob.arrayBuffer()));
}
