import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@chat-web/host';
import { isWorkerOperation, type Operation, operations } from '@chat-web/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayProcess, spawnGateway } from '../scripts/gateway-process.ts';
import { type RawAnswer, rawRequest } from './helpers/raw-request.ts';

const TOKEN = 'correct-horse';
let dataDir: string;
let guarded: GatewayProcess;
let open: GatewayProcess;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chat-web-test-'));
  // A session with saved auth, as an earlier gateway has left it.
  const saved = join(dataDir, 'open', 'sessions', 'saved');
  await mkdir(saved, { recursive: true });
  await writeFile(join(saved, 'linked.json'), '{}');
  const settings = {
    CHAT_WEB_PORT: '0',
    CHAT_WEB_AUTO_START_SESSIONS: 'no',
    CHAT_WEB_MAX_BODY_BYTES: '2000',
    CHAT_WEB_ALLOWED_HOSTS: 'gateway.lan',
  };
  guarded = await spawnGateway({ ...settings, CHAT_WEB_DATA_DIR: join(dataDir, 'guarded'), CHAT_WEB_TOKEN: TOKEN });
  open = await spawnGateway({ ...settings, CHAT_WEB_DATA_DIR: join(dataDir, 'open') });
});

afterAll(async () => {
  await Promise.all([guarded.end(), open.end()]);
  await rm(dataDir, { recursive: true });
});

/** A body that each operation with one takes. */
const bodies: Readonly<Record<string, object>> = {
  sendMessage: { type: 'text', to: '12025550102', body: 'hello' },
  editMessage: { body: 'hello' },
  deleteMessage: { forEveryone: true },
  createGroup: { subject: 'Friends', participants: ['12025550102'] },
  addParticipants: { participants: ['12025550102'] },
  removeParticipants: { participants: ['12025550102'] },
  renameGroup: { subject: 'Friends' },
  postStatus: { type: 'text', body: 'hello' },
};

/** What stands in a path beside the session's id. */
const inPath: Readonly<Record<string, string>> = {
  messageId: 'true_12025550102@c.us_3EB0AA',
  groupId: '120363000000000000@g.us',
  contactId: '12025550102@c.us',
  number: '+12025550102',
};

const rows = Object.entries<Operation>(operations).map(([name, { method, path, body }]) => ({
  name,
  method,
  path: (id: string) =>
    path.replace(/:(\w+)/g, (_, param: string) => (param === 'id' ? id : encodeURIComponent(inPath[param] ?? ''))),
  hasId: path.includes(':id'),
  otherParam: /:(messageId|groupId|contactId|number)\b/.exec(path)?.[1],
  body: body ? JSON.stringify(bodies[name]) : undefined,
}));
const rowsWithId = rows.filter(({ hasId }) => hasId);
const JSON_TYPE = { 'content-type': 'application/json' };

const ask = (row: (typeof rows)[number], id: string, headers: Record<string, string> = {}, gateway = open) =>
  rawRequest(gateway.url, {
    method: row.method,
    path: row.path(id),
    headers: { ...JSON_TYPE, ...headers },
    body: row.body,
  });

function expectError({ status, body }: RawAnswer, expectedStatus: number, code: string): void {
  expect({ status, code: body.code }).toEqual({ status: expectedStatus, code });
  expect(body.error).toMatch(/\w+ \w+/);
}

describe('a gateway with a token', () => {
  it.each(rows)('answers 401 to $name without the right one', async (row) => {
    for (const authorization of [
      '',
      `Bearer ${TOKEN}x`,
      `Basic ${TOKEN}`,
      'Bearer',
      TOKEN,
      `Bearer ${TOKEN} ${TOKEN}`,
    ]) {
      const answer = await ask(row, 'nobody', authorization ? { authorization } : {}, guarded);
      expectError(answer, 401, 'unauthorized');
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
  });

  it('takes the scheme in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const { status } = await rawRequest(guarded.url, {
        path: '/sessions',
        headers: { authorization: `${scheme} ${TOKEN}` },
      });
      expect(status).toBe(200);
    }
  });

  it('says 401 before 404 and 405, and asks for nothing on GET /health', async () => {
    for (const path of ['/nowhere', '/docs', '/openapi.json', '/sessions/x/events']) {
      expectError(await rawRequest(guarded.url, { path }), 401, 'unauthorized');
    }
    expectError(await rawRequest(guarded.url, { method: 'PUT', path: '/sessions' }), 401, 'unauthorized');
    expect((await rawRequest(guarded.url, { path: '/health' })).body).toEqual({ ok: true, sessions: 0 });
  });
});

describe('bad session ids', () => {
  it.each(rowsWithId)('are answered 400 by $name, and touch no file', async (row) => {
    const before = await readdir(dataDir, { recursive: true });
    for (const id of ['..%2Fx', '%2e%2e%2fx', 'x'.repeat(65), 'a%00b', 'a%20b', 'a.b', '%C3%A4', '']) {
      const answer = await ask(row, id);
      expectError(answer, 400, 'invalid_request');
      expect(answer.body.issues).toContainEqual({ path: 'id', message: expect.stringContaining('1 to 64') });
    }
    expect(await readdir(dataDir, { recursive: true })).toEqual(before);
  });

  it('are answered 400 before the body is looked at', async () => {
    const answer = await rawRequest(open.url, { method: 'POST', path: '/sessions/..%2Fx/messages', body: '{' });
    expectError(answer, 400, 'invalid_request');
    expect(answer.body.issues).toMatchObject([{ path: 'id' }]);
  });

  it('are answered 400 by the event stream too', async () => {
    expectError(await rawRequest(open.url, { path: '/sessions/..%2Fx/events' }), 400, 'invalid_request');
  });
});

