import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  answersMedia,
  type ErrorCode,
  errorTable,
  GatewayError,
  type Operation,
  operations,
  otherRoutes,
} from '@chat-web/protocol';
import { rows } from '@chat-web/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { type FakeGatewayOptions, fakeGateway, TOKEN } from '../testing/fake-gateway.ts';

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const gateway of open.splice(0)) await gateway[Symbol.asyncDispose]();
});

async function gatewayWith(options?: FakeGatewayOptions) {
  const gateway = await fakeGateway(options);
  open.push(gateway);
  return gateway;
}
const guarded = () => gatewayWith({ settings: { CHAT_WEB_TOKEN: TOKEN } });

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const jsonOf = async (answer: Response) => (await answer.json()) as Record<string, unknown>;
const codeOf = async (answer: Response) => [answer.status, (await jsonOf(answer)).code];
const askFor = ({ method, body, type }: (typeof rows)[number], headers = {}) => ({
  method,
  headers: { ...type, ...headers },
  ...(body ? { body } : {}),
});

/** Every path, with the methods that it accepts. */
const methodsOf = new Map<string, string[]>(Object.values(otherRoutes).map(({ path }) => [path, ['GET']]));
for (const { method, path } of Object.values(operations)) methodsOf.set(path, [...(methodsOf.get(path) ?? []), method]);
const nameOf = new Map<string, string>(Object.entries(operations).map(([name, { path }]) => [path, name]));
/** A path with a valid value for each parameter. */
const filled = (path: string) =>
  rows.find(({ name }) => name === nameOf.get(path))?.path('main') ?? path.replace(':id', 'main').replace('*', '');

it.each(rows)('$name reaches its own handler, once, with the session that the path names', async (row) => {
  const made = () => ({ id: 'made_000000000000' });
  const exportSession = () => ({ size: 0, contentDigest: 'sha-256=::', bytes: Readable.from([]) });
  const gateway = await gatewayWith({ handlers: { createKey: made, createWebhook: made, exportSession } });
  const answer = await gateway.request(row.path('main'), askFor(row));
  const { [row.name as keyof typeof operations]: operation } = operations;
  expect(answer.status).toBe((operation as Operation).status ?? (answersMedia(operation) ? 204 : 200));
  expect(gateway.handled).toMatchObject([{ name: row.name, input: row.hasId ? { id: 'main' } : {}, caller: 'open' }]);
  expect(gateway.counted).toEqual([[row.name, answer.status]]);
});

it.each([
  [{}, 200, false],
  [{ headers: { 'content-type': 'text/plain' } }, 200, false],
  [{ body: {} }, 200, false],
  [{ body: { takeBack: true } }, 200, true],
  [{ body: { takeBack: 1 } }, 400, undefined],
  [{ body: '[' }, 400, undefined],
  [{ body: 'x', headers: { 'content-type': 'text/plain' } }, 415, undefined],
])('an optional body %j is answered %i', async (sent, status, takeBack) => {
  const gateway = await gatewayWith();
  const answer = await gateway.request('/sessions/main/start', { method: 'POST', ...sent });
  expect(answer.status).toBe(status);
  expect(gateway.handled).toMatchObject(takeBack === undefined ? [] : [{ input: { id: 'main', takeBack } }]);
});

/** The methods of a path, including those of a path with a parameter that matches it. */
function allowedOn(path: string): string[] {
  const matching = [...methodsOf].filter(([other]) => new RegExp(`^${other.replace(/:\w+/g, '[^/]+')}$`).test(path));
  return [...new Set([...matching, [path, methodsOf.get(path) ?? []] as const].flatMap(([, methods]) => methods))];
}

describe('a method that a path does not accept', () => {
  const paths = [...methodsOf.keys()].map((path) => [path, allowedOn(path)] as const);

  it.each(paths)('%s: 405, and Allow is %j', async (path, allowed) => {
    const gateway = await gatewayWith();
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      if (allowed.includes(method)) continue;
      const answer = await gateway.request(filled(path), { method });
      expect([method, answer.headers.get('Allow')]).toEqual([method, allowed.join(', ')]);
      expect(await codeOf(answer)).toEqual([405, 'method_not_allowed']);
    }
    expect(gateway.handled).toEqual([]);
  });

  it('HEAD is accepted wherever GET is, and answered without a body', async () => {
    const gateway = await gatewayWith();
    for (const [path, methods] of methodsOf) {
      const answer = await gateway.request(filled(path), { method: 'HEAD' });
      expect([path, answer.ok, await answer.text()]).toEqual([path, methods.includes('GET'), '']);
    }
  });
});

