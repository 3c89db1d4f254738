import { readdir } from 'node:fs/promises';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { createClient } from '@chat-web/host';
import { ADA, BEN, downloadedBytes, eventually, expectError, rawRequest } from '@chat-web/testing';
import { EventLog, Stack } from '@chat-web/testing/stack';
import { freshGateway } from '@chat-web/testing/story';
import { afterEach, describe, expect, it } from 'vitest';

const gateway = freshGateway({ settings: { CHAT_WEB_BROWSER_PATH: '/bin/false' }, sessions: ['saved', 'other'] });
const { start } = gateway;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const connect = () => {
  const { hostname, port } = new URL(gateway.url);
  const socket = createConnection(Number(port), hostname)
    .on('error', () => {})
    .resume();
  sockets.push(socket);
  return socket;
};
/** A request whose body never ends. */
const sendHalf = (session: string, token = '') => {
  const auth = token && `Authorization: Bearer ${token}\r\n`;
  const head = `POST /sessions/${session}/messages HTTP/1.1\r\nHost: localhost\r\n${auth}Content-Type: application/json\r\n`;
  connect().write(`${head}Content-Length: 1000\r\n\r\n{"type": "text"`);
};
const TEXT = '{"type": "text", "to": "4915112345678", "body": "hello"}';
const text = (session: string) =>
  rawRequest(gateway.url, {
    method: 'POST',
    path: `/sessions/${session}/messages`,
    body: TEXT,
    headers: { 'content-type': 'application/json' },
  });
const metric = async (name: string) => {
  const { text: metrics } = await rawRequest(gateway.url, { path: '/metrics' });
  return Number(new RegExp(`^chat_web_${name} (\\d+)$`, 'm').exec(metrics)?.[1]);
};

