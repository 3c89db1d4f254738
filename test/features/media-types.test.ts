import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import type { InputOf, Message } from '@chat-web/protocol';
import {
  ADA,
  animatedWebp,
  BEN,
  eventually,
  gif,
  listening,
  mediaCorpus,
  patternBytes,
  sha256,
  webp,
} from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import { Stack, stanzaOf } from '@chat-web/testing/stack';
import { expectRefused } from '@chat-web/testing/story';
import { encode } from 'fast-png';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

/** The machine's ffmpeg, for as long as a test wants one: it makes this file. */
const bin = sharedFolder();
const made = join(bin, 'made');
function ffmpeg(makes: Buffer | undefined): void {
  rmSync(made, { force: true });
  if (makes) writeFileSync(made, makes);
}

let stack: Stack;
let origin: string;
let groupId: string;
const served = new Map<string, { readonly headers: Record<string, string>; readonly bytes: Buffer }>();

beforeAll(async () => {
  mkdirSync(bin, { recursive: true });
  const script = `#!/bin/sh\nfor out; do :; done\n[ -e ${made} ] || exit 127\ncat ${made} > "\${out#file:}"\n`;
  writeFileSync(join(bin, 'ffmpeg'), script);
  chmodSync(join(bin, 'ffmpeg'), 0o755);
  const files = createServer((request, response) => {
    const { headers = {}, bytes } = served.get(request.url ?? '') ?? {};
    response.writeHead(bytes ? 200 : 404, headers).end(bytes);
  });
  const port = await listening(files);
  origin = `http://localhost:${port}`;
  stack = await Stack.start({
    settings: { CHAT_WEB_MEDIA_HOSTS: `localhost:${port}`, PATH: `${bin}:${process.env.PATH}` },
  });
  await stack.link('main', ADA);
  groupId = (await stack.createGroup(ADA, { subject: 'Trip', participants: [BEN] })).id;
  return async () => {
    await stack[Symbol.asyncDispose]();
    files.close();
  };
});
beforeEach(() => ffmpeg(undefined));

const send = async (message: object) => {
  const input = { id: 'main', to: BEN, ...message } as unknown as InputOf<'sendMessage'>;
  return (await stack.client.sendMessage(input)) as Message;
};
const base64 = (bytes: Buffer) => bytes.toString('base64');
const fileOf = (name: string) => mediaCorpus.find((file) => file.name === name)?.bytes ?? Buffer.alloc(0);
/** A message as it arrives, with the hash of its file. */
const onBensPhone = ({ id }: Message) =>
  eventually(async () => {
    const { type, mimeType, filename } = await stack.onPhone(BEN, id);
    const { size, sha256: hash } = await stack.phones.media(BEN, stanzaOf(id));
    return { type, mimeType, filename, size, hash };
  });