it('an unknown path is 404, or 400 if it lacks a session id', async () => {
  const gateway = await gatewayWith();
  for (const path of ['/', '/nowhere', '/session', '/sessions/main/nowhere', '/sessions/main/start/x', '/SESSIONS'])
    expect(await codeOf(await gateway.request(path))).toEqual([404, 'route_not_found']);
  for (const path of ['/sessions//start', '/sessions//start/'])
    expect(await jsonOf(await gateway.request(path))).toMatchObject({
      code: 'invalid_request',
      issues: [{ path: 'id' }],
    });
});

describe('repeated slashes, and one at the end', () => {
  const forms = (path: string) => [`${path}/`, `/${path}`, `//${path}//`];

  it.each(rows)('$name is reached by such paths, with its body', async (row) => {
    const exportSession = () => ({ size: 0, contentDigest: 'sha-256=::', bytes: Readable.from([]) });
    const made = () => ({ id: 'made_000000000000' });
    const gateway = await gatewayWith({ handlers: { createKey: made, createWebhook: made, exportSession } });
    const [path = '', query] = row.path('main').split('?');
    const asked = (form: string) => gateway.request(query ? `${form}?${query}` : form, askFor(row));
    const { status } = await asked(path);
    for (const form of forms(path)) expect([form, (await asked(form)).status]).toEqual([form, status]);
    expect(gateway.handled).toHaveLength(4);
    // An upload is another file each time.
    const written = gateway.handled.map((call) => JSON.stringify(call, (key, value) => (key === 'file' ? '' : value)));
    expect(new Set(written).size).toBe(1);
  });

  it('monitors need no token for them, and everyone else does', async () => {
    const gateway = await guarded();
    for (const path of [...forms('/health'), '/Health', '/HEALTH/', ...forms('/health/ready')])
      expect([path, (await gateway.request(path)).status]).toEqual([path, 200]);
    const secret = [...forms('/sessions'), ...forms('/metrics'), ...forms('/sessions/main/qr'), ...forms('/nowhere')];
    const tricks = ['/health/../sessions', '/health%2F..%2Fsessions', '/docs/..//metrics', '/console/%2e%2e//sessions'];
    for (const path of [...secret, ...tricks, '/Sessions', '/healthy', '/health/x', '/health//sessions/'])
      expect([path, (await gateway.request(path)).status]).toEqual([path, 401]);
  });

  it('a key is limited, and audited, as by the plain path', async () => {
    const gateway = await guarded();
    const { key } = await gateway.keys.create({ name: 'shop', sessions: ['shop-*'], scope: 'manage' });
    const ask = (path: string) => gateway.request(path, { headers: bearer(key) });
    for (const path of forms('/sessions/main/qr'))
      expect(await codeOf(await ask(path))).toEqual([404, 'session_not_found']);
    for (const path of forms('/sessions/shop-1/qr')) expect((await ask(path)).status).toBe(200);
    for (const path of ['/sessions/shop-1%2F..%2Fmain/qr', '/sessions/shop-1%2F/qr', '/sessions/shop-1%5C..%5Cmain/qr'])
      expect((await ask(path)).status).toBeGreaterThanOrEqual(400);
    expect(gateway.handled).toEqual(
      Array(3).fill({ name: 'getQr', input: { id: 'shop-1' }, caller: expect.anything() }),
    );
    const lines = gateway.audit.all.map(({ operation, session, status }) => ({ operation, session, status }));
    expect(lines.slice(0, 6)).toEqual([
      ...Array(3).fill({ operation: 'getQr', session: 'main', status: 404 }),
      ...Array(3).fill({ operation: 'getQr', session: 'shop-1', status: 200 }),
    ]);
  });
});

