import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createClient } from '@chat-web/host';
import { ask, expectError, rawRequest, rows } from '@chat-web/testing';
import { sharedGateway } from '@chat-web/testing/story';
import { describe, expect, it } from 'vitest';

const TOKEN = 'correct-horse';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36';
const settings = { CHAT_WEB_ALLOWED_HOSTS: 'gateway.lan' };
const open = sharedGateway({ settings });
const cors = { ...settings, CHAT_WEB_CORS_ORIGINS: 'https://app.example.org, http://localhost:5173' };
const sharedOpen = sharedGateway({ settings: cors });
const shared = sharedGateway({
  settings: { ...cors, CHAT_WEB_TOKEN: TOKEN, CHAT_WEB_AUTH_FAILURES_PER_MINUTE: '0' },
});
const guarded = sharedGateway({
  settings: { ...settings, CHAT_WEB_TOKEN: TOKEN, CHAT_WEB_AUTH_FAILURES_PER_MINUTE: '0' },
});

describe('a gateway with a token', () => {
  it('accepts the scheme in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const { status } = await rawRequest(guarded.url, {
        path: '/sessions',
        headers: { authorization: `${scheme} ${TOKEN}` },
      });
      expect(status).toBe(200);
    }
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
    for (const row of rows)
      expectError(await ask(open.url, row, 'nobody', headers as Record<string, string>), 403, 'forbidden');
    expectError(
      await rawRequest(open.url, { path: '/health', headers: headers as Record<string, string> }),
      403,
      'forbidden',
    );
  });

  it.each([{ host: 'LOCALHOST:9' }, { host: '[::1]:3000' }, { host: '192.0.2.1' }, { host: 'gateway.lan:80' }])(
    'is not assumed behind a request with %j',
    async (headers) => {
      expect((await rawRequest(open.url, { path: '/sessions', headers })).status).toBe(200);
    },
  );

  it('may link to the console and the reference, and to nothing else', async () => {
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const { url } = guarded;
    for (const path of ['/console/', '/docs/']) {
      expect((await rawRequest(url, { path, headers: link })).status).toBe(200);
      for (const [method, other] of [
        ['GET', { 'sec-fetch-dest': 'iframe' }],
        ['GET', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }],
        ['GET', { origin: 'http://evil.example' }],
        ['POST', {}],
      ] as const)
        expectError(await rawRequest(url, { method, path, headers: { ...link, ...other } }), 403, 'forbidden');
    }
    for (const path of ['/sessions', '/openapi.json', '/console/main.js', '/health'])
      expectError(await rawRequest(url, { path, headers: link }), 403, 'forbidden');
    expectError(
      await rawRequest(open.url, { path: '/console/', headers: { ...link, host: 'evil.example' } }),
      403,
      'forbidden',
    );
  });

  it('is allowed if the gateway serves it', async () => {
    for (const headers of [
      { origin: open.url, 'sec-fetch-site': 'same-origin' },
      { 'user-agent': BROWSER, 'sec-fetch-site': 'none' },
      { 'user-agent': BROWSER, referer: `${open.url}/docs` },
    ] as Record<string, string>[])
      expect((await rawRequest(open.url, { path: '/sessions', headers })).status).toBe(200);
  });

  it('is refused where the browser does not send its origin, unless a token is required', async () => {
    for (const headers of [
      { 'user-agent': BROWSER },
      { 'user-agent': BROWSER, referer: 'http://evil.example/' },
      { 'user-agent': BROWSER, referer: 'not a URL' },
    ] as Record<string, string>[]) {
      expectError(await rawRequest(open.url, { path: '/sessions', headers }), 403, 'forbidden');
      expect((await rawRequest(open.url, { path: '/docs/', headers })).status).toBe(200);
      const allowed = { ...headers, authorization: `Bearer ${TOKEN}` };
      expect((await rawRequest(guarded.url, { path: '/sessions', headers: allowed })).status).toBe(200);
    }
  });
});