describe('a document', () => {
  it('of any kind arrives with its bytes, its name and the type that phones open it by', async () => {
    expect(mediaCorpus.length).toBeGreaterThan(60);
    for (const { name, bytes, mimeType } of mediaCorpus) {
      const sent = await send({ type: 'document', base64: base64(bytes), filename: name });
      const expected = { type: 'document', mimeType, filename: name, hash: sha256(bytes) };
      expect(await onBensPhone(sent), name).toMatchObject(expected);
    }
  });

  it('by url has the name that its server gives, or that of its path', async () => {
    const csv = Buffer.from('a,b\n');
    const pdf = fileOf('bill.pdf');
    const named = (name: string) => ({
      'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    });
    const octets = { 'Content-Type': 'application/octet-stream' };
    const cases: [path: string, headers: Record<string, string>, bytes: Buffer, filename: string, mimeType: string][] =
      [
        ['/dl?id=1', named('Rechnung März.pdf'), pdf, 'Rechnung März.pdf', 'application/pdf'],
        ['/dl?id=2', { ...named('r.csv'), 'Content-Type': 'application/vnd.ms-excel' }, csv, 'r.csv', 'text/csv'],
        ['/dl?id=3', { 'Content-Type': 'text/csv; charset=utf-8' }, csv, 'dl.csv', 'text/csv'],
        ['/files/Invoice%2017.pdf', octets, pdf, 'Invoice 17.pdf', 'application/pdf'],
        ['/files/prices.xls', octets, fileOf('prices.xls'), 'prices.xls', 'application/vnd.ms-excel'],
        ['/export.php', octets, pdf, 'export.php.pdf', 'application/pdf'],
        ['/', { 'Content-Type': 'text/html' }, fileOf('page.html'), 'document.html', 'text/html'],
      ];
    for (const [path, headers, bytes, filename, mimeType] of cases) {
      served.set(path, { headers, bytes });
      expect(await send({ type: 'document', url: `${origin}${path}` }), path).toMatchObject({ filename, mimeType });
    }
    const own = await send({ type: 'document', url: `${origin}/dl?id=1`, filename: 'mine.pdf' });
    expect(own.filename).toBe('mine.pdf');
  });

  it('as a data URL has its type', async () => {
    const url = `data:application/vnd.ms-excel;base64,${base64(fileOf('prices.xls'))}`;
    expect(await send({ type: 'document', base64: url })).toMatchObject({
      mimeType: 'application/vnd.ms-excel',
      filename: 'document.xls',
    });
  });
});

describe('a file in a form', () => {
  const post = (path: string, parts: Record<string, string | File>, headers = {}) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(parts)) body.append(name, value);
    return fetch(new URL(path, stack.gateway.url), { method: 'POST', body, headers });
  };

  it('arrives as one in base64 does, with its name, its type and the values of all fields', async () => {
    const video = new File([fileOf('clip.mp4')], 'clip.mp4', { type: 'video/mp4' });
    const parts = { type: 'video', to: BEN, file: video, caption: 'true', viewOnce: 'true' };
    const sent = (await (await post('/sessions/main/messages', parts)).json()) as Message;
    expect(sent).toMatchObject({ type: 'video', body: 'true', viewOnce: true, mimeType: 'video/mp4' });
    expect(await onBensPhone(sent)).toMatchObject({ hash: sha256(fileOf('clip.mp4')) });
    const file = new File([fileOf('prices.xls')], 'März.xls');
    const headers = { 'Idempotency-Key': 'form-1' };
    const document = { type: 'document', to: BEN, file };
    const [first, again] = [
      (await (await post('/sessions/main/messages', document, headers)).json()) as Message,
      await post('/sessions/main/messages', document, headers),
    ];
    expect([first.filename, first.mimeType]).toEqual(['März.xls', 'application/vnd.ms-excel']);
    expect([again.headers.get('Idempotent-Replayed'), await again.json()]).toEqual(['true', first]);
    expect(await stack.spooled()).toEqual([]);
  });

  it('that is invalid names the field, and sends nothing', async () => {
    const file = new File([fileOf('bill.pdf')], 'bill.pdf');
    const issuesOf = async (path: string, parts: Record<string, string | File>) => {
      const answer = await post(path, parts);
      const { issues } = (await answer.json()) as { issues?: { path: string; message: string }[] };
      return [answer.status, issues?.map(({ path, message }) => `${path} ${message}`)];
    };
    const before = await stack.phones.messages(BEN, { with: ADA });
    const image = { type: 'image', to: BEN, file };
    expect(await issuesOf('/sessions/main/messages', { ...image, viewOnce: 'yes', captoin: 'x' })).toEqual([
      400,
      ['viewOnce must be true or false', 'captoin is unknown; did you mean caption?'],
    ]);
    expect(await issuesOf('/sessions/main/messages', image)).toEqual([
      400,
      ['base64 is of type application/pdf, but must be JPEG, PNG, WebP, GIF, BMP, AVIF or ICO'],
    ]);
    expect(await issuesOf('/sessions/main/groups', image)).toEqual([415, undefined]);
    await stack.settled();
    expect(await stack.phones.messages(BEN, { with: ADA })).toEqual(before);
    expect(await stack.spooled()).toEqual([]);
  });

  it('of another web page is refused', async () => {
    for (const origin of ['https://example.com', 'null']) {
      const answer = await post('/sessions/main/messages', { type: 'text', to: BEN, body: 'x' }, { Origin: origin });
      expect(answer.status).toBe(403);
    }
  });
});

describe('an image that the browser cannot read', () => {
  it.each(['photo.heic', 'photo.jp2', 'photo.jxl', 'photo.tiff', 'logo.svg'])(
    '(%s) is refused with the same error everywhere, and nothing is sent',
    async (name) => {
      const { mimeType } = mediaCorpus.find((file) => file.name === name) ?? {};
      const path = `/${name}`;
      served.set(path, { headers: {}, bytes: fileOf(name) });
      await stack.settled();
      const before = await stack.phones.messages(BEN, { with: ADA });
      for (const [source, code] of [
        [{ base64: base64(fileOf(name)) }, 'invalid_request'],
        [{ url: `${origin}${path}` }, 'media_unavailable'],
      ] as const) {
        const { client } = stack;
        const calls = [
          send({ type: 'image', ...source }),
          send({ type: 'sticker', ...source }),
          client.postStatus({ id: 'main', type: 'image', ...source }),
          client.setProfilePicture({ id: 'main', ...source }),
          client.setGroupPicture({ id: 'main', groupId, ...source }),
        ];
        const message = expect.stringContaining(`is of type ${mimeType}, but must be JPEG, PNG, WebP, GIF`);
        await expectRefused(calls, { code, message });
      }
      await stack.settled();
      expect(await stack.phones.messages(BEN, { with: ADA })).toEqual(before);
      expect(await stack.spooled()).toEqual([]);
    },
  );
});

