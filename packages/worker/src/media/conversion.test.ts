import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshFolder } from '@chat-web/testing/hooks';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Shape, withPlayable } from './conversion.ts';
import { SpoolShare } from './spool-share.ts';

const WAV = Buffer.concat([Buffer.from('RIFF\x24\x01\0\0WAVEfmt ', 'latin1'), Buffer.alloc(300)]);
const dir = freshFolder();
let spoolDir: string;
beforeEach(() => {
  spoolDir = join(dir, 'spool');
  mkdirSync(spoolDir);
});

/** A machine whose ffmpeg is this shell script; undefined: no ffmpeg. */
function machine(script: string | undefined): void {
  const bin = join(dir, 'bin');
  mkdirSync(bin, { recursive: true });
  if (script !== undefined) {
    writeFileSync(
      join(bin, 'ffmpeg'),
      `#!/bin/sh\nPATH=/usr/bin:/bin\nfor out; do :; done\nout=\${out#file:}\n${script}`,
    );
    chmodSync(join(bin, 'ffmpeg'), 0o755);
  }
  vi.stubEnv('PATH', bin);
}

const VOICE = { kind: 'audio', voice: true } as const;

async function playable(shape: Shape, mimeType: string, { timeoutMs = 5_000, maxBytes = 1_000_000, bytes = WAV } = {}) {
  const path = join(dir, 'upload');
  writeFileSync(path, bytes);
  const context = { spoolDir, spoolShare: new SpoolShare(maxBytes) };
  return withPlayable(
    shape,
    { path, mimeType, filename: 'a' },
    () => timeoutMs,
    context,
    async (media) => ({
      mimeType: media.mimeType,
      isUpload: media.path === path,
      text: readFileSync(media.path, 'latin1'),
    }),
  );
}

describe('media that phones do not play', () => {
  it.each<[shape: Shape, from: string, to: string, options: RegExp]>([
    [VOICE, 'audio/wav', 'audio/ogg; codecs=opus', /-c:a libopus .*-f ogg file:/],
    [{ kind: 'audio' }, 'audio/flac', 'audio/mp4', /-map 0:a:0 .*-c:a aac .*-f ipod file:/],
    [{ kind: 'video' }, 'video/webm', 'video/mp4', /-map 0:a:0\? .*h264_metadata -c:a aac .*-f mp4 file:/],
    [{ kind: 'video', gif: true }, 'image/gif', 'video/mp4', /-map 0:v:0 -c:v copy -bsf:v h264_metadata -movflags/],
    [
      { kind: 'video', note: true },
      'video/mp4',
      'video/mp4',
      /h264_metadata -c:a copy -bsf:a aac_adtstoasc .* -t 60 .*-f mp4 /,
    ],
    [{ kind: 'sticker', isAnimated: true }, 'image/gif', 'image/webp', /-vf fps=15,scale=512:512:.*-f webp file:/],
  ])('are converted by ffmpeg (%j of %s), and the converted file is removed', async (shape, from, to, options) => {
    machine('echo "$@" > "$out"');
    const { text, ...made } = await playable(shape, from);
    expect(made).toEqual({ mimeType: to, isUpload: false });
    expect(text).toMatch(/-protocol_whitelist file .*-i file:\S+\/upload /);
    expect(text).toMatch(options);
    expect(readdirSync(spoolDir)).toEqual([]);
  });

  it('run ffmpeg with limits', async () => {
    machine('ulimit -v > "$out"; ulimit -t >> "$out"; ulimit -f >> "$out"');
    expect((await playable(VOICE, 'audio/wav')).text.split('\n')).toEqual(['1048576', '60', '32768', '']);
    expect((await playable({ kind: 'sticker', isAnimated: true }, 'image/gif')).text).toMatch(/\n1000\n$/);
  });

  it('are converted in another way if the first one fails', async () => {
    machine('case "$*" in *h264_metadata*) exit 1;; esac; echo "$@" > "$out"');
    expect((await playable({ kind: 'video' }, 'video/webm')).text).toMatch(/-c:v libx264 .*-pix_fmt yuv420p /);
    machine('case "$*" in *adtstoasc*|*h264_metadata*) exit 1;; esac; echo "$@" > "$out"');
    expect((await playable({ kind: 'video', note: true }, 'video/mp4')).text).toMatch(/libx264 .*-c:a aac .* -t 60 /);
    machine('case "$*" in *fps=8,*) ;; *) head -c 600000 /dev/zero > "$out"; exit 1;; esac; echo "$@" > "$out"');
    expect((await playable({ kind: 'sticker', isAnimated: true }, 'image/gif')).text).toContain('-quality 10 ');
  });

  it.each<[shape: Shape, type: string]>([
    [VOICE, 'audio/ogg; codecs=opus'],
    [{ kind: 'audio' }, 'audio/wav'],
    [{ kind: 'video' }, 'video/3gpp'],
    [{ kind: 'document' }, 'video/x-flv'],
    [{ kind: 'sticker' }, 'image/png'],
    [{ kind: 'image' }, 'image/avif'],
  ])('are all others: %j of %s is passed on unchanged', async (shape, mimeType) => {
    machine('echo converted > "$out"');
    expect(await playable(shape, mimeType)).toMatchObject({ mimeType, isUpload: true });
  });

  it('are refused without ffmpeg, except what most phones play', async () => {
    machine(undefined);
    for (const [shape, mimeType] of [
      [VOICE, 'audio/wav'],
      [VOICE, 'audio/ogg'],
      [{ kind: 'audio' }, 'audio/ogg'],
      [{ kind: 'video' }, 'video/quicktime'],
      [{ kind: 'video', note: true }, 'video/mp4'],
    ] as const)
      expect(await playable(shape, mimeType)).toMatchObject({ mimeType, isUpload: true });
    for (const [shape, type, others] of [
      [VOICE, 'audio/flac', 'MP3, M4A'],
      [{ kind: 'video' }, 'video/webm', 'MP4 or 3GPP'],
      [{ kind: 'video', gif: true }, 'video/quicktime', 'MP4 or 3GPP'],
      [{ kind: 'video', note: true }, 'video/quicktime', 'MP4 or 3GPP'],
      [{ kind: 'sticker', isAnimated: true }, 'image/apng', 'an animated WebP of 512 x 512 pixels'],
    ] as const) {
      const message = expect.stringMatching(`${type} has to be converted .* needs ffmpeg .*, or send ${others}`);
      await expect(playable(shape, type)).rejects.toMatchObject({ code: 'media_unavailable', message });
    }
  });

  it.each([
    ['fails', 'exit 1', {}],
    ['makes nothing', ': > "$out"', {}],
    ['does not end', 'exec sleep 30', { timeoutMs: 300 }],
    ['makes more than there is room for', 'head -c 5000 /dev/zero > "$out"', { maxBytes: 4_000 }],
  ])('are refused if ffmpeg %s', async (_, script, options) => {
    machine(script);
    for (const [shape, type] of [
      [VOICE, 'audio/wav'],
      [{ kind: 'video' }, 'video/webm'],
    ] as const)
      await expect(playable(shape, type, options)).rejects.toMatchObject({ code: 'media_unavailable' });
    expect(readdirSync(spoolDir)).toEqual([]);
  });
});