describe('a web page of an origin in CHAT_WEB_CORS_ORIGINS', () => {
  const origin = 'https://app.example.org';
  const fromPage = { origin, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' };
  const preflight = { 'access-control-request-method': 'PUT', 'access-control-request-headers': 'authorization' };

  it('may ask before a request, on every route and without a token', async () => {
    for (const { url } of [shared, sharedOpen])
      for (const path of ['/sessions', '/sessions/main/messages', '/events', '/nowhere']) {
        const answer = await rawRequest(url, { method: 'OPTIONS', path, headers: { ...fromPage, ...preflight } });
        expect([answer.status, answer.text]).toEqual([204, '']);
        expect(answer.headers).toMatchObject({
          'access-control-allow-origin': origin,
          'access-control-allow-methods': expect.stringContaining('PUT'),
          'access-control-allow-headers': expect.stringContaining('Authorization'),
          vary: 'Origin',
        });
        expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
      }
  });

  it('may read responses and errors with its token, and nothing without one', async () => {
    const ask = (headers: Record<string, string>, path = '/sessions') =>
      rawRequest(shared.url, { path, headers: { ...fromPage, ...headers } });
    const authorization = `Bearer ${TOKEN}`;
    for (const [answer, status] of [
      [await ask({ authorization }), 200],
      [await ask({ authorization }, '/nowhere'), 404],
      [await ask({}), 401],
      [await ask({ authorization: 'Bearer wrong' }), 401],
    ] as const) {
      expect(answer.status).toBe(status);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': origin,
        'access-control-expose-headers': expect.stringMatching(/Retry-After.*X-Request-Id/),
        vary: 'Origin',
      });
    }
  });

  it('is not one of another origin, which is refused as ever', async () => {
    for (const { url } of [shared, sharedOpen])
      for (const other of [
        'https://app.example.org.evil.example',
        'http://app.example.org',
        'https://app.example.org:8443',
        'null',
        '*',
      ])
        for (const [method, headers] of [
          ['GET', { authorization: `Bearer ${TOKEN}` }],
          ['OPTIONS', preflight],
        ] as const) {
          const answer = await rawRequest(url, {
            method,
            path: '/sessions',
            headers: { ...fromPage, ...headers, origin: other },
          });
          expectError(answer, 403, 'forbidden');
          expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
          expect(answer.headers).toMatchObject({ vary: 'Origin' });
        }
    const { origin: _, ...withoutOrigin } = fromPage;
    expectError(await rawRequest(shared.url, { path: '/sessions', headers: withoutOrigin }), 403, 'forbidden');
    const rebound = { ...fromPage, host: 'evil.example' };
    expectError(await rawRequest(sharedOpen.url, { path: '/sessions', headers: rebound }), 403, 'forbidden');
  });

  it('is unknown to a gateway without this setting', async () => {
    const answer = await rawRequest(guarded.url, { path: '/health' });
    expect([answer.status, answer.headers.vary]).toEqual([200, undefined]);
    expectError(await rawRequest(guarded.url, { path: '/health', headers: fromPage }), 403, 'forbidden');
  });
});

describe('HTTP/1.0 without a Host, as monitors speak it', () => {
  const statusOf = async (url: string, request: string) => {
    const { hostname, port } = new URL(url);
    const answer = await text(connect(Number(port), hostname).end(`${request}\r\n\r\n`));
    return Number(answer.slice('HTTP/1.1 '.length).slice(0, 3));
  };

  it('may check the health, and nothing else without a token', async () => {
    for (const { url } of [open, guarded])
      for (const path of ['/health', '/health/front', '/health/ready', '/health/', '//health'])
        expect([path, await statusOf(url, `GET ${path} HTTP/1.0`)]).toEqual([path, 200]);
    for (const path of [
      '/sessions',
      '/metrics',
      '/docs/',
      '/nowhere',
      '/health/../sessions',
      '/health%2F..%2Fsessions',
    ])
      expect([path, await statusOf(open.url, `GET ${path} HTTP/1.0`)]).toEqual([path, 403]);
    expect(await statusOf(guarded.url, 'GET /sessions HTTP/1.0')).toBe(401);
    expect(await statusOf(guarded.url, `GET /sessions HTTP/1.0\r\nAuthorization: Bearer ${TOKEN}`)).toBe(200);
  });

  it('is still refused with a foreign Host or Origin, and by HTTP/1.1', async () => {
    expect(await statusOf(open.url, 'GET /health HTTP/1.0\r\nHost: evil.example')).toBe(403);
    expect(await statusOf(open.url, 'GET /health HTTP/1.0\r\nOrigin: http://evil.example')).toBe(403);
    expect(await statusOf(open.url, 'GET /health HTTP/1.1')).toBe(400);
  });
});

