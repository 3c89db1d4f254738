import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayError, type Operation, operations } from '@chat-web/protocol';
import { temporaryFolder } from '@chat-web/testing';
import { Hono } from 'hono';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRevocation, operator, revoke } from '../access/caller.ts';
import { PublishedEvents } from '../events/published-events.ts';
import { Spool } from '../media/spool.ts';
import { Idempotency } from '../sends/idempotency.ts';
import { SentKeys } from '../sends/sent-keys.ts';
import { type FakeRequest, Lines, request } from '../testing/fake-gateway.ts';
import { Admission } from './admission.ts';
import { errorResponse } from './error-response.ts';
import { type AnyHandler, operationRoute } from './operation-route.ts';
import type { ServerEnv } from './server-env.ts';

let folder: ReturnType<typeof temporaryFolder>;
let spool: Spool;
let log: Lines;
let counted: [operation: string, status: number, isTime: boolean][];

beforeEach(() => {
  folder = temporaryFolder();
  spool = new Spool(folder.path, { spoolMaxBytes: 1e6, spoolSessionMaxBytes: 1e6, minFreeDiskBytes: 0 }, console);
  log = new Lines();
  counted = [];
});
afterEach(() => folder[Symbol.dispose]());

function routeOf(
  name: keyof typeof operations,
  handler: AnyHandler,
  { maxPerSession = 10, keyId = '', signal = new AbortController().signal } = {},
) {
  const operation: Operation = operations[name];
  const logger = pino({ level: 'debug', base: null }, log);
  const app = new Hono<ServerEnv>();
  app.use((c, next) => {
    c.set('caller', { ...operator('token', signal), keyId: keyId || undefined });
    return next();
  });
  app.on(
    operation.method,
    operation.path,
    operationRoute(name, operation, handler, {
      maxBodyBytes: 2_000,
      importMaxBytes: 2_000,
      getContact: () => undefined,
      spool,
      admission: new Admission({ maxRequestsPerSession: maxPerSession, maxRequestsPerKey: 1 }),
      idempotency: new Idempotency(
        { append: async () => {}, find: async () => undefined },
        new SentKeys(),
        new PublishedEvents(),
      ),
      log: logger,
      metrics: { answered: (called, status, ms) => counted.push([called, status, ms >= 0]) },
    }),
  );
  app.onError((error, c) => errorResponse(c, error, logger));
  return (path: string, sent: FakeRequest = {}) => request(app, path, { method: operation.method, ...sent });
}

const refusing = (code: GatewayError['code'], message: string) => () => {
  throw new GatewayError(code, message);
};
const codeOf = async (answer: Response) => [answer.status, ((await answer.json()) as { code: string }).code];

describe('the input of a handler', () => {
  it('is path and body in one object, parsed by the row: a number becomes an id', async () => {
    const given: unknown[] = [];
    const ask = routeOf('sendMessage', (input) => given.push(input));
    const body = { type: 'text', to: '+12025550102', body: 'hello' };
    expect((await ask('/sessions/main/messages', { body })).status).toBe(200);
    expect(given).toEqual([{ id: 'main', type: 'text', to: '12025550102@c.us', body: 'hello' }]);
  });

  it('never reaches the handler if a schema refuses it: 400 names the fields, but repeats no value', async () => {
    const ask = routeOf('sendMessage', () => expect.unreachable());
    const answer = await ask('/sessions/main/messages', { body: { type: 'text', to: 'secret', body: 7 } });
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({ code: 'invalid_request', issues: [{ path: 'to' }, { path: 'body' }] });
    expect(text + JSON.stringify(log.all)).not.toContain('secret');
    expect(counted).toEqual([['sendMessage', 400, true]]);
  });

  it('is refused with the number of items that a list may have', async () => {
    const ask = routeOf('sendMessage', () => expect.unreachable());
    const pollOf = (count: number) => {
      const options = Array.from({ length: count }, (_, n) => `option ${n}`);
      return { type: 'poll', to: '12025550102', question: 'When?', options };
    };
    for (const [count, limit] of [
      [1, 'at least 2'],
      [13, 'at most 12'],
    ] as const) {
      const answer = await ask('/sessions/main/messages', { body: pollOf(count) });
      const issues = [{ path: 'options', message: `must have ${limit} items` }];
      expect(await answer.json()).toMatchObject({ issues });
    }
  });

  it.each([
    ['a bad id', '/sessions/..%2Fx/messages', '{', 'application/json', 400, 'invalid_request'],
    ['no JSON', '/sessions/main/messages', '{', 'application/json', 400, 'invalid_request'],
    ['no object', '/sessions/main/messages', '[]', 'application/json', 400, 'invalid_request'],
    ['nothing', '/sessions/main/messages', '', 'application/json', 400, 'invalid_request'],
    ['another type', '/sessions/main/messages', '{}', 'text/plain', 415, 'unsupported_media_type'],
    ['too much', '/sessions/main/messages', `"${'x'.repeat(2_000)}"`, 'application/json', 413, 'body_too_large'],
  ])('never is %s', async (_, path, body, type, status, code) => {
    const ask = routeOf('sendMessage', () => expect.unreachable());
    expect(await codeOf(await ask(path, { body, headers: { 'content-type': type } }))).toEqual([status, code]);
    expect(counted).toEqual([['sendMessage', status, true]]);
  });

  it('has an upload as a file, which is removed after any answer', async () => {
    const body = { type: 'image', to: '12025550102', base64: Buffer.from('picture').toString('base64') };
    let during: string[] = [];
    const look = ({ base64 }: Record<string, unknown>) => {
      during = readdirSync(spool.dir, { recursive: true }).map(String);
      expect(base64).toMatchObject({ size: 7 });
    };
    const failing = (input: Record<string, unknown>) => {
      look(input);
      throw new GatewayError('client_failed', 'nothing was sent');
    };
    for (const [handler, status] of [
      [look, 200],
      [failing, 500],
    ] as const) {
      await spool.folderFor('main');
      const ask = routeOf('sendMessage', (input) => handler(input) ?? null);
      expect((await ask('/sessions/main/messages', { body })).status).toBe(status);
      expect(during).toHaveLength(2);
      expect(readdirSync(join(spool.dir, 'main'))).toEqual([]);
    }
  });
});

