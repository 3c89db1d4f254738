import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError, MB } from '@chat-web/protocol';
import type { HandlerDependencies } from '../client/port.ts';
import { isMostlyPlayed, isSupported, type MediaKind, OPUS, supportedNames } from './media-types.ts';
import type { OutgoingMedia } from './outgoing-media.ts';
import { MAX_ANIMATED_STICKER_BYTES, STICKER_SIDE } from './sticker.ts';

/** The shell's exit code for a missing program. */
const NOT_FOUND = 127;
/** The accepted input formats: no playlists and the like, which refer to other files. */
const READ_FORMATS =
  'ogg,mp3,mov,mp4,m4a,3gp,3g2,wav,aac,flac,matroska,webm,amr,aiff,caf,avi,flv,asf,mpeg,mpegts,mpegvideo,gif,apng,rm,mxf,au';
/** At most 1 GB of memory and 60 s of processor time. */
const LIMITS = 'ulimit -v 1048576 && ulimit -t 60';
/** The unit of the shell's limit on files. */
const BLOCK_BYTES = 512;
const MIN_ATTEMPT_MS = 100;
const MAX_STICKER_SECONDS = 10;
const MAX_NOTE_SECONDS = 60;

/** What ffmpeg makes of a file. */
interface Target {
  /** For people. */
  readonly name: string;
  readonly mimeType: string;
  readonly format: string;
  /** The file is not larger: the network would refuse it, or phones would. */
  readonly maxBytes: number;
  /** Options of the output, the best first: if one fails, or makes too large a file, the next is tried. */
  readonly attempts: readonly (readonly string[])[];
}

const VOICE: Target = {
  name: 'a voice note',
  mimeType: OPUS,
  format: 'ogg',
  maxBytes: 16 * MB, // Over an hour.
  attempts: [['-map', '0:a:0', '-ac', '1', '-ar', '48000', '-c:a', 'libopus', '-b:a', '32k']],
};

const AUDIO: Target = {
  name: 'M4A',
  mimeType: 'audio/mp4',
  format: 'ipod',
  maxBytes: 16 * MB,
  attempts: [['-map', '0:a:0', '-ac', '2', '-c:a', 'aac', '-b:a', '128k', '-movflags', '+faststart']],
};

const H264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '26', '-pix_fmt', 'yuv420p'];
/** Even sides, as the codec needs them, and at most 1280 pixels. */
const FIT = "scale='trunc(min(1,1280/max(iw,ih))*iw/2)*2':'trunc(min(1,1280/max(iw,ih))*ih/2)*2'";
const FAST_START = ['-movflags', '+faststart'];
/** Pictures in the codec of phones are copied: the filter fails for any other codec. */
const COPIED = ['-c:v', 'copy', '-bsf:v', 'h264_metadata'];

/** Without sound, if it is shown as a GIF. */
function videoTarget(isGif: boolean): Target {
  const map = ['-map', '0:v:0', ...(isGif ? [] : ['-map', '0:a:0?'])];
  const sound = isGif ? [] : ['-c:a', 'aac', '-b:a', '128k', '-ac', '2'];
  return {
    name: 'MP4',
    mimeType: 'video/mp4',
    format: 'mp4',
    maxBytes: 64 * MB,
    attempts: [
      [...map, ...COPIED, ...sound, ...FAST_START],
      [...map, '-vf', FIT, ...H264, ...sound, ...FAST_START],
    ],
  };
}

const SQUARE = [
  `scale=${STICKER_SIDE}:${STICKER_SIDE}:force_original_aspect_ratio=decrease`,
  'format=rgba',
  `pad=${STICKER_SIDE}:${STICKER_SIDE}:(ow-iw)/2:(oh-ih)/2:color=0x00000000`,
];

function stickerAttempt(framesPerSecond: number, quality: number): readonly string[] {
  const filter = [`fps=${framesPerSecond}`, ...SQUARE].join();
  const codec = ['-c:v', 'libwebp', '-quality', String(quality), '-loop', '0'];
  return ['-map', '0:v:0', '-t', String(MAX_STICKER_SECONDS), '-vf', filter, ...codec];
}

const VIDEO = videoTarget(false);
/** Sound in the codec of phones is copied, too. */
const SOUND = ['-c:a', 'copy', '-bsf:a', 'aac_adtstoasc'];
const NOTE: Target = {
  ...VIDEO,
  name: 'a video note',
  attempts: [['-map', '0:v:0', '-map', '0:a:0?', ...COPIED, ...SOUND, ...FAST_START], ...VIDEO.attempts].map(
    (options) => [...options, '-t', String(MAX_NOTE_SECONDS)],
  ),
};