describe('bad ids of messages, groups and people in a path', () => {
  it.each(rows.filter(({ otherParam }) => otherParam))('are answered 400 by $name', async (row) => {
    for (const bad of ['x', '..%2Fx', '%00', '1@g.us%0A', '12']) {
      const path = operations[row.name as keyof typeof operations].path
        .replace(':id', 'nobody')
        .replace(`:${row.otherParam}`, bad);
      const answer = await rawRequest(open.url, { method: row.method, path, headers: JSON_TYPE, body: row.body });
      expectError(answer, 400, 'invalid_request');
      expect(answer.body.issues).toMatchObject([{ path: row.otherParam }]);
    }
  });
});

describe('unknown sessions', () => {
  it.each(rowsWithId.filter(({ name }) => name !== 'startSession'))('are answered 404 by $name', async (row) => {
    expectError(await ask(row, 'nobody'), 404, 'session_not_found');
  });

  it('are answered 404 by the event stream too', async () => {
    expectError(await rawRequest(open.url, { path: '/sessions/nobody/events' }), 404, 'session_not_found');
  });
});

describe('sessions that are not ready', () => {
  const needReady = rowsWithId.filter(({ name }) => isWorkerOperation(name) || name === 'getSessionInfo');

  it.each(needReady)('are answered 409 by $name', async (row) => {
    expectError(await ask(row, 'saved'), 409, 'session_not_ready');
  });

  it('show no QR: 404', async () => {
    expectError(await rawRequest(open.url, { path: '/sessions/saved/qr' }), 404, 'qr_not_available');
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

  it.each(['', '{', '[]', '"text"', 'null', '\u0000'])('%j is no JSON object: 400', async (body) => {
    expectError(await send(body), 400, 'invalid_request');
  });

  it('that do not say they are JSON are answered 415', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', '']) {
      expectError(await send('{}', type ? { 'content-type': type } : {}), 415, 'unsupported_media_type');
    }
  });

  it('that are too large are answered 413, with and without a Content-Length', async () => {
    const large = JSON.stringify({ type: 'text', to: '12025550102', body: 'x'.repeat(3_000) });
    expectError(await send(large), 413, 'body_too_large');
    expectError(await send(large, { ...JSON_TYPE, 'transfer-encoding': 'chunked' }), 413, 'body_too_large');
  });

  it('are fine on a route that needs none, whatever they are', async () => {
    const answer = await rawRequest(open.url, {
      method: 'POST',
      path: '/sessions/nobody/stop',
      headers: { 'content-type': 'text/plain' },
      body: 'not JSON',
    });
    expectError(answer, 404, 'session_not_found');
  });
});

describe('routes', () => {
  it('that do not exist are answered 404, and other methods 405 with those allowed', async () => {
    expectError(await rawRequest(open.url, { path: '/nowhere' }), 404, 'route_not_found');
    const answer = await rawRequest(open.url, { method: 'PATCH', path: '/sessions/x/start' });
    expectError(answer, 405, 'method_not_allowed');
    expect(answer.headers.allow).toBe('POST');
  });
});

describe('a web page in a browser on this machine', () => {
  it.each([
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:1' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { host: 'evil.example' },
    { host: 'localhost.evil.example:3000' },
  ])('is refused: %j', async (headers) => {
    for (const row of rows) expectError(await ask(row, 'nobody', headers as Record<string, string>), 403, 'forbidden');
    expectError(
      await rawRequest(open.url, { path: '/health', headers: headers as Record<string, string> }),
      403,
      'forbidden',
    );
  });

  it.each([{ host: 'LOCALHOST:9' }, { host: '[::1]:3000' }, { host: '192.0.2.1' }, { host: 'gateway.lan:80' }])(
    'is not what asks under %j',
    async (headers) => {
      expect((await rawRequest(open.url, { path: '/sessions', headers })).status).toBe(200);
    },
  );

  it('may be of the gateway itself', async () => {
    const headers = { origin: open.url, 'sec-fetch-site': 'same-origin' };
    expect((await rawRequest(open.url, { path: '/sessions', headers })).status).toBe(200);
  });
});

describe('the typed client', () => {
  it('rejects with the error that the gateway answered', async () => {
    const client = createClient({ url: guarded.url, token: TOKEN });
    expect(await client.listSessions()).toEqual({ sessions: [] });
    await expect(client.getQr({ id: 'a b' })).rejects.toMatchObject({
      code: 'invalid_request',
      issues: [{ path: 'id' }],
    });
    await expect(createClient({ url: guarded.url }).listSessions()).rejects.toMatchObject({ code: 'unauthorized' });
  });
});
