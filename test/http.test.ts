import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { isWorkerOperation, operations } from '@chat-web/protocol';
import { ask, expectError, JSON_TYPE, rawRequest, rows, rowsWithId } from '@chat-web/testing';
import { sharedGateway } from '@chat-web/testing/story';
import { describe, expect, it } from 'vitest';

const open = sharedGateway({ settings: { CHAT_WEB_MAX_BODY_BYTES: '2000' }, sessions: ['saved'] });

it('the spool folder is empty after a start', async () => {
  await open.end();
  await writeFile(join(open.dataDir, 'spool', 'left-behind'), 'bytes of nobody');
  await open.start();
  expect(await readdir(join(open.dataDir, 'spool'))).toEqual([]);
});

it('idle connections are kept longer than clients keep theirs', async () => {
  expect((await fetch(`${open.url}/health`)).headers.get('keep-alive')).toBe('timeout=75');
});

describe('bad session ids', () => {
  it.each(rowsWithId)('are answered 400 by $name, and touch no file', async (row) => {
    const before = await readdir(open.dataDir, { recursive: true });
    for (const id of ['..%2Fx', '%2e%2e%2fx', 'x'.repeat(65), 'a%00b', 'a%20b', 'a.b', '%C3%A4', '']) {
      const answer = await ask(open.url, row, id);
      expectError(answer, 400, 'invalid_request');
      expect(answer.body.issues).toContainEqual({ path: 'id', message: expect.stringContaining('1 to 64') });
    }
    expect(await readdir(open.dataDir, { recursive: true })).toEqual(before);
  });

  it('are answered 400 before the body is checked', async () => {
    const answer = await rawRequest(open.url, { method: 'POST', path: '/sessions/..%2Fx/messages', body: '{' });
    expectError(answer, 400, 'invalid_request');
    expect(answer.body.issues).toMatchObject([{ path: 'id' }]);
  });

  it('are answered 400 by the event stream too', async () => {
    expectError(await rawRequest(open.url, { path: '/sessions/..%2Fx/events' }), 400, 'invalid_request');
  });
});

it.each(rows.filter(({ otherParam }) => otherParam))(
  'bad ids of messages, groups and people in a path are answered 400 by $name',
  async (row) => {
    for (const bad of ['x', '..%2Fx', '%00', '1@g.us%0A', '12']) {
      const path = operations[row.name as keyof typeof operations].path
        .replace(':id', 'nobody')
        .replace(`:${row.otherParam}`, bad);
      const answer = await rawRequest(open.url, { method: row.method, path, headers: JSON_TYPE, body: row.body });
      expectError(answer, 400, 'invalid_request');
      expect(answer.body.issues).toMatchObject([{ path: row.otherParam }]);
    }
  },
);

describe('unknown sessions', () => {
  it.each(rowsWithId.filter(({ name }) => name !== 'startSession' && name !== 'importSession'))(
    'are answered 404 by $name',
    async (row) => {
      expectError(await ask(open.url, row, 'nobody'), 404, 'session_not_found');
    },
  );

  it('are answered 404 by the event stream too', async () => {
    expectError(await rawRequest(open.url, { path: '/sessions/nobody/events' }), 404, 'session_not_found');
  });
});

describe('sessions that are not ready', () => {
  const forLinking = rowsWithId.filter(({ name }) => name === 'getQr' || name === 'requestPairingCode');
  const needReady = rowsWithId.filter(
    (row) => (isWorkerOperation(row.name) || row.name === 'getSessionInfo') && !forLinking.includes(row),
  );

  it.each(needReady)('are answered 409 by $name', async (row) => {
    expectError(await ask(open.url, row, 'saved'), 409, 'session_not_ready');
  });

  it.each(forLinking)('are answered 404 by $name', async (row) => {
    expectError(await ask(open.url, row, 'saved'), 404, 'qr_not_available');
  });
});