it('the typed client rejects with the error that the gateway answered', async () => {
  const client = createClient({ url: guarded.url, token: TOKEN });
  expect(await client.listSessions()).toEqual({ sessions: [] });
  await expect(client.getQr({ id: 'a b' })).rejects.toMatchObject({
    code: 'invalid_request',
    issues: [{ path: 'id' }],
  });
  await expect(createClient({ url: guarded.url }).listSessions()).rejects.toMatchObject({ code: 'unauthorized' });
});

describe('the length of a request', () => {
  const chunks = '4\r\nabcd\r\n0\r\n\r\n';
  /** The statuses of the responses to a request with these headers, and to what follows its body. */
  const statusesOf = async (headers: string, body: string, version = '1.1') => {
    const { hostname, port } = new URL(open.url);
    const socket = connect(Number(port), hostname);
    const head = `GET /health HTTP/${version}\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n\r\n`;
    socket.write(`${head}${body}GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const statuses = [...(await text(socket)).matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status));
    return [...new Set(statuses)]; // The parser may refuse the rest of a request that was refused.
  };

  it.each([
    ['Transfer-Encoding: chunked', chunks],
    ['transfer-encoding:CHUNKED ', chunks],
    ['Transfer-Encoding:\tChunked', chunks],
    ['Content-Length: 4', 'abcd'],
    ['Content-Length:  04 ', 'abcd'],
  ])('is clear with %j', async (headers, body) => {
    expect(await statusesOf(headers, body)).toEqual([200]);
  });

  it.each([
    'identity, chunked',
    'gzip, chunked',
    ',chunked',
    'chunked,',
    'chunked, chunked',
    'chunked, identity',
    '',
    ' ',
    'identity',
    'gzip',
    'xchunked',
    '"chunked"',
    'chunked;q=1',
    'chunk\x0bed',
    '\r\n chunked',
    '\r\nTransfer-Encoding: chunked',
    'identity\r\nTransfer-Encoding: chunked',
    'chunked\r\nTransfer-Encoding: identity',
    'chunked\r\nTransfer-Encoding: chunked',
    'chunked\r\nContent-Length: 4',
    'chunked\r\nContent-Length: 19',
    'identity\r\nContent-Length: 4',
  ])('is not with Transfer-Encoding: %j: refused, and the connection closed', async (coding) => {
    expect(await statusesOf(`Transfer-Encoding: ${coding}`, chunks)).toEqual([400]);
  });

  it.each([
    ['Content-Length: 4\r\nTransfer-Encoding: chunked', chunks],
    ['Transfer-Encoding : chunked', chunks],
    [' Transfer-Encoding: chunked', chunks],
    ['Content-Length: 4, 4', 'abcd'],
    ['Content-Length: 4,5', 'abcd'],
    ['Content-Length: 4\r\nContent-Length: 4', 'abcd'],
    ['Content-Length: 4\r\nContent-Length: 5', 'abcd'],
    ['Content-Length: +4', 'abcd'],
    ['Content-Length: -4', 'abcd'],
    ['Content-Length: 0x4', 'abcd'],
    ['Content-Length: 4abc', 'abcd'],
    ['Content-Length: 4 4', 'abcd'],
    ['Content-Length: ', 'abcd'],
    ['Content-Length : 4', 'abcd'],
    ['Content-Length: 18446744073709551620', 'abcd'],
  ])('is not with %j', async (headers, body) => {
    expect(await statusesOf(headers, body)).toEqual([400]);
  });

  it('is not if a request by HTTP/1.0 has chunks', async () => {
    expect(await statusesOf('Transfer-Encoding: chunked', chunks, '1.0')).toEqual([400]);
    expect(await statusesOf('Content-Length: 4', 'abcd', '1.0')).toEqual([200]);
  });
});
