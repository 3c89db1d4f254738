import { switches } from '../switches.ts';
import type { MediaData } from './media-data.ts';
import { MediaServerError, mediaServer } from './media-server.ts';

/** The names of the kinds of media, for the media server and the checks of downloads. */
type MediaType = 'image' | 'video' | 'gif' | 'ptv' | 'audio' | 'ptt' | 'document' | 'sticker';

const AUDIO = ['audio/ogg; codecs=opus', 'audio/mp4', 'audio/mpeg', 'audio/aac', 'audio/amr'];
const VIDEO = ['video/mp4', 'video/3gpp'];

/** The exact types that each kind accepts; a document accepts any. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  image: ['image/jpeg', 'image/png', 'image/webp'],
  sticker: ['image/webp', 'application/was'],
  audio: AUDIO,
  ptt: AUDIO,
  video: VIDEO,
  gif: VIDEO,
  ptv: VIDEO,
};

const mediaTypes: readonly string[] = ['image', 'video', 'ptv', 'audio', 'ptt', 'document', 'sticker'];

/** The kind of a message's media; throws for a message without. */
export function mediaTypeOfMessage({ type, isGif }: { readonly type?: string; readonly isGif?: boolean }): MediaType {
  if (type === undefined || !mediaTypes.includes(type)) {
    throw new Error(`msg is not a media msg: ${type}, isGif=${isGif}`);
  }
  return type === 'video' && isGif ? 'gif' : (type as MediaType);
}

/** The type of a requested download does not match its kind of media. */
export class InvalidMediaFileType extends Error {
  readonly mediaType: string;
  readonly mimeType: string;

  constructor(mediaType: string, mimeType: string) {
    super(`Unexpected mimetype ${mimeType} for media type ${mediaType}`);
    this.name = 'InvalidMediaFileType';
    this.mediaType = mediaType;
    this.mimeType = mimeType;
  }
}

/** Throws if that kind of media cannot be of that type; without one, the type is application/octet-stream. */
export function requireMediaType(mediaType: string, mimeType = 'application/octet-stream'): void {
  if (allowed[mediaType]?.includes(mimeType) === false) throw new InvalidMediaFileType(mediaType, mimeType);
}

/** Fetched and not requested yet. One at a time: a file is requested right after it was fetched. */
let fetched: { readonly directPath: string; readonly blob: Blob } | undefined;

export async function resolveMedia(media: MediaData, directPath: string): Promise<void> {
  media.set({ mediaStage: 'FETCHING' });
  try {
    fetched = { directPath, blob: await mediaServer.fetch(directPath) };
    media.set({ mediaStage: 'RESOLVED' });
  } catch (error) {
    // The real page asks the sender's phone to upload it again, and shows a spinner meanwhile; here no phone does.
    const isGone = error instanceof MediaServerError && error.status === 404;
    media.set({ mediaStage: isGone ? 'REUPLOADING' : 'ERROR_UNKNOWN' });
  }
}

interface Download {
  readonly directPath: string;
  readonly type: string;
  readonly mimetype?: string;
  /** Collects the page's measurements; a download requires it. */
  readonly downloadQpl: { addAnnotations(annotations: object): unknown };
}

/** The bytes of a file; rejects with an error that has `status` 404 if the server has dropped it. */
export async function downloadMedia(download: Download): Promise<ArrayBuffer | Uint8Array | Blob> {
  const { directPath, type, mimetype, downloadQpl } = download;
  downloadQpl.addAnnotations({ string: { mediaType: type } });
  if (switches.downloads === 'typed') requireMediaType(type, mimetype);
  const present = fetched?.directPath === directPath ? fetched.blob : undefined;
  if (present) fetched = undefined;
  const blob = present ?? (await mediaServer.fetch(directPath));
  if (switches.downloadResult === 'blob') return blob;
  const bytes = await blob.arrayBuffer();
  return switches.downloadResult === 'uint8array' ? new Uint8Array(bytes) : bytes;
}
