/** The names of the kinds of media, for the media server and the checks of downloads. */
export type MediaType = 'image' | 'video' | 'gif' | 'audio' | 'ptt' | 'document' | 'sticker';

const audio = ['audio/ogg; codecs=opus', 'audio/mp4', 'audio/mpeg', 'audio/aac', 'audio/amr'];
const video = ['video/mp4', 'video/3gpp'];

/** The exact types that each kind accepts; a document accepts any. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  image: ['image/jpeg', 'image/png', 'image/webp'],
  sticker: ['image/webp', 'application/was'],
  audio,
  ptt: audio,
  video,
  gif: video,
  ptv: video,
};

const mediaTypes: readonly string[] = ['image', 'video', 'audio', 'ptt', 'document', 'sticker'];

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
