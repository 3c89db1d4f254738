import type { MediaData } from './media-data.ts';
import type { OpaqueData } from './opaque-data.ts';

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
