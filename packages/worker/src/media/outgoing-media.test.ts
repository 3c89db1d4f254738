import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MediaSource } from '@chat-web/protocol';
import { apng, gif, mediaCorpus } from '@chat-web/testing';
import { freshFolder } from '@chat-web/testing/hooks';
import { describe, expect, it } from 'vitest';
import type { HandlerDependencies } from '../client/port.ts';
import type { MediaKind } from './media-types.ts';
import { withMedia } from './outgoing-media.ts';
import { SpoolShare } from './spool-share.ts';

const dir = freshFolder();

function outgoing(kind: MediaKind, bytes: Buffer, { type, ...source }: MediaSource & { type?: string } = {}) {
  writeFileSync(join(dir, 'upload'), bytes);
  const base64 = { file: 'upload', size: bytes.length, mimeType: type };
  const context = {
    uploadsDir: dir,
    spoolDir: dir,
    spoolShare: new SpoolShare(1e6),
    fetchLimits: { timeoutMs: 1_000 },
  } as unknown as HandlerDependencies;
  return withMedia(kind, { base64, ...source }, 1_000, context, async (media) => media);
}

const bytesOf = (name: string) => mediaCorpus.find((file) => file.name === name)?.bytes ?? Buffer.alloc(0);
const typeOf = async (...args: Parameters<typeof outgoing>) => (await outgoing(...args)).mimeType;

describe('a document', () => {
  it.each(mediaCorpus)('with the bytes of $name is of type $mimeType', async ({ name, bytes, mimeType }) => {
    expect(await outgoing('document', bytes, { filename: name })).toMatchObject({ mimeType, filename: name });
  });

  it.each<[name: string, said: MediaSource & { type?: string }, mimeType: string, filename: string]>([
    ['prices.xls', {}, 'application/x-cfb', 'document.cfb'],
    ['prices.xls', { type: 'application/vnd.ms-excel' }, 'application/vnd.ms-excel', 'document.xls'],
    ['prices.xls', { type: 'application/octet-stream', filename: 'a.ppt' }, 'application/vnd.ms-powerpoint', 'a.ppt'],
    ['prices.xls', { mimeType: 'x/y', filename: 'a.ppt' }, 'x/y', 'a.ppt'],
    ['notes.txt', {}, 'text/plain', 'document.txt'],
    ['notes.txt', { type: 'text/csv' }, 'text/csv', 'document.csv'],
    ['notes.txt', { type: 'application/vnd.ms-excel', filename: 'a.csv' }, 'text/csv', 'a.csv'],
    ['notes.txt', { type: 'text/plain', filename: 'a.csv' }, 'text/csv', 'a.csv'],
    ['page.html', { type: 'text/html', filename: 'a.pdf' }, 'text/html', 'a.pdf'],
    ['photo.jpg', { type: 'image/png', filename: 'a.png' }, 'image/jpeg', 'a.png'],
    ['photo.jpg', {}, 'image/jpeg', 'document.jpg'],
    ['song.mp3', {}, 'audio/mpeg', 'document.mp3'],
    ['song.m4a', { mimeType: 'audio/x-m4a' }, 'audio/mp4', 'document.m4a'],
    ['clip.mov', {}, 'video/quicktime', 'document.mov'],
    ['data.bin', {}, 'application/octet-stream', 'document.bin'],
  ])('with the bytes of %s and %j is of type %s', async (name, said, mimeType, filename) => {
    expect(await outgoing('document', bytesOf(name), said)).toMatchObject({ mimeType, filename });
  });
});

