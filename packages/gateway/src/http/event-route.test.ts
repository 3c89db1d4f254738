import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as send } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { fakeGateway, serve, TOKEN } from '../testing/fake-gateway.ts';

/** A stream as a reader has it. */
interface Reader {
  readonly request: ClientRequest;
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  text: string;
  hasEnded: boolean;
}

let gateway: Awaited<ReturnType<typeof fakeGateway>>;
let server: Awaited<ReturnType<typeof serve>>;
beforeEach(async () => {
  gateway = await fakeGateway({ settings: { CHAT_WEB_TOKEN: TOKEN, CHAT_WEB_MAX_REQUESTS_PER_KEY: '2' } });
  server = await serve(gateway.app);
});
afterEach(async () => {
  await server.close();
  gateway[Symbol.dispose]();
});

async function open(token = TOKEN, path = '/sessions/main/events', method = 'GET'): Promise<Reader> {
  const request = send(new URL(path, server.url), { method, headers: { authorization: `Bearer ${token}` } });
  request.on('error', () => {}).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const reader = { request, status: response.statusCode, headers: response.headers, text: '', hasEnded: false };
  response.setEncoding('utf8').on('error', () => {});
  response.on('data', (chunk: string) => {
    reader.text += chunk;
  });
  response.on('close', () => {
    reader.hasEnded = true;
  });
  return reader;
}

const keyFor = (scope: 'read' | 'manage') => gateway.keys.create({ name: 'shop', sessions: ['main'], scope });
const codeOf = async (reader: Reader) => {
  await eventually(() => expect(reader.hasEnded).toBe(true));
  return [reader.status, JSON.parse(reader.text).code];
};
const HEAD = 'retry: 3000\n: connected\n\n';
const QR = 'event: qr\ndata: data:image/png;base64,\n\n';
const left = { name: 'disconnected', data: { reason: 'LOGOUT', message: 'logged out' } } as const;

describe('a stream', () => {
  it('begins at once with a comment and the QR that is to be scanned, and says how it is to be treated', async () => {
    const reader = await open();
    await eventually(() => expect(reader.text).toBe(HEAD + QR));
    expect(reader).toMatchObject({
      status: 200,
      headers: {
        ...{ 'content-type': 'text/event-stream; charset=utf-8', 'x-accel-buffering': 'no' },
        ...{ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
      },
    });
  });

  it('brings each event as it happens, and ends with the reason', async () => {
    const reader = await open();
    gateway.hub.publish(left);
    gateway.hub.endAll('the gateway stops');
    await eventually(() => expect(reader.hasEnded).toBe(true));
    const frame = `event: disconnected\ndata: ${JSON.stringify(left.data)}\n\n`;
    expect(reader.text).toBe(`${HEAD}${QR}${frame}: the gateway stops\n\n`);
  });

  it('shows no QR to a key that may not link', async () => {
    const [reading, managing] = [await open((await keyFor('read')).key), await open((await keyFor('manage')).key)];
    gateway.hub.publish({ name: 'qr', data: 'data:image/png;base64,AAAA' });
    gateway.hub.endAll('over');
    await eventually(() => expect([reading.hasEnded, managing.hasEnded]).toEqual([true, true]));
    expect(reading.text).toBe(`${HEAD}: over\n\n`);
    expect(managing.text.match(/^event: qr$/gm)).toHaveLength(2);
  });

  it('ends when its key is deleted, and no later event is on it', async () => {
    const { id, key } = await keyFor('read');
    const reader = await open(key);
    await gateway.keys.remove(id);
    gateway.hub.publish(left);
    await eventually(() => expect(reader.hasEnded).toBe(true));
    expect(reader.text).toBe(`${HEAD}: the key or token is no longer valid\n\n`);
    expect(gateway.hub.streams).toBe(0);
    expect((await open(key)).status).toBe(401);
  });

  it('that its reader has left is no more', async () => {
    const readers = [await open(), await open()];
    expect(gateway.hub.streams).toBe(2);
    readers[0]?.request.destroy();
    await eventually(() => expect(gateway.hub.streams).toBe(1));
  });
});

describe('no stream is opened', () => {
  it('for HEAD, which is answered and over', async () => {
    const reader = await open(TOKEN, '/sessions/main/events', 'HEAD');
    expect([reader.status, reader.headers['content-type']]).toEqual([200, 'text/event-stream']);
    await eventually(() => expect(reader.hasEnded).toBe(true));
    expect(gateway.hub.streams).toBe(0);
  });

  it('for a session that is none, or an id that cannot be one', async () => {
    expect(await codeOf(await open(TOKEN, '/sessions/nobody/events'))).toEqual([404, 'session_not_found']);
    expect(await codeOf(await open(TOKEN, '/sessions/..%2Fx/events'))).toEqual([400, 'invalid_request']);
    expect(await codeOf(await open('wrong'))).toEqual([401, 'unauthorized']);
  });

  it('beyond 16 of a session: 429 says when to come back, and one that closes makes room', async () => {
    const readers = await Promise.all(Array.from({ length: 16 }, () => open()));
    expect(readers.map(({ status }) => status)).toEqual(Array(16).fill(200));
    const refused = await open();
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(await codeOf(refused)).toEqual([429, 'too_many_streams']);
    readers[3]?.request.destroy();
    await eventually(() => expect(gateway.hub.streams).toBe(15));
    expect((await open()).status).toBe(200);
  });

  it('beyond what a key may have under way, whatever the operator has open', async () => {
    const { key } = await keyFor('read');
    const readers = [await open(key), await open(key)];
    expect(await codeOf(await open(key))).toEqual([429, 'rate_limited']);
    expect((await open()).status).toBe(200);
    readers[0]?.request.destroy();
    await eventually(async () => expect((await open(key)).status).toBe(200));
  });

  it('while a body is still coming, which would be read for as long as the stream is open', async () => {
    const request = send(new URL('/sessions/main/events', server.url), {
      headers: { authorization: `Bearer ${TOKEN}`, 'content-length': '1000' },
    });
    request.on('error', () => {}).flushHeaders();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(400);
    expect(gateway.hub.streams).toBe(0);
    request.destroy();
  });
});
