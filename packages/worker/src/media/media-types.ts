export type MediaKind = 'image' | 'video' | 'audio' | 'document' | 'sticker';

/** Of a file of which nothing is known. */
export const UNKNOWN_TYPE = 'application/octet-stream';
export const OPUS = 'audio/ogg; codecs=opus';

/** Names that phones do not know, and those that they do. */
const ALIASES = new Map(
  Object.entries({
    'image/jpeg': ['image/jpg', 'image/pjpeg'],
    'image/png': ['image/x-png'],
    'image/bmp': ['image/x-bmp', 'image/x-ms-bmp'],
    'image/x-icon': ['image/vnd.microsoft.icon', 'image/ico'],
    'video/mp4': ['video/x-m4v', 'video/m4v', 'video/x-mp4', 'application/mp4'],
    'video/3gpp': ['video/3gp'],
    'video/mpeg': ['video/mp1s', 'video/mp2p'],
    'audio/mpeg': ['audio/mp3', 'audio/x-mp3', 'audio/mpeg3', 'audio/x-mpeg-3', 'audio/x-mpeg', 'audio/mpg'],
    'audio/mp4': ['audio/m4a', 'audio/x-m4a', 'audio/m4b', 'audio/x-m4b', 'audio/mp4a-latm'],
    'audio/aac': ['audio/x-aac', 'audio/aacp', 'audio/x-hx-aac-adts'],
    'audio/amr': ['audio/x-amr', 'audio/amr-nb'],
    'audio/wav': ['audio/x-wav', 'audio/wave', 'audio/vnd.wave'],
    'application/zip': ['application/x-zip-compressed', 'application/x-zip'],
    'text/vcard': ['text/x-vcard'],
  }).flatMap(([known, others]) => others.map((other) => [other, known] as const)),
);

/** Types that say only how a file is packed or written, or nothing: a name says more. */
const GENERIC =
  /^(application\/(octet-stream|zip|xml|ogg|vnd\.ms-asf|x-cfb|x-ole-storage|(x-)?(force-)?download|x-binary|x-unknown|unknown)|(audio|video)\/x-ms-asf|binary\/.*|text\/(plain|xml|html)|\*\/\*)$/;

interface Supported {
  readonly types: readonly string[];
  /** For people. */
  readonly names: string;
}

const IMAGES: Supported = {
  types: ['jpeg', 'png', 'apng', 'gif', 'webp', 'bmp', 'x-icon', 'avif'].map((name) => `image/${name}`),
  names: 'JPEG, PNG, WebP, GIF, BMP, AVIF or ICO',
};

/** What phones show or play, or the browser converts, by kind. */
const SUPPORTED: Readonly<Record<Exclude<MediaKind, 'document'>, Supported>> = {
  image: IMAGES,
  sticker: IMAGES,
  video: { types: ['video/mp4', 'video/3gpp'], names: 'MP4 or 3GPP' },
  audio: {
    types: [...['mpeg', 'mp4', 'aac', 'amr', 'wav', '3gpp'].map((name) => `audio/${name}`), OPUS],
    names: 'MP3, M4A, AAC, AMR, WAV, or Opus in Ogg',
  },
};

const CONTAINERS = /^application\/(ogg|mp4|vnd\.ms-asf|mxf|vnd\.rn-realmedia)$/;
/** What a file of each kind may be, before it is converted. */
const CONVERTIBLE: Readonly<Record<MediaKind, (type: string) => boolean>> = {
  document: () => true,
  image: (type) => IMAGES.types.includes(type),
  sticker: (type) => IMAGES.types.includes(type),
  video: (type) => /^(video\/|image\/(gif|apng)$)/.test(type) || CONTAINERS.test(type),
  audio: (type) => /^(audio|video)\//.test(type) || CONTAINERS.test(type),
};

/** The type as phones know it. Parameters are kept only if they name the codec of Ogg. */
export function knownType(type: string, kind: MediaKind): string {
  if (kind === 'document') return ALIASES.get(type) ?? type;
  const plain = bareType(type);
  if (plain === 'audio/opus' || (/\/ogg$/.test(plain) && /codecs="?opus"?/.test(type))) return OPUS;
  const known = ALIASES.get(plain) ?? plain;
  // Only stickers can move.
  if (kind === 'image' && known === 'image/apng') return 'image/png';
  return kind === 'audio' ? known.replace(/^video\/(mp4|3gpp)$/, 'audio/$1') : known;
}

/** Without parameters. */
export function bareType(type: string): string {
  return type.split(';', 1)[0]?.trim() ?? type;
}

export function isGeneric(type: string): boolean {
  return GENERIC.test(bareType(type));
}

/** True if it can be sent as it is. */
export function isSupported(kind: MediaKind, type: string): boolean {
  return kind === 'document' || SUPPORTED[kind].types.includes(type);
}

/** Most phones play these: QuickTime and Vorbis. They are better converted, but sent as they are without ffmpeg. */
const MOSTLY_PLAYED = new Set(['video/quicktime', 'audio/ogg']);

/** True if most phones play it, although not all. */
export function isMostlyPlayed(type: string): boolean {
  return MOSTLY_PLAYED.has(type);
}

/** True if it can be sent as it is, or once it is converted. */
export function isConvertible(kind: MediaKind, type: string): boolean {
  return CONVERTIBLE[kind](type);
}

/** What a file of that kind must be, for people. */
export function supportedNames(kind: MediaKind): string {
  return kind === 'document' ? 'any file' : SUPPORTED[kind].names;
}