it('is not handled if its caller has lost access while its body was read', async () => {
  const revocation = createRevocation();
  const ask = routeOf('sendMessage', () => expect.unreachable(), { signal: revocation.signal });
  const answer = ask('/sessions/main/messages', { body: { type: 'text', to: '12025550102', body: 'x' } });
  revoke(revocation);
  expect(await codeOf(await answer)).toEqual([401, 'unauthorized']);
});

describe('the answer', () => {
  it('is the result of the handler as JSON; the handler gets the caller', async () => {
    const ask = routeOf('listSessions', (_, caller) => ({ sessions: [], caller: caller.id }));
    const answer = await ask('/sessions');
    expect([answer.status, await answer.json()]).toEqual([200, { sessions: [], caller: 'token' }]);
    expect(answer.headers.has('Location')).toBe(false);
  });

  it('to a created resource is 201, with its location', async () => {
    const ask = routeOf('createKey', () => ({ id: 'key_0123456789ab' }));
    const answer = await ask('/keys', { body: { name: 'shop', sessions: ['shop-*'], scope: 'read' } });
    expect([answer.status, answer.headers.get('Location')]).toEqual([201, '/keys/key_0123456789ab']);
  });

  const media = { file: 'd9428888-122b-41e1-b85c-61b4ecf3f4ad', size: 5, mimeType: 'image/png', filename: 'a.png' };
  const getMedia = async (method: string) => {
    writeFileSync(join(await spool.folderFor('main'), media.file), 'media');
    const ask = routeOf('getMedia', () => media);
    return ask('/sessions/main/messages/true_12025550102@c.us_3EB0AA/media', { method });
  };

  it('with media has their bytes, type and length; the file is removed', async () => {
    const answer = await getMedia('GET');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '5',
      'x-content-type-options': 'nosniff',
      'content-disposition': 'inline; filename=a.png',
    });
    expect(await answer.text()).toBe('media');
    expect(readdirSync(join(spool.dir, 'main'))).toEqual([]);
  });

  it('to HEAD is the same without the bytes', async () => {
    const answer = await getMedia('HEAD');
    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '5', '']);
    expect(spool.bytes).toBe(0);
    expect(readdirSync(join(spool.dir, 'main'))).toEqual([]);
  });

  it('to HEAD and If-None-Match needs no file, if the handler can describe it', async () => {
    const sha256 = `${'A'.repeat(43)}=`;
    const inputs: unknown[] = [];
    await spool.folderFor('main');
    const ask = routeOf('getMedia', ({ describe }) => {
      inputs.push(describe);
      if (!describe) writeFileSync(join(spool.dir, 'main', media.file), 'media');
      return { size: 5, mimeType: 'image/png', sha256, ...(describe ? {} : { file: media.file }) };
    });
    const path = '/sessions/main/messages/true_12025550102@c.us_3EB0AA/media';
    const asked = async (method: string, tag?: string) => {
      const answer = await ask(path, { method, ...(tag ? { headers: { 'if-none-match': tag } } : {}) });
      return [answer.status, answer.headers.get('etag'), await answer.text(), inputs.splice(0)];
    };
    const tag = `"${sha256}"`;
    expect(await asked('HEAD')).toEqual([200, tag, '', [true]]);
    expect(await asked('GET')).toEqual([200, tag, 'media', [undefined]]);
    expect(await asked('GET', tag)).toEqual([304, tag, '', [true]]);
    expect(await asked('HEAD', tag)).toEqual([304, tag, '', [true]]);
    expect(await asked('GET', '"other"')).toEqual([200, tag, 'media', [true, undefined]]);
    expect([spool.bytes, readdirSync(join(spool.dir, 'main'))]).toEqual([0, []]);
  });

  it('is a part of the file for a Range, and an error beyond its end; the file is removed', async () => {
    const asked = async (range: string) => {
      writeFileSync(join(await spool.folderFor('main'), media.file), 'media');
      const ask = routeOf('getMedia', () => media);
      const path = '/sessions/main/messages/true_12025550102@c.us_3EB0AA/media';
      const answer = await ask(path, { headers: { range } });
      const text = await answer.text();
      expect([spool.bytes, readdirSync(join(spool.dir, 'main'))]).toEqual([0, []]);
      return [answer.status, answer.headers.get('content-range'), answer.headers.get('content-length'), text];
    };
    expect(await asked('bytes=1-2')).toEqual([206, 'bytes 1-2/5', '2', 'ed']);
    expect(await asked('bytes=-2')).toEqual([206, 'bytes 3-4/5', '2', 'ia']);
    expect(await asked('bytes=0-0,2-2')).toEqual([200, null, '5', 'media']);
    expect(await asked('bytes=5-')).toEqual([416, 'bytes */5', null, expect.stringContaining('range_not_satisfiable')]);
  });

  it('without the file that was asked for is an error', async () => {
    const ask = routeOf('getMedia', () => ({ size: 5, mimeType: 'image/png' }));
    const answer = await ask('/sessions/main/messages/true_12025550102@c.us_3EB0AA/media');
    expect(await codeOf(answer)).toEqual([500, 'client_failed']);
  });

  it('without media is 204', async () => {
    const answer = await routeOf('getPicture', () => null)('/sessions/main/contacts/12025550102@c.us/picture');
    expect([answer.status, await answer.text()]).toEqual([204, '']);
  });

  it('with media is refused without space for them', async () => {
    await spool.folderFor('main');
    spool = new Spool(folder.path, { spoolMaxBytes: 1e6, spoolSessionMaxBytes: 1e6, minFreeDiskBytes: 1e18 }, console);
    const ask = routeOf('getPicture', () => expect.unreachable());
    const answer = await ask('/sessions/main/contacts/12025550102@c.us/picture');
    expect(await codeOf(answer)).toEqual([503, 'insufficient_resources']);
  });
});