describe('a limit is named in the error, with when to retry', () => {
  it('of sessions, for one that is new', async () => {
    await start({ CHAT_WEB_MAX_SESSIONS: '2' });
    const refused = await rawRequest(gateway.url, { method: 'POST', path: '/sessions/third/start' });
    expectError(refused, 503, 'insufficient_resources');
    expect(refused.body.error).toContain('CHAT_WEB_MAX_SESSIONS');
    expect(refused.headers['retry-after']).toBe('60');
    // An existing one may start, and fails without a browser.
    const { status, body } = await rawRequest(gateway.url, { method: 'POST', path: '/sessions/saved/start' });
    expect([status, body]).toMatchObject([200, { id: 'saved' }]);
    await rawRequest(gateway.url, { method: 'DELETE', path: '/sessions/other' });
    const many = ['a', 'b', 'c', 'd', 'e'].map((id) =>
      rawRequest(gateway.url, { method: 'POST', path: `/sessions/${id}/start` }),
    );
    expect((await Promise.all(many)).filter(({ status: answered }) => answered === 200)).toHaveLength(1);
    for (const id of ['a', 'b', 'c', 'd', 'e'])
      await rawRequest(gateway.url, { method: 'DELETE', path: `/sessions/${id}` });
    expect((await rawRequest(gateway.url, { method: 'POST', path: '/sessions/third/start' })).status).toBe(200);
  });

  it('of requests in progress for a session, whose status and stop still work', async () => {
    await start({ CHAT_WEB_MAX_REQUESTS_PER_SESSION: '2' });
    sendHalf('saved');
    sendHalf('saved');
    const refused = await eventually(async () => {
      const answer = await text('saved');
      expectError(answer, 429, 'rate_limited');
      return answer;
    });
    expect(refused.body.error).toContain('CHAT_WEB_MAX_REQUESTS_PER_SESSION');
    expect(refused.headers['retry-after']).toBe('1');
    expectError(await text('other'), 409, 'session_not_ready');
    expect((await rawRequest(gateway.url, { path: '/sessions/saved/status' })).status).toBe(200);
    expect((await rawRequest(gateway.url, { method: 'POST', path: '/sessions/saved/stop' })).status).toBe(200);
    for (const socket of sockets.splice(0)) socket.destroy();
    await eventually(async () => expectError(await text('saved'), 409, 'session_not_ready'));
  });

  it('of requests in progress by a key, which affects no other', async () => {
    await start({ CHAT_WEB_MAX_REQUESTS_PER_KEY: '2', CHAT_WEB_TOKEN: 'operator-token' });
    const operator = createClient({ url: gateway.url, token: 'operator-token' }, { retries: 0 });
    const [busy, idle] = await Promise.all(
      ['busy', 'idle'].map((name) => operator.createKey({ name, sessions: ['*'], scope: 'send' })),
    );
    const ask = (session: string, token = '') => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      return rawRequest(gateway.url, { method: 'POST', path: `/sessions/${session}/messages`, headers, body: TEXT });
    };
    for (const session of ['saved', 'other']) sendHalf(session, busy?.key);
    const refused = await eventually(async () => {
      const answer = await ask('other', busy?.key);
      expectError(answer, 429, 'rate_limited');
      return answer;
    });
    expect(refused.body.error).toContain('CHAT_WEB_MAX_REQUESTS_PER_KEY');
    for (const token of [idle?.key, 'operator-token']) expectError(await ask('other', token), 409, 'session_not_ready');
  });

  it('of requests in progress by a key, including its event streams', async () => {
    await start({ CHAT_WEB_MAX_REQUESTS_PER_KEY: '2', CHAT_WEB_TOKEN: 'operator-token' });
    const operator = createClient({ url: gateway.url, token: 'operator-token' }, { retries: 0 });
    const { key } = await operator.createKey({ name: 'listener', sessions: ['*'], scope: 'read' });
    const listen = (token: string) => EventLog.open({ url: gateway.url, token }, 'saved');
    const logs = [await listen(key), await listen(key)];
    await expect(listen(key)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
    logs.push(await listen('operator-token'));
    logs.shift()?.close();
    await eventually(async () => logs.push(await listen(key)));
    for (const log of logs) log.close();
  });

  it('of one request at a time on a connection: a pipelined request could keep its count forever', async () => {
    await start({ CHAT_WEB_MAX_REQUESTS_PER_SESSION: '5' });
    const get = (path: string) => `GET /sessions/saved/${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    for (const behind of ['chats', 'events', 'info']) {
      const pipelining = connect();
      const closed = new Promise((resolve) => pipelining.once('close', resolve));
      pipelining.write(get('events') + get(behind).repeat(30));
      await closed;
    }
    await eventually(async () =>
      expectError(await rawRequest(gateway.url, { path: '/sessions/saved/chats' }), 409, 'session_not_ready'),
    );
    const logs = await Promise.all(Array.from({ length: 16 }, () => EventLog.open({ url: gateway.url }, 'saved')));
    for (const log of logs) log.close();
  });

  it('of connections, beyond which new ones are closed at once, and counted', async () => {
    await start({ CHAT_WEB_MAX_CONNECTIONS: '20' });
    const idle = Array.from({ length: 50 }, connect);
    await eventually(() => expect(idle.filter(({ closed }) => closed).length).toBeGreaterThanOrEqual(30));
    for (const socket of idle.slice(0, 25)) socket.destroy();
    await eventually(async () => expect(await metric('connections_dropped_total')).toBeGreaterThanOrEqual(30));
    expect(await metric('connections_open')).toBeLessThanOrEqual(20);
  });
});

describe('the spool', () => {
  const image = (mb: number) => ({
    id: 'main',
    type: 'image',
    to: BEN,
    mimeType: 'image/png',
    base64: 'A'.repeat(Math.round((mb * 1_048_576) / 3) * 4),
  });

  it('gives a session no more than its share, and is empty afterwards', async () => {
    await using stack = await Stack.start({
      settings: { CHAT_WEB_SPOOL_MAX_MB: '2', CHAT_WEB_SPOOL_SESSION_MAX_MB: '1' },
    });
    await stack.link('main', ADA);
    const refused = stack.client.sendMessage(image(1.5) as never);
    await expect(refused).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(refused).rejects.toThrow('CHAT_WEB_SPOOL_SESSION_MAX_MB');
    // A download counts towards it, too.
    const sent = await stack.client.sendMessage(image(0.75) as never);
    const messageId = 'timestamp' in sent ? sent.id : '';
    const media = await stack.client.getMedia({ id: 'main', messageId });
    expect((await downloadedBytes(media)).length).toBeGreaterThan(700_000);
    // A file larger than the share never fits.
    const events = await stack.listen('main');
    const file = { kind: 'image', base64: image(1.5).base64, mimeType: 'image/png' } as const;
    await stack.phones.send(BEN, { to: ADA, media: file });
    const { id: tooLarge } = await events.until('message', ({ hasMedia }) => hasMedia);
    await expect(stack.client.getMedia({ id: 'main', messageId: tooLarge })).rejects.toMatchObject({
      code: 'media_unavailable',
      message: expect.stringContaining('CHAT_WEB_SPOOL_SESSION_MAX_MB'),
    });
    await eventually(async () => {
      const metrics = await (await fetch(new URL('/metrics', stack.gateway.url))).text();
      expect(metrics).toContain('chat_web_spool_bytes 0\n');
    });
    expect(
      (await readdir(join(stack.dataDir, 'spool'), { recursive: true })).filter((name) => name !== 'main'),
    ).toEqual([]);
  });
});