const STICKER: Target = {
  name: 'an animated sticker of at most 500 KB',
  mimeType: 'image/webp',
  format: 'webp',
  maxBytes: MAX_ANIMATED_STICKER_BYTES,
  attempts: [stickerAttempt(15, 60), stickerAttempt(12, 35), stickerAttempt(8, 10)],
};

/** How media are sent, as far as it changes the file. */
export interface Shape {
  readonly kind: MediaKind;
  readonly voice?: boolean | undefined;
  readonly gif?: boolean | undefined;
  /** A video note. */
  readonly note?: boolean | undefined;
  /** A sticker that moves. */
  readonly isAnimated?: boolean | undefined;
}

type ConversionDependencies = Pick<HandlerDependencies, 'spoolDir' | 'spoolShare'>;

/**
 * Provides media as phones can show or play them, and runs `work` with them. Converts others with ffmpeg if that is on
 * the PATH. `media_unavailable` if ffmpeg is missing or cannot convert them in time; without ffmpeg, voice notes, videos
 * and audio that most phones play are passed on unchanged. A video note always passes through ffmpeg: only that tells its
 * codecs and its length.
 */
export async function withPlayable<R>(
  shape: Shape,
  media: OutgoingMedia,
  timeoutMs: () => number,
  dependencies: ConversionDependencies,
  work: (media: OutgoingMedia) => Promise<R>,
): Promise<R> {
  const target = targetOf(shape, media);
  if (target === undefined) return work(media);
  const path = join(dependencies.spoolDir, randomUUID());
  const held = dependencies.spoolShare.hold();
  try {
    const outcome = await convert(target, media.path, path, performance.now() + timeoutMs());
    if (outcome === 'missing') {
      if (isPassable(shape, media.mimeType)) return await work(media);
      throw new GatewayError('media_unavailable', missingText(shape, media.mimeType, target));
    }
    if (outcome === 'failed')
      throw new GatewayError(
        'media_unavailable',
        `converting the ${shape.kind} to ${target.name} failed; nothing was sent`,
      );
    held.add((await stat(path)).size);
    return await work({ ...media, path, mimeType: target.mimeType });
  } finally {
    await rm(path, { force: true });
    held.release();
  }
}

/** What it has to become; undefined if it can be sent as it is. */
function targetOf({ kind, voice, gif, note, isAnimated }: Shape, { mimeType }: OutgoingMedia): Target | undefined {
  if (voice) return mimeType === OPUS ? undefined : VOICE;
  if (note) return NOTE;
  if (isAnimated) return STICKER;
  if (isSupported(kind, mimeType)) return undefined;
  return kind === 'video' ? videoTarget(gif === true) : AUDIO;
}

/** True if it may be sent unchanged where it cannot be converted. */
function isPassable({ kind, voice, gif, note }: Shape, mimeType: string): boolean {
  if (gif || kind === 'sticker') return false;
  if (note) return isSupported(kind, mimeType);
  return isMostlyPlayed(mimeType) || (voice === true && isSupported(kind, mimeType));
}

function missingText({ kind }: Shape, mimeType: string, { name }: Target): string {
  const others = kind === 'sticker' ? 'an animated WebP of 512 x 512 pixels' : supportedNames(kind);
  return `${mimeType} has to be converted to ${name}, which needs ffmpeg on the gateway's host: install it, or send ${others}; nothing was sent`;
}

async function convert(
  target: Target,
  from: string,
  to: string,
  endsAt: number,
): Promise<'done' | 'missing' | 'failed'> {
  for (const options of target.attempts) {
    const leftMs = Math.floor(endsAt - performance.now());
    if (leftMs < MIN_ATTEMPT_MS) break;
    const code = await run(target, options, from, to, leftMs);
    if (code === NOT_FOUND) return 'missing';
    if (code === 0 && (await stat(to).catch(() => ({ size: 0 }))).size > 0) return 'done';
    await rm(to, { force: true });
  }
  return 'failed';
}

/** Resolves with the exit code; undefined if it was killed. */
function run(
  { format, maxBytes }: Target,
  options: readonly string[],
  from: string,
  to: string,
  timeoutMs: number,
): Promise<number | undefined> {
  const quiet = ['-nostdin', '-hide_banner', '-loglevel', 'quiet', '-y'];
  const safe = ['-protocol_whitelist', 'file', '-format_whitelist', READ_FORMATS];
  const output = [...options, '-map_metadata', '-1', '-threads', '1', '-f', format, `file:${to}`];
  const args = [...quiet, ...safe, '-threads', '1', '-i', `file:${from}`, ...output];
  const limited = `${LIMITS} && ulimit -f ${Math.floor(maxBytes / BLOCK_BYTES)} && exec ffmpeg "$@"`;
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', limited, 'ffmpeg', ...args], {
      stdio: 'ignore',
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    child.once('error', () => resolve(NOT_FOUND)); // No shell.
    child.once('exit', (code) => resolve(code ?? undefined));
  });
}