describe('a gateway with a token', () => {
  it.each(rows)('answers 401 to $name without it, and calls no handler', async (row) => {
    const gateway = await guarded();
    const wrong = [bearer(''), bearer(`${TOKEN}x`), bearer(`${TOKEN} ${TOKEN}`)];
    const others = ['Bearer', TOKEN, `Basic ${TOKEN}`].map((authorization) => ({ authorization }));
    for (const headers of [{}, ...wrong, ...others]) {
      const answer = await gateway.request(row.path('main'), askFor(row, headers));
      expect(answer.headers.get('WWW-Authenticate')).toBe('Bearer');
      expect(await codeOf(answer)).toEqual([401, 'unauthorized']);
    }
    expect(gateway.handled).toEqual([]);
  });

  it('answers 401 before 400, 404 and 405', async () => {
    const gateway = await guarded();
    for (const [method, path] of [
      ['GET', '/nowhere'],
      ['PATCH', '/sessions'],
      ['GET', '/sessions//qr'],
      ['POST', '/sessions/..%2Fx/start'],
    ] as const)
      expect(await codeOf(await gateway.request(path, { method }))).toEqual([401, 'unauthorized']);
  });

  it('requires it on every route except /health, what is below it, and static files', async () => {
    const gateway = await guarded();
    const free = [...methodsOf].filter(([, methods]) => methods.includes('GET')).map(([path]) => filled(path));
    const statuses = await Promise.all(free.map(async (path) => [path, (await gateway.request(path)).status]));
    expect(statuses.filter(([, status]) => status !== 401)).toEqual([
      ['/health', 200],
      ['/health/front', 200],
      ['/health/ready', 200],
      ['/docs/', 200],
      ['/console/', 200],
    ]);
  });

  it('names damaged parts of the data folder in /health/ready, which stays 200', async () => {
    const gateway = await guarded();
    expect(await (await gateway.request('/health/ready')).json()).toEqual({ ready: true });
    await writeFile(join(gateway.dataDir, 'webhooks.json'), '');
    await gateway.damage.setAside(join(gateway.dataDir, 'webhooks.json'), 'it is empty');
    gateway.damage.skip('metadata');
    const answer = await gateway.request('/health/ready');
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { ready: true, damaged: ['webhooks', 'journal_records'] },
    ]);
    expect(gateway.log.all.map(({ msg }) => msg)).toEqual(
      expect.arrayContaining(['unreadable file set aside', 'unusable journal records skipped']),
    );
  });

  it('limits keys to their sessions and scope: 404 comes before 403, and both before 400', async () => {
    const gateway = await guarded();
    const { key } = await gateway.keys.create({ name: 'shop', sessions: ['shop-*'], scope: 'read' });
    const ask = (path: string, method = 'GET') => gateway.request(path, { method, headers: bearer(key) });
    expect((await ask('/sessions/shop-1/status')).status).toBe(200);
    expect(await codeOf(await ask('/sessions/main/start', 'POST'))).toEqual([404, 'session_not_found']);
    expect(await codeOf(await ask('/sessions/shop-1/messages', 'POST'))).toEqual([403, 'insufficient_scope']);
    expect(await codeOf(await ask('/metrics'))).toEqual([403, 'insufficient_scope']);
    expect(gateway.handled).toMatchObject([{ name: 'getSessionStatus', input: { id: 'shop-1' } }]);
  });

  it('limits wrong tokens from one address, but still accepts the right one', async () => {
    const gateway = await gatewayWith({
      settings: { CHAT_WEB_TOKEN: TOKEN, CHAT_WEB_AUTH_FAILURES_PER_MINUTE: '2' },
    });
    const tries = [];
    for (const token of ['a', 'b', 'c', TOKEN])
      tries.push(await gateway.request('/sessions', { headers: bearer(token) }));
    expect(tries.map(({ status }) => status)).toEqual([401, 401, 429, 200]);
    expect(Number(tries[2]?.headers.get('Retry-After'))).toBeGreaterThan(0);
  });

  it('writes neither a token nor a body to the log or the audit trail', async () => {
    const gateway = await guarded();
    const row = rows.find(({ name }) => name === 'sendMessage');
    if (!row) throw new Error('no such row');
    for (const token of [TOKEN, 'mistyped-horse']) await gateway.request(row.path('main'), askFor(row, bearer(token)));
    const written = JSON.stringify([gateway.log.all, gateway.audit.all]);
    expect(gateway.audit.all).toMatchObject([
      { audit: true, who: 'token', operation: 'sendMessage', session: 'main', status: 200 },
      { audit: true, who: 'nobody', operation: 'sendMessage', session: 'main', status: 401, code: 'unauthorized' },
    ]);
    expect(written).not.toMatch(/horse|hello|12025550102/);
  });
});

