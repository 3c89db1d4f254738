import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshFolder } from '@chat-web/testing/hooks';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { SpoolShare } from './spool-share.ts';
import { withVoiceNote } from './voice-note.ts';

const WAV = Buffer.concat([Buffer.from('RIFF\x24\x01\0\0WAVEfmt ', 'latin1'), Buffer.alloc(300)]);
const OPUS = Buffer.concat([
  Buffer.from('OggS\0\x02', 'latin1'),
  Buffer.alloc(20),
  Buffer.from('\x01\x13OpusHead\x01\x01', 'latin1'),
  Buffer.alloc(300),
]);

const dir = freshFolder();
let spoolDir: string;
beforeEach(() => {
  spoolDir = join(dir, 'spool');
  mkdirSync(spoolDir);
});

/** A machine whose ffmpeg is this shell script; undefined: no ffmpeg. */
function machine(script: string | undefined): void {
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  if (script !== undefined) {
    writeFileSync(
      join(bin, 'ffmpeg'),
      `#!/bin/sh\nPATH=/usr/bin:/bin\nfor out; do :; done\nout=\${out#file:}\n${script}`,
    );
    chmodSync(join(bin, 'ffmpeg'), 0o755);
  }
  vi.stubEnv('PATH', bin);
}

async function voiceNote(bytes: Buffer, { mimeType = 'audio/wav', timeoutMs = 5_000, maxBytes = 1_000_000 } = {}) {
  const path = join(dir, 'upload');
  writeFileSync(path, bytes);
  const context = { spoolDir, spoolShare: new SpoolShare(maxBytes) };
  return withVoiceNote({ path, mimeType, filename: 'a' }, timeoutMs, context, async (media) => ({
    mimeType: media.mimeType,
    isUpload: media.path === path,
    text: readFileSync(media.path, 'latin1'),
  }));
}

describe('audio for a voice note', () => {
  it('is converted by ffmpeg, and the converted file is removed', async () => {
    machine('echo "$@" > "$out"');
    const { text, ...made } = await voiceNote(WAV);
    expect(made).toEqual({ mimeType: 'audio/ogg; codecs=opus', isUpload: false });
    expect(text).toMatch(/-protocol_whitelist file .*-i file:\S+\/upload .*-c:a libopus .*-f ogg file:/);
    expect(readdirSync(spoolDir)).toEqual([]);
  });

  it('runs with limits', async () => {
    machine('ulimit -v > "$out"; ulimit -t >> "$out"; ulimit -f >> "$out"');
    expect((await voiceNote(WAV)).text.split('\n')).toEqual(['1048576', '60', '32768', '']);
  });

  it('is passed on unchanged if it is a voice note already, or without ffmpeg', async () => {
    machine(undefined);
    expect(await voiceNote(OPUS, { mimeType: 'application/ogg' })).toMatchObject({
      mimeType: 'audio/ogg; codecs=opus',
      isUpload: true,
    });
    expect(await voiceNote(WAV)).toMatchObject({ mimeType: 'audio/wav', isUpload: true });
  });

  it.each([
    ['fails', 'exit 1', {}],
    ['makes nothing', ': > "$out"', {}],
    ['does not end', 'exec sleep 30', { timeoutMs: 300 }],
    ['makes more than there is room for', 'head -c 5000 /dev/zero > "$out"', { maxBytes: 4_000 }],
  ])('is rejected if ffmpeg %s', async (_, script, options) => {
    machine(script);
    await expect(voiceNote(WAV, options)).rejects.toMatchObject({ code: 'media_unavailable' });
    expect(readdirSync(spoolDir)).toEqual([]);
  });
});
