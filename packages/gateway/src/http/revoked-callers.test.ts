import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request as send } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ARCHIVE_TYPE, deferred, MB, type TakenArchive } from '@chat-web/protocol';
import { eventually } from '@chat-web/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FakeGatewayOptions, fakeGateway, serve, TOKEN } from '../testing/fake-gateway.ts';

const FILE = 'd9428888-122b-41e1-b85c-61b4ecf3f4ad';
/** More than the connection and both ends hold. */
const FILE_BYTES = 64 * MB;
const MEDIA = '/sessions/main/messages/true_12025550102@c.us_3EB0AA/media';
const SENDS = '/sessions/main/messages';
const MESSAGE = JSON.stringify({ type: 'text', to: '12025550102', body: 'hello' });
const IMAGE = JSON.stringify({ type: 'image', to: '12025550102', base64: 'A'.repeat(200_000) });
const FORM = [
  '--x\r\nContent-Disposition: form-data; name="type"\r\n\r\nimage',
  '\r\n--x\r\nContent-Disposition: form-data; name="to"\r\n\r\n12025550102',
  `\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n${'A'.repeat(200_000)}\r\n--x--\r\n`,
].join('');

/** What the handlers wait for, and what they get. */
let held: ReturnType<typeof deferred<void>>;
let imported: string[];
let gateway: Awaited<ReturnType<typeof fakeGateway>>;
let server: Awaited<ReturnType<typeof serve>>;
let key: Awaited<ReturnType<typeof gateway.keys.create>>;

const handlers: FakeGatewayOptions['handlers'] = {
  sendMessage: () => held.promise.then(() => ({ id: 'sent' })),
  listChats: () => held.promise.then(() => []),
  getMedia: async () => {
    writeFileSync(join(gateway.dataDir, 'spool', 'main', FILE), Buffer.alloc(FILE_BYTES));
    return { file: FILE, size: FILE_BYTES, mimeType: 'image/png' };
  },
  createWebhook: () => ({ id: 'wh_0123456789ab' }),
  exportSession: () => ({ size: 2 * MB, contentDigest: 'sha-256=:x:', bytes: slowArchive() }),
  importSession: async ({ archive }) => {
    imported.push('begun');
    for await (const _ of archive as TakenArchive['archive']);
    imported.push('whole');
    return { id: 'main', status: 'starting' };
  },
};

async function* slowArchive() {
  yield Buffer.alloc(MB);
  await held.promise;
  yield Buffer.alloc(MB);
}

beforeEach(async () => {
  held = deferred();
  imported = [];
  gateway = await fakeGateway({ settings: { CHAT_WEB_TOKEN: TOKEN }, handlers });
  mkdirSync(join(gateway.dataDir, 'spool', 'main'));
  server = await serve(gateway.app);
  key = await gateway.keys.create({ name: 'shop', sessions: ['main'], scope: 'manage' });
});
afterEach(async () => {
  held.resolve();
  await server.close();
  await gateway[Symbol.asyncDispose]();
});

interface Asked {
  readonly request: ClientRequest;
  /** Status and code of the answer, and how many bytes it has; `closed` without one. */
  readonly answer: Promise<{ status: number | 'closed'; code?: string; bytes: number; isWhole: boolean }>;
}

function ask(method: string, path: string, headers: Readonly<Record<string, string>> = {}): Asked {
  const request = send(new URL(path, server.url), {
    method,
    headers: { authorization: `Bearer ${key.key}`, ...headers },
    agent: false,
  });
  const { promise, resolve } = deferred<Awaited<Asked['answer']>>();
  request.on('error', () => resolve({ status: 'closed', bytes: 0, isWhole: false }));
  request.on('response', (response: IncomingMessage) => {
    let [bytes, text] = [0, ''];
    response
      .on('error', () => {})
      .on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes < 1_000) text += String(piece);
      });
    response.on('close', () => {
      const { code } = /"code":"(?<code>\w+)"/.exec(text)?.groups ?? {};
      resolve({ status: response.statusCode ?? 0, ...(code ? { code } : {}), bytes, isWhole: response.complete });
    });
  });
  return { request, answer: promise };
}

const JSON_BODY = { 'content-type': 'application/json' };
const UNAUTHORIZED = { status: 401, code: 'unauthorized' };
const revoke = () => gateway.keys.remove(key.id);
const isHandled = (name: string) => eventually(() => expect(gateway.handled).toMatchObject([{ name }]));