describe('a request', () => {
  it('is one log line, at debug level if it only reads, and one count in the metrics', async () => {
    await routeOf('listSessions', () => ({}))('/sessions');
    await routeOf('stopSession', () => ({}))('/sessions/main/stop');
    expect(log.all).toMatchObject([
      { level: 20, operation: 'listSessions', msg: 'request answered', ms: expect.any(Number) },
      { level: 30, operation: 'stopSession', session: 'main', msg: 'request answered' },
    ]);
    expect(counted).toEqual([
      ['listSessions', 200, true],
      ['stopSession', 200, true],
    ]);
  });

  it('that is refused is one log line with the code, a warning if it is our fault, without phone numbers', async () => {
    await routeOf('stopSession', refusing('session_not_found', 'no 12025550102'))('/sessions/main/stop');
    await routeOf('stopSession', refusing('client_failed', 'broke at 12025550102@c.us'))('/sessions/main/stop');
    expect(log.all).toMatchObject([
      { level: 30, operation: 'stopSession', code: 'session_not_found', error: 'no <number>', msg: 'request refused' },
      {
        level: 40,
        operation: 'stopSession',
        code: 'client_failed',
        error: 'broke at <number>@c.us',
        msg: 'request refused',
      },
    ]);
    expect(counted).toEqual([
      ['stopSession', 404, true],
      ['stopSession', 500, true],
    ]);
  });

  it('holds its slot until the caller has read the response; one too many is 429 before its body is read', async () => {
    const taken: (() => void)[] = [];
    const ask = routeOf('sendMessage', () => ({}), { maxPerSession: 2 });
    const send = (id: string, body: unknown = { type: 'text', to: '12025550102', body: 'x' }) =>
      ask(`/sessions/${id}/messages`, { body, onAnswer: (done) => taken.push(done) });
    for (let n = 0; n < 2; n += 1) expect((await send('main')).status).toBe(200);
    expect(await codeOf(await send('main', '{'))).toEqual([429, 'rate_limited']);
    expect((await send('other')).status).toBe(200);
    taken[0]?.();
    expect((await send('main')).status).toBe(200);
    expect((await send('main')).status).toBe(429);
  });

  it('to a session itself always gets a slot, unless its key has too many in progress', async () => {
    const limits = { maxPerSession: 0, keyId: 'key_1' };
    const ask = routeOf('stopSession', () => ({}), limits);
    const held: (() => void)[] = [];
    const stop = () => ask('/sessions/main/stop', { onAnswer: (done) => held.push(done) });
    expect([(await stop()).status, (await stop()).status]).toEqual([200, 429]);
    held[0]?.();
    expect((await stop()).status).toBe(200);
  });
});
