import { createHash } from 'node:crypto';
import { readdirSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { ADA, BEN, downloadedBytes, eventually, listening, media, patternBytes, sha256 } from '@chat-web/testing';
import { type EventLog, Stack, stanzaOf } from '@chat-web/testing/stack';
import { beforeAll, describe, expect, it } from 'vitest';

describe('media', () => {
  let stack: Stack;
  let events: EventLog;
  const served = new Map<string, { type: string; bytes: Uint8Array }>();
  let origin: string;

  beforeAll(async () => {
    const files = createServer((request, response) => {
      const file = served.get(request.url ?? '');
      if (request.url === '/moved') response.writeHead(302, { Location: '/cat.png' }).end();
      else if (request.url === '/inside') response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end();
      else if (!file) response.writeHead(404).end();
      else response.writeHead(200, { 'Content-Type': file.type }).end(file.bytes);
    });
    const port = await listening(files);
    origin = `http://localhost:${port}`;
    stack = await Stack.start({
      settings: { CHAT_WEB_MEDIA_HOSTS: `localhost:${port}`, CHAT_WEB_MEDIA_MAX_BYTES: '50000000' },
    });
    await stack.link('main', ADA);
    events = await stack.listen('main');
    return async () => {
      await stack[Symbol.asyncDispose]();
      files.close();
    };
  });

  const send = async (message: object) => {
    const sent = await stack.client.sendMessage({ id: 'main', to: BEN, ...message } as never);
    if (!('timestamp' in sent)) throw new Error('not a message');
    return sent;
  };
  const onBensPhone = (id: string) => eventually(() => stack.phones.media(BEN, stanzaOf(id)));
  const messageOnBensPhone = (id: string) => stack.onPhone(BEN, id);

  it.each(media)('of type $type are sent by base64 with their type', async ({ type, bytes, mimeType }) => {
    const base64 = Buffer.from(bytes).toString('base64');
    const sent = await send({ type, base64, mimeType, filename: `a file.${type}`, caption: 'look' });
    // The network has no captions of audio and stickers.
    const body = type === 'audio' || type === 'sticker' ? '' : 'look';
    expect(sent).toMatchObject({ type, fromMe: true, hasMedia: true, mimeType, body });
    expect(sent.ack).toBeGreaterThanOrEqual(1);
    expect(await onBensPhone(sent.id)).toMatchObject({ size: bytes.length, sha256: sha256(bytes) });
    const received = await messageOnBensPhone(sent.id);
    expect(received).toMatchObject({ type, body });
    if (type === 'sticker') {
      const editing = stack.client.editMessage({ id: 'main', messageId: sent.id, body: 'text' });
      await expect(editing).rejects.toMatchObject({ code: 'not_permitted' });
    }
    if (type === 'document') {
      expect(sent.filename).toBe('a file.document');
      expect(received.filename).toBe('a file.document');
    }
    expect(await stack.spooled()).toEqual([]);
  });

  it('are uploaded again after a failure, once; then the error says that nothing was sent', async () => {
    await stack.phones.configure({ refusedUploads: 1 });
    const sent = await send({ type: 'document', base64: 'AQID', filename: 'again' });
    expect(await onBensPhone(sent.id)).toMatchObject({ size: 3 });
    await stack.phones.configure({ refusedUploads: 2 });
    const message = 'the media could not be uploaded; nothing was sent';
    await expect(send({ type: 'document', base64: 'AQID', filename: 'never' })).rejects.toMatchObject({
      code: 'client_failed',
      message,
    });
    expect((await stack.phones.messages(BEN, { with: ADA })).map(({ body }) => body)).not.toContain('never');
  });

  it('of unknown type and name get a type from their bytes, and a plain name', async () => {
    const [png] = media;
    const sent = await send({ type: 'document', base64: Buffer.from(png?.bytes ?? []).toString('base64') });
    expect(sent).toMatchObject({ mimeType: 'image/png', filename: 'document.png' });
    const blob = await send({ type: 'document', base64: 'AQID' });
    expect(blob).toMatchObject({ mimeType: 'application/octet-stream', filename: 'document.bin' });
  });

  it.each([1, 1_000_000])('of %i bytes are unchanged after they are sent and received', async (size) => {
    const bytes = patternBytes(size);
    const hash = sha256(bytes);
    const out = await send({ type: 'document', base64: Buffer.from(bytes).toString('base64'), filename: 'big.bin' });
    expect(await onBensPhone(out.id)).toMatchObject({ size, sha256: hash });
    const back = await stack.client.getMedia({ id: 'main', messageId: out.id });
    expect(back).toMatchObject({ size, filename: 'big.bin' });
    expect(sha256(await downloadedBytes(back))).toBe(hash);

    const base64 = Buffer.from(bytes).toString('base64');
    const file = { kind: 'document', base64, mimeType: 'application/x-test', filename: 'in.bin' } as const;
    const inbound = await stack.phones.send(BEN, { to: ADA, media: file });
    const message = await events.until('message', ({ id }) => stanzaOf(id) === inbound.id);
    expect(message).toMatchObject({
      type: 'document',
      hasMedia: true,
      body: '',
      filename: 'in.bin',
      mimeType: file.mimeType,
    });
    const download = await stack.client.getMedia({ id: 'main', messageId: message.id });
    expect(download).toMatchObject({ size, mimeType: file.mimeType, filename: 'in.bin' });
    expect(sha256(await downloadedBytes(download))).toBe(hash);

    served.set('/big', { type: 'application/x-test', bytes });
    const byUrl = await send({ type: 'document', url: `${origin}/big`, filename: 'url.bin' });
    expect(await onBensPhone(byUrl.id)).toMatchObject({ size, sha256: hash });
    expect(await stack.spooled()).toEqual([]);
  });

  it('by url follow redirects, keep the type that the caller gives, and never reach the internal network', async () => {
    const [png] = media;
    served.set('/cat.png', { type: 'image/png', bytes: png?.bytes ?? new Uint8Array() });
    const sent = await send({ type: 'image', url: `${origin}/moved`, caption: 'by url' });
    expect(await onBensPhone(sent.id)).toMatchObject({ sha256: sha256(png?.bytes ?? new Uint8Array()) });
    expect(await send({ type: 'document', url: `${origin}/cat.png`, mimeType: 'text/plain' })).toMatchObject({
      mimeType: 'text/plain',
    });
    for (const path of ['/inside', '/missing']) {
      const input = { id: 'main', type: 'image', url: `${origin}${path}` } as const;
      const calls = [
        () => send(input),
        () => stack.client.postStatus(input),
        () => stack.client.setProfilePicture({ id: 'main', url: input.url }),
      ];
      for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'media_unavailable' });
    }
    served.set('/huge', { type: 'image/png', bytes: new Uint8Array(50_000_001) });
    await expect(send({ type: 'image', url: `${origin}/huge` })).rejects.toMatchObject({ code: 'media_unavailable' });
    expect(await stack.spooled()).toEqual([]);
  });

  it.each([
    [{}, 'url,base64'],
    [{ url: 'http://x/', base64: 'AAAA' }, 'url,base64'],
    [{ url: 'file:///etc/passwd' }, 'url'],
    [{ base64: '' }, 'base64'],
    [{ base64: 'data:image/png,AAAA' }, 'base64'],
    [{ base64: 'null' }, 'base64'],
    [{ url: 'http://user:password@example.com/' }, 'url'],
    [{ base64: { path: '/etc/passwd', size: 3 } }, 'base64'],
    [{ base64: 'AQID', mimeType: 'image' }, 'mimeType'],
    [{ base64: 'AQID', mimeType: 'text/html' }, 'mimeType'],
    [{ base64: 'AQID', filename: '' }, 'filename'],
  ])('%j is refused as an invalid request, and leaves nothing', async (fields, field) => {
    await expect(send({ type: 'image', ...fields })).rejects.toMatchObject({ code: 'invalid_request' });
    const error = await send({ type: 'image', ...fields }).catch((thrown: { issues?: { path: string }[] }) => thrown);
    const named = (error as { issues?: { path: string }[] }).issues?.map(({ path }) => path).join();
    expect(named).toBe(field);
    expect(await stack.spooled()).toEqual([]);
  });

  it('that are missing have distinct errors', async () => {
    const get = (messageId: string) => stack.client.getMedia({ id: 'main', messageId });
    await expect(get(`true_${BEN}@c.us_3EB0000000000000`)).rejects.toMatchObject({ code: 'message_not_found' });
    const text = await send({ type: 'text', body: 'no media' });
    await expect(get(text.id)).rejects.toMatchObject({ code: 'media_not_found' });
    const file = { kind: 'image', base64: 'AQID', mimeType: 'image/png' } as const;
    const inbound = await stack.phones.send(BEN, { to: ADA, media: file });
    const { id } = await events.until('message', (message) => stanzaOf(message.id) === inbound.id);
    await stack.phones.dropMedia(inbound.id);
    await expect(get(id)).rejects.toMatchObject({ code: 'media_not_found' });
    expect(await stack.spooled()).toEqual([]);
  });

  it('leave nothing behind when a caller disconnects, while sending or receiving', async () => {
    const base64 = Buffer.from(patternBytes(20_000_000)).toString('base64');
    const upload = new AbortController();
    const body = JSON.stringify({ type: 'document', to: BEN, base64 });
    const half = new ReadableStream({
      pull(stream) {
        stream.enqueue(Buffer.from(body.slice(0, 5_000_000)));
        return new Promise(() => {});
      },
    });
    const url = new URL('/sessions/main/messages', stack.gateway.url);
    const headers = { 'content-type': 'application/json' };
    const aborted = fetch(url, {
      method: 'POST',
      headers,
      body: half,
      signal: upload.signal,
      duplex: 'half',
    } as RequestInit);
    aborted.catch(() => {});
    await eventually(async () => expect(await stack.spooled()).toHaveLength(1));
    upload.abort();
    await expect(aborted).rejects.toThrow();
    await eventually(async () => expect(await stack.spooled()).toEqual([]));

    const sent = await send({ type: 'document', base64 });
    const download = await stack.client.getMedia({ id: 'main', messageId: sent.id });
    await download?.data.cancel();
    const path = `/sessions/main/messages/${encodeURIComponent(sent.id)}/media`;
    const head = await fetch(new URL(path, stack.gateway.url), { method: 'HEAD' });
    expect(head.headers.get('content-length')).toBe('20000000');
    expect(await stack.spooled()).toEqual([]);
    await eventually(() => {
      const open = readdirSync(`/proc/${stack.gateway.pid}/fd`).map((fd) =>
        linkOf(`/proc/${stack.gateway.pid}/fd/${fd}`),
      );
      expect(open.filter((target) => target.includes('/spool/'))).toEqual([]);
    });
  });

  it('are served in parts, and described without a download', async () => {
    const bytes = Buffer.from(patternBytes(300_000));
    const file = { kind: 'video', base64: bytes.toString('base64'), mimeType: 'video/mp4' } as const;
    const inbound = await stack.phones.send(BEN, { to: ADA, media: file });
    const { id } = await events.until('message', (message) => stanzaOf(message.id) === inbound.id);
    const url = new URL(`/sessions/main/messages/${encodeURIComponent(id)}/media`, stack.gateway.url);
    const get = (headers: Record<string, string> = {}, method = 'GET') => fetch(url, { headers, method });
    const head = await get({}, 'HEAD');
    const described = Object.fromEntries(head.headers);
    const tag = `"${createHash('sha256').update(bytes).digest('base64')}"`;
    expect(described).toMatchObject({
      'content-length': '300000',
      'content-type': 'video/mp4',
      'accept-ranges': 'bytes',
      etag: tag,
    });
    expect(await stack.spooled()).toEqual([]);

    const whole = await get({ 'if-none-match': '"other"' });
    expect([whole.status, whole.headers.get('etag')]).toEqual([200, tag]);
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
    for (const [range, start, end] of [
      ['bytes=0-1', 0, 1],
      ['bytes=70000-199999', 70_000, 199_999],
      ['bytes=299999-', 299_999, 299_999],
      ['bytes=-65537', 234_463, 299_999],
    ] as const) {
      const part = await get({ range, 'if-range': tag });
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes ${start}-${end}/300000`]);
      expect(part.headers.get('content-length')).toBe(String(end - start + 1));
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(start, end + 1))).toBe(true);
    }
    for (const headers of [{ range: 'bytes=0-1,5-6' }, { range: 'bytes=0-1', 'if-range': '"other"' }] as const) {
      const all = await get(headers);
      expect([all.status, (await all.arrayBuffer()).byteLength]).toEqual([200, 300_000]);
    }
    const beyond = await get({ range: 'bytes=300000-' });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */300000']);
    expect(await beyond.json()).toMatchObject({ code: 'range_not_satisfiable' });
    const unchanged = await get({ 'if-none-match': `W/${tag}`, range: 'bytes=0-1' });
    expect([unchanged.status, unchanged.headers.get('etag'), await unchanged.text()]).toEqual([304, tag, '']);
    expect(await stack.spooled()).toEqual([]);
  });

  it('are served so that a browser does not run them', async () => {
    const name = 'evil\r\nX-Injected: yes\u202Egnp."ä😀.html';
    const file = { kind: 'document', base64: 'PHNjcmlwdD4=', mimeType: 'text/html', filename: name } as const;
    const inbound = await stack.phones.send(BEN, { to: ADA, media: file });
    const { id } = await events.until('message', (message) => stanzaOf(message.id) === inbound.id);
    const path = `/sessions/main/messages/${encodeURIComponent(id)}/media`;
    const { headers } = await fetch(new URL(path, stack.gateway.url));
    expect(headers.get('x-injected')).toBeNull();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain('sandbox');
    const disposition = headers.get('content-disposition') ?? '';
    expect(disposition).toMatch(/^attachment; filename=/);
    expect(decodeURIComponent(disposition)).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
  });
});

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // Closed meanwhile.
  }
}