describe('bad bodies', () => {
  const send = (body: string | undefined, headers: Record<string, string> = JSON_TYPE) =>
    rawRequest(open.url, { method: 'POST', path: '/sessions/nobody/messages', headers, body });

  it('are answered 400 with each bad field named, and without the values sent', async () => {
    const secret = 'hunter2';
    const answer = await send(JSON.stringify({ type: 'text', to: secret, body: 7, quotedMessageId: secret }));
    expectError(answer, 400, 'invalid_request');
    expect(answer.body.issues?.map(({ path }) => path)).toEqual(['to', 'body', 'quotedMessageId']);
    expect(answer.text).not.toContain(secret);
  });

  it.each([
    [{}, 'type'],
    [{ type: 'telegram' }, 'type'],
    [{ type: 'text', body: 'x' }, 'to'],
    [{ type: 'text', to: '12025550102' }, 'body'],
    [{ type: 'text', to: '12025550102', body: '' }, 'body'],
    [{ type: 'text', to: '12025550102', body: null }, 'body'],
  ])('%j: names %s', async (body, field) => {
    const answer = await send(JSON.stringify(body));
    expectError(answer, 400, 'invalid_request');
    expect(answer.body.issues?.map(({ path }) => path)).toEqual([field]);
  });

  it.each(['', '{', '[]', '"text"', 'null', '\u0000'])('%j is not a JSON object: 400', async (body) => {
    expectError(await send(body), 400, 'invalid_request');
  });

  it('without the content type of JSON are answered 415', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', '']) {
      expectError(await send('{}', type ? { 'content-type': type } : {}), 415, 'unsupported_media_type');
    }
  });

  it('may be compressed, within the same limits', async () => {
    const post = (body: Buffer, encoding: string) =>
      fetch(`${open.url}/sessions/nobody/messages`, {
        method: 'POST',
        headers: { ...JSON_TYPE, 'content-encoding': encoding },
        body: new Uint8Array(body),
      });
    const text = JSON.stringify({ type: 'text', to: '12025550102', body: 'hello' });
    for (const body of [text, JSON.stringify({ type: 'image', to: '12025550102', base64: 'AAAA' })]) {
      expect((await post(gzipSync(body), 'gzip')).status).toBe(404);
      expect((await post(deflateSync(body), 'deflate')).status).toBe(404);
    }
    const wrong = await post(gzipSync('{}'), 'gzip');
    expect(await wrong.json()).toMatchObject({ code: 'invalid_request', issues: [{ path: 'type' }] });
    for (const [body, status] of [
      [gzipSync(text.replace('hello', 'x'.repeat(3_000))), 413],
      [gzipSync(JSON.stringify({ type: 'image', to: '12025550102', base64: 'A'.repeat(4_000) })), 413],
      [Buffer.from(text), 400],
    ] as const)
      expect((await post(body, 'gzip')).status).toBe(status);
    const brotli = await post(brotliCompressSync(text), 'br');
    expect([brotli.status, brotli.headers.get('accept-encoding')]).toEqual([415, 'gzip, deflate']);
    expect(await brotli.json()).toMatchObject({ error: expect.stringContaining('Content-Encoding') });
  });

  it('that are too large are answered 413, with and without a Content-Length', async () => {
    const large = JSON.stringify({ type: 'text', to: '12025550102', body: 'x'.repeat(3_000) });
    expectError(await send(large), 413, 'body_too_large');
    expectError(await send(large, { ...JSON_TYPE, 'transfer-encoding': 'chunked' }), 413, 'body_too_large');
  });

  it('are ignored on a route that needs none', async () => {
    const answer = await rawRequest(open.url, {
      method: 'POST',
      path: '/sessions/nobody/stop',
      headers: { 'content-type': 'text/plain' },
      body: 'not JSON',
    });
    expectError(answer, 404, 'session_not_found');
  });
});

it('routes that do not exist are answered 404, and other methods 405 with those allowed', async () => {
  expectError(await rawRequest(open.url, { path: '/nowhere' }), 404, 'route_not_found');
  const answer = await rawRequest(open.url, { method: 'PATCH', path: '/sessions/x/start' });
  expectError(answer, 405, 'method_not_allowed');
  expect(answer.headers.allow).toBe('POST');
});