it('a web page reaches no route, whether a token is required or not', async () => {
  for (const gateway of [await gatewayWith(), await guarded()])
    for (const headers of [{ origin: 'http://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }])
      for (const path of ['/health', '/sessions', '/nowhere'])
        expect(await codeOf(await gateway.request(path, { headers: { ...headers, ...bearer(TOKEN) } }))).toEqual([
          403,
          'forbidden',
        ]);
});

describe('an error', () => {
  const failing = (error: unknown) =>
    gatewayWith({
      handlers: {
        listSessions: () => {
          throw error;
        },
      },
    });

  it.each(Object.entries(errorTable))(
    '%s has its status, and a body with its code and sentence',
    async (code, { status }) => {
      const gateway = await failing(new GatewayError(code as ErrorCode, 'it went wrong'));
      const answer = await gateway.request('/sessions');
      expect(answer.headers.get('Content-Type')).toBe('application/json');
      expect([answer.status, await jsonOf(answer)]).toEqual([status, { error: 'it went wrong', code }]);
      expect(answer.headers.has('Retry-After')).toBe(
        ['rate_limited', 'too_many_streams', 'insufficient_resources'].includes(code),
      );
      expect(gateway.counted).toEqual([['listSessions', status]]);
    },
  );

  it('names invalid fields, and has Retry-After if that is known', async () => {
    const issues = [{ path: 'to', message: 'is required' }];
    const gateway = await failing(new GatewayError('rate_limited', 'wait', { issues, retryAfterSeconds: 7 }));
    const answer = await gateway.request('/sessions');
    expect(answer.headers.get('Retry-After')).toBe('7');
    expect(await jsonOf(answer)).toEqual({ error: 'wait', code: 'rate_limited', issues });
  });

  it('that is unexpected shows no details to the caller, and is logged', async () => {
    for (const thrown of [new Error('secret path'), 'secret text', undefined]) {
      const gateway = await failing(thrown);
      const answer = await gateway.request('/sessions');
      expect(answer.status).toBe(500);
      expect(await jsonOf(answer)).toEqual({ code: 'internal_error', error: expect.not.stringContaining('secret') });
      expect(gateway.log.all).toContainEqual(expect.objectContaining({ msg: 'request failed', route: '/sessions' }));
    }
  });
});

it.each([
  [{}, 200, { ready: true }],
  [{ isHealthy: false }, 503, { ready: false, reason: expect.stringContaining('session') }],
  [{ isClosing: true, isHealthy: false }, 503, { ready: false, reason: expect.stringContaining('stopping') }],
])('readiness: %j: %i', async (sessions, status, body) => {
  const gateway = await gatewayWith({ sessions });
  const answer = await gateway.request('/health/ready');
  expect([answer.status, await jsonOf(answer)]).toEqual([status, body]);
  expect(await jsonOf(await gateway.request('/health'))).toEqual({ ok: true, sessions: 1 });
});

it('the QR is a PNG if the client accepts one, and errors stay JSON', async () => {
  const png = Buffer.alloc(30_000, 'png'); // Long enough that its JSON has a Content-Length, too.
  const qr = `data:image/png;base64,${png.toString('base64')}`;
  const gateway = await gatewayWith({ handlers: { getQr: ({ id }) => ({ id, status: 'qr', qr }) } });
  const accept = (type: string) => gateway.request('/sessions/main/qr', { headers: { accept: type } });
  const image = await accept('image/png, */*');
  expect([null, String(png.length)]).toContain(image.headers.get('Content-Length'));
  expect([image.headers.get('Content-Type'), Buffer.from(await image.arrayBuffer()).equals(png)]).toEqual([
    'image/png',
    true,
  ]);
  expect(await jsonOf(await accept('application/json'))).toEqual({ id: 'main', status: 'qr', qr });
  const bad = await gateway.request('/sessions/..%2Fx/qr', { headers: { accept: 'image/png' } });
  expect(await codeOf(bad)).toEqual([400, 'invalid_request']);
});

it('metrics are returned unchanged', async () => {
  const answer = await (await gatewayWith()).request('/metrics');
  expect([answer.headers.get('Content-Type'), await answer.text()]).toEqual(['text/plain', 'chat_web_sessions 1\n']);
});