describe.each<[string, string, string, Record<string, string>, string | Buffer]>([
  ['a text', 'POST', SENDS, JSON_BODY, MESSAGE],
  ['an upload', 'POST', SENDS, JSON_BODY, IMAGE],
  ['a form', 'POST', SENDS, { 'content-type': 'multipart/form-data; boundary=x' }, FORM],
  ['an encoded text', 'POST', SENDS, { ...JSON_BODY, 'content-encoding': 'gzip' }, gzipSync(MESSAGE)],
  ['a repeated request', 'POST', SENDS, { ...JSON_BODY, 'idempotency-key': 'again' }, MESSAGE],
  ['a start', 'POST', '/sessions/main/start', JSON_BODY, '{"takeBack":true}'],
  ['a webhook', 'POST', '/webhooks', JSON_BODY, '{"url":"https://example.org/"}'],
  ['a ticket', 'POST', '/events/ticket', JSON_BODY, '{"sessions":["main"]}'],
  ['an archive', 'PUT', '/sessions/main/import', { 'content-type': ARCHIVE_TYPE }, Buffer.alloc(10_000)],
])('%s whose body is being sent', (what, method, path, headers, body) => {
  beforeEach(async () => {
    held.resolve();
    if (what !== 'a repeated request') return;
    const { request, answer } = ask(method, path, headers);
    request.end(body);
    expect(await answer).toMatchObject({ status: 200 });
    gateway.handled.length = 0;
  });

  async function sendHalf() {
    const asked = ask(method, path, { ...headers, 'content-length': String(body.length), expect: '100-continue' });
    asked.request.flushHeaders();
    await once(asked.request, 'continue');
    asked.request.write(body.slice(0, body.length / 2));
    return asked;
  }

  it('ends with 401 when its key is deleted, and nothing is carried out', async () => {
    const { request, answer } = await sendHalf();
    if (what === 'an archive') await isHandled('importSession');
    await revoke();
    expect(await answer).toMatchObject(UNAUTHORIZED);
    request.end(body.slice(body.length / 2));
    if (what === 'an archive') expect(imported).toEqual(['begun']);
    else expect(gateway.handled).toEqual([]);
  });

  it('is carried out otherwise', async () => {
    const { request, answer } = await sendHalf();
    request.end(body.slice(body.length / 2));
    expect((await answer).status).toBeOneOf([200, 201]);
    if (what === 'an archive') expect(imported).toEqual(['begun', 'whole']);
    else if (what !== 'a repeated request') expect(gateway.handled).toHaveLength(1);
  });
});

describe('a request in progress', () => {
  it.each([
    ['that sends is carried out, and answered', 'POST', SENDS, MESSAGE, 'sendMessage', { status: 200 }],
    ['that reads is answered with 401', 'GET', '/sessions/main/chats', '', 'listChats', UNAUTHORIZED],
  ])('%s if its key is deleted', async (_, method, path, body, name, expected) => {
    const { request, answer } = ask(method, path, JSON_BODY);
    request.end(body);
    await isHandled(name);
    await revoke();
    held.resolve();
    expect(await answer).toMatchObject(expected);
  });

  it('that reads is answered otherwise', async () => {
    const { request, answer } = ask('GET', '/sessions/main/chats');
    request.end();
    await isHandled('listChats');
    held.resolve();
    expect(await answer).toMatchObject({ status: 200 });
  });

  it('that waits for events is answered with 401', async () => {
    const { request, answer } = ask('GET', '/events?wait=60', { accept: 'application/json', expect: '100-continue' });
    request.flushHeaders();
    await once(request, 'continue'); // It is being answered.
    request.end();
    await revoke();
    expect(await answer).toMatchObject(UNAUTHORIZED);
  });
});

describe.each([
  ['media', 'GET', MEDIA, FILE_BYTES],
  ['an archive', 'POST', '/sessions/main/export', 2 * MB],
])('a download of %s', (_, method, path, size) => {
  async function begin() {
    const asked = ask(method, path);
    asked.request.end();
    const [response] = (await once(asked.request, 'response')) as [IncomingMessage];
    response.pause();
    return { ...asked, response };
  }

  it('is cut off when its key is deleted', async () => {
    const { answer, response } = await begin();
    await revoke();
    response.resume();
    const { bytes, isWhole } = await answer;
    expect(isWhole).toBe(false);
    expect(bytes).toBeLessThan(size);
  });

  it('is whole otherwise', async () => {
    const { answer, response } = await begin();
    held.resolve();
    response.resume();
    expect(await answer).toMatchObject({ status: 200, bytes: size, isWhole: true });
  });
});
