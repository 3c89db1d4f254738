import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GatewayError } from '@chat-web/protocol';
import type { HandlerContext } from '../client/port.ts';
import type { OutgoingMedia } from './outgoing-media.ts';

/** The type that all phones can play. */
const VOICE_TYPE = 'audio/ogg; codecs=opus';
/** The shell's exit code for a missing program. */
const NOT_FOUND = 127;
/** The accepted input formats: no playlists and the like, which refer to other files. */
const READ_FORMATS = 'ogg,mp3,mov,mp4,m4a,3gp,3g2,wav,aac,flac,matroska,webm,amr,aiff,caf';
/** At most 1 GB of memory, 60 s of processor time, and a 16 MB file: over an hour, and the limit of the network. */
const LIMITED = 'ulimit -v 1048576 && ulimit -t 60 && ulimit -f 32768 && exec ffmpeg "$@"';

type VoiceContext = Pick<HandlerContext, 'spoolDir' | 'spoolShare'>;

/**
 * Provides audio as a voice note, Opus in Ogg, and runs `work` with it. Converts it with ffmpeg if that is on the PATH;
 * otherwise passes the file on unchanged. `media_unavailable` if ffmpeg cannot convert it in time.
 */
export async function withVoiceNote<R>(
  media: OutgoingMedia,
  timeoutMs: number,
  { spoolDir, spoolShare }: VoiceContext,
  work: (media: OutgoingMedia) => Promise<R>,
): Promise<R> {
  const { fileTypeFromFile } = await import('file-type');
  if ((await fileTypeFromFile(media.path))?.mime === VOICE_TYPE) return work({ ...media, mimeType: VOICE_TYPE });
  const path = join(spoolDir, randomUUID());
  const held = spoolShare.hold();
  try {
    const code = await convert(media.path, path, timeoutMs);
    if (code === NOT_FOUND) return await work(media);
    const size = code === 0 ? (await stat(path)).size : 0;
    if (size === 0)
      throw new GatewayError('media_unavailable', 'converting the audio to a voice note failed; nothing was sent');
    held.add(size);
    return await work({ ...media, path, mimeType: VOICE_TYPE });
  } finally {
    await rm(path, { force: true });
    held.release();
  }
}

/** Resolves with the exit code; undefined if it was killed. */
function convert(from: string, to: string, timeoutMs: number): Promise<number | undefined> {
  const quiet = ['-nostdin', '-hide_banner', '-loglevel', 'quiet'];
  const input = [
    '-protocol_whitelist',
    'file',
    '-format_whitelist',
    READ_FORMATS,
    '-threads',
    '1',
    '-i',
    `file:${from}`,
  ];
  const output = ['-map', '0:a:0', '-map_metadata', '-1', '-ac', '1', '-ar', '48000', '-c:a', 'libopus', '-b:a', '32k'];
  const args = [...quiet, ...input, ...output, '-threads', '1', '-f', 'ogg', `file:${to}`];
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', LIMITED, 'ffmpeg', ...args], {
      stdio: 'ignore',
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    child.once('error', () => resolve(NOT_FOUND)); // No shell.
    child.once('exit', (code) => resolve(code ?? undefined));
  });
}