describe('media', () => {
  it.each<[kind: MediaKind, name: string, mimeType: string, said?: string]>([
    ['image', 'photo.jpg', 'image/jpeg', 'image/jpg'],
    ['image', 'photo.jpg', 'image/jpeg', 'image/x-png'],
    ['image', 'photo.jpg', 'image/jpeg', 'application/octet-stream'],
    ['image', 'data.bin', 'image/jpeg', 'image/pjpeg'],
    ['image', 'photo.avif', 'image/avif'],
    ['sticker', 'photo.bmp', 'image/bmp'],
    ['audio', 'song.m4a', 'audio/mp4'],
    ['audio', 'clip.mp4', 'audio/mp4', 'audio/mp4'],
    ['audio', 'clip.3gp', 'audio/3gpp'],
    ['audio', 'song.mp3', 'audio/mpeg', 'audio/mp3'],
    ['audio', 'data.bin', 'audio/mpeg', 'audio/x-mp3'],
    ['audio', 'song.wav', 'audio/wav', 'audio/x-wav'],
    ['audio', 'song.opus', 'audio/ogg; codecs=opus', 'audio/ogg'],
    ['audio', 'song.opus', 'audio/ogg; codecs=opus', 'audio/ogg;codecs="opus"'],
    ['audio', 'data.bin', 'audio/ogg; codecs=opus', 'audio/ogg;codecs="opus"'],
    ['audio', 'data.bin', 'audio/ogg; codecs=opus', 'audio/opus'],
    ['audio', 'song.ogg', 'audio/ogg'],
    ['audio', 'clip.webm', 'video/webm', 'audio/webm;codecs=opus'],
    ['video', 'clip.m4v', 'video/mp4'],
    ['video', 'clip.mp4', 'video/mp4', 'video/mp4; codecs="avc1.42e01e, mp4a.40.2"'],
    ['video', 'clip.mov', 'video/quicktime', 'video/mp4'],
    ['video', 'photo.gif', 'image/gif', 'video/mp4'],
    ['video', 'photo.gif', 'image/gif', 'image/gif'],
  ])('of kind %s with the bytes of %s are of type %s, whatever the caller says', async (kind, name, mimeType, said) => {
    expect(await typeOf(kind, bytesOf(name), { mimeType: said })).toBe(mimeType);
    if (said) expect(await typeOf(kind, bytesOf(name), { type: said })).toBe(mimeType);
  });

  const must: Record<string, string> = { image: 'JPEG, PNG', video: 'MP4 or 3GPP', audio: 'MP3, M4A' };
  const images = [
    'photo.heic',
    'photo.jp2',
    'photo.jxl',
    'photo.tiff',
    'logo.svg',
    'bill.pdf',
    'page.html',
    'clip.mp4',
  ];
  it.each([
    ...images.flatMap((name) => [['image', name] as const, ['sticker', name] as const]),
    ...['photo.jpg', 'song.mp3', 'song.m4a', 'notes.txt'].map((name) => ['video', name] as const),
    ...['photo.jpg', 'bill.pdf', 'photo.gif'].map((name) => ['audio', name] as const),
  ])('of kind %s with the bytes of %s are refused; the error names their type and others', async (kind, name) => {
    const type = mediaCorpus.find((file) => file.name === name)?.mimeType ?? '';
    const family = kind === 'sticker' ? 'image' : kind;
    for (const said of [{}, { mimeType: `${family}/mp4` }, { type: `${family}/mp4` }]) {
      const message = expect.stringContaining(`base64 is of type ${type}, but must be ${must[family]}`);
      await expect(outgoing(kind, bytesOf(name), said)).rejects.toMatchObject({ code: 'invalid_request', message });
    }
  });

  it('of an unknown type are refused by the field to correct', async () => {
    const issues = async (mimeType?: string) =>
      outgoing('image', bytesOf('data.bin'), { mimeType }).catch((error: { issues: unknown }) => error.issues);
    const others = 'but must be JPEG, PNG, WebP, GIF, BMP, AVIF or ICO';
    expect(await issues()).toEqual([{ path: 'base64', message: `is of an unknown type, ${others}` }]);
    expect(await issues('image/heic')).toEqual([{ path: 'base64', message: `is of type image/heic, ${others}` }]);
    expect(await issues('text/html')).toEqual([{ path: 'mimeType', message: 'must be a MIME type for image' }]);
  });

  it('that are an animated PNG are sent as a PNG, unless they are a sticker', async () => {
    expect(await typeOf('image', apng())).toBe('image/png');
    expect(await typeOf('sticker', apng())).toBe('image/apng');
    expect(await typeOf('sticker', gif(2))).toBe('image/gif');
  });
});