describe('media that phones do not play', () => {
  interface Case {
    readonly type: 'video' | 'audio' | 'sticker';
    readonly name?: string;
    readonly bytes?: Buffer;
    readonly voice?: boolean;
    readonly gif?: boolean;
    readonly mimeType?: string;
  }
  const cases: Case[] = [
    ...['clip.webm', 'clip.mkv', 'clip.avi', 'clip.flv'].map((name) => ({ type: 'video', name }) as const),
    ...['song.flac', 'song.wma', 'song.aiff', 'clip.webm'].map((name) => ({ type: 'audio', name }) as const),
    { type: 'audio', name: 'song.flac', voice: true },
    { type: 'video', bytes: gif(2), gif: true },
    { type: 'video', bytes: gif(2), gif: true, mimeType: 'video/mp4' },
    { type: 'sticker', bytes: gif(2) },
  ];
  const results = {
    video: { bytes: fileOf('clip.mp4'), mimeType: 'video/mp4' },
    audio: { bytes: fileOf('song.m4a'), mimeType: 'audio/mp4' },
    sticker: { bytes: animatedWebp(512, 512), mimeType: 'image/webp' },
  };

  it.each(cases)('are refused without ffmpeg, and converted with it: $type $name', async (file) => {
    const { name = '', bytes: original = fileOf(name), ...fields } = file;
    const message = { ...fields, base64: base64(original) };
    const refused = { code: 'media_unavailable', message: expect.stringContaining('needs ffmpeg') };
    await expect(send(message)).rejects.toMatchObject(refused);
    const { bytes, mimeType } = results[file.type];
    ffmpeg(bytes);
    const expected = { mimeType: file.voice ? 'audio/ogg; codecs=opus' : mimeType, hash: sha256(bytes) };
    expect(await onBensPhone(await send(message))).toMatchObject(expected);
    const document = await send({ ...message, type: 'document', voice: undefined, gif: undefined });
    expect(await onBensPhone(document)).toMatchObject({ type: 'document', hash: sha256(original) });
    expect(await stack.spooled()).toEqual([]);
  });
});

it('a video note is made of any video with ffmpeg; without it, an MP4 is sent unchanged', async () => {
  const note = (name: string, to = BEN) => send({ type: 'video', note: true, to, base64: base64(fileOf(name)) });
  const clip = fileOf('clip.mp4');
  const arrived = { type: 'note', mimeType: 'video/mp4', hash: sha256(clip) };
  for (const to of [BEN, groupId]) {
    const sent = await note('clip.mp4', to);
    expect(sent).toMatchObject({ type: 'video', note: true, body: '', hasMedia: true });
    expect(await onBensPhone(sent)).toMatchObject(arrived);
  }
  await expectRefused([note('clip.webm'), note('clip.mov')], {
    code: 'media_unavailable',
    message: expect.stringContaining('has to be converted to a video note, which needs ffmpeg'),
  });
  ffmpeg(clip);
  for (const name of ['clip.webm', 'clip.3gp']) expect(await onBensPhone(await note(name))).toMatchObject(arrived);
  expect(await stack.spooled()).toEqual([]);
});

describe('a sticker', () => {
  it('that phones reject is converted, or refused with a reason if it moves', async () => {
    const image = gif(1);
    const sent = await send({ type: 'sticker', base64: base64(image) });
    const { mimeType, hash } = await onBensPhone(sent);
    expect(mimeType).toBe('image/webp');
    expect(hash).not.toBe(sha256(image));
    // Too rich in detail for the usual quality.
    const noise = encode({ width: 512, height: 512, data: patternBytes(512 * 512 * 3), channels: 3 });
    const detailed = await send({ type: 'sticker', base64: base64(Buffer.from(noise)) });
    expect((await onBensPhone(detailed)).size).toBeLessThanOrEqual(102_400);
    const ready = webp(512, 512);
    expect(await onBensPhone(await send({ type: 'sticker', base64: base64(ready) }))).toMatchObject({
      hash: sha256(ready),
    });
    for (const bytes of [animatedWebp(1_000, 400), animatedWebp(512, 512, 600_000)]) {
      await expect(send({ type: 'sticker', base64: base64(bytes) })).rejects.toMatchObject({
        code: 'media_unavailable',
        message: expect.stringContaining('512 x 512 pixels and at most 500 KB'),
      });
    }
    // Only a header: the browser cannot read it.
    await expect(send({ type: 'sticker', base64: base64(webp(1_000, 400)) })).rejects.toMatchObject({
      code: 'media_unavailable',
    });
  });
});
