import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { GatewayError } from '@chat-web/protocol';
import { listening, pace, sentMessage } from '@chat-web/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ClientOptions, createClient, type Retry } from './client.ts';

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const TEXT = { id: 'main', type: 'text', to: '12025550102', body: 'Hello' } as const;
const SENT = sentMessage({ body: 'Hello' });

let server: Server;
let url: string;
let requests: Received[];
/** How the gateway responds to each request, in order; the last one repeats. */
let answers: ((response: ServerResponse) => void)[];

beforeEach(async () => {
  requests = [];
  answers = [json(200, SENT)];
  server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    requests.push({ method, url, headers, body: await text(request) });
    answer?.(response);
  });
  url = `http://127.0.0.1:${await listening(server)}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function json(status: number, body: unknown, headers: Record<string, string> = {}) {
  return (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'r-1', ...headers });
    response.end(JSON.stringify(body));
  };
}
const refusal = (status: number, code: string, headers = {}) => json(status, { error: 'it is so', code }, headers);
const hangUp = (response: ServerResponse) => response.destroy();
const silence = () => {};
/** A response of this JSON, in pieces. */
const raw = (piece: string, pieces: number) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  Readable.from(Array<Buffer>(pieces).fill(Buffer.from(piece))).pipe(response);
};

const client = (options?: ClientOptions) => createClient({ url, token: 'sesame' }, options);
const keys = () => requests.map(({ headers }) => headers['idempotency-key']);

describe('a call', () => {
  it('is one request, with the token, the parameters in the path and the rest as JSON', async () => {
    expect(await client().sendMessage({ ...TEXT, id: 'a b' })).toEqual(SENT);
    const [{ method, url: path, headers, body }] = requests as [Received];
    expect([method, path, JSON.parse(body)]).toEqual([
      'POST',
      '/sessions/a%20b/messages',
      { type: 'text', to: '12025550102', body: 'Hello' },
    ]);
    expect(headers).toMatchObject({ authorization: 'Bearer sesame', 'content-type': 'application/json' });
    expect(requests).toHaveLength(1);
  });

  it.each(['..', '.', '', undefined])('never reaches another route with an id such as %j', async (keyId) => {
    const deleted = client().deleteKey({ keyId: keyId as string });
    await expect(deleted).rejects.toMatchObject({
      code: 'invalid_request',
      status: undefined,
      issues: [{ path: 'keyId', message: expect.any(String) }],
    });
    expect(requests).toEqual([]);
  });

  it('rejects with all fields of an error response', async () => {
    answers = [json(409, { error: 'not ready', code: 'session_not_ready', id: 'x' })];
    const error = await client()
      .sendMessage(TEXT)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GatewayError);
    expect(error).toMatchObject({
      code: 'session_not_ready',
      status: 409,
      requestId: 'r-1',
      message: 'not ready',
      id: 'x',
    });
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['no JSON', (response: ServerResponse) => response.end('<html>'), 200],
    ['other JSON', json(200, { hello: 1 }), 200],
    ['an error of another server', json(404, { detail: 'x' }), 404],
  ])('rejects a response that is %s', async (_, answer, status) => {
    answers = [answer];
    await expect(client().sendMessage(TEXT)).rejects.toMatchObject({ code: 'internal_error', status });
  });

  it('with a key that is invalid in a header is refused, and sends nothing', async () => {
    const call = client().sendMessage(TEXT, { idempotencyKey: 'a\nb' });
    await expect(call).rejects.toMatchObject({ code: 'invalid_request', issues: [{ path: 'idempotencyKey' }] });
    expect(requests).toEqual([]);
  });

  it('does not follow a redirect, and does not send its token elsewhere', async () => {
    answers = [(response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end()];
    await expect(client().listSessions()).rejects.toThrow(/the url redirects/);
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['127.0.0.1:3000', /must be like http/],
    ['ftp://127.0.0.1', /must be like http/],
    ['http://me:secret@127.0.0.1', /pass `token`/],
    ['http://127.0.0.1/?a=b', /query/],
    ['unix:/run/x.sock', /gatewayAddress/],
  ])('to the address %s explains what to write, without repeating it', async (wrong, message) => {
    const error = await createClient({ url: wrong })
      .listSessions()
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invalid_request', message: expect.stringMatching(message) });
    expect(String(error)).not.toContain('secret');
  });
});

describe('a retry', () => {
  it('of a send has the key of the first attempt, which is different for each call', async () => {
    answers = [
      hangUp,
      refusal(500, 'outcome_unknown'),
      refusal(409, 'idempotency_in_progress', { 'retry-after': '0' }),
      json(200, SENT),
    ];
    const retries: Retry[] = [];
    expect(await client({ onRetry: (retry) => retries.push(retry) }).sendMessage(TEXT)).toEqual(SENT);
    expect(keys()).toHaveLength(4);
    expect(new Set(keys()).size).toBe(1);
    expect(keys()[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(retries.map(({ attempt, error }) => [attempt, error.code])).toEqual([
      [1, 'outcome_unknown'],
      [2, 'outcome_unknown'],
      [3, 'idempotency_in_progress'],
    ]);
    await client().sendMessage(TEXT);
    expect(new Set(keys()).size).toBe(2);
    await client().sendMessage(TEXT, { idempotencyKey: 'order-17' });
    expect(keys().at(-1)).toBe('order-17');
  });

  it('waits as long as the gateway requests', async () => {
    answers = [refusal(429, 'rate_limited', { 'retry-after': '1' }), json(200, SENT)];
    const startedAt = performance.now();
    await client().sendMessage(TEXT);
    expect(performance.now() - startedAt).toBeGreaterThan(950);
  });

  it('is not made if the wait is longer than the call may take', async () => {
    answers = [refusal(429, 'rate_limited', { 'retry-after': '86400' })];
    await expect(client().sendMessage(TEXT)).rejects.toMatchObject({ retryAfterSeconds: 86_400 });
    expect(requests).toHaveLength(1);
  });

  it('is made for reads and PUT, even after a response of a proxy', async () => {
    for (const [answer, ask] of [
      [hangUp, () => client().listChats({ id: 'main' })],
      [refusal(500, 'session_lost'), () => client().listChats({ id: 'main' })],
      [json(502, {}), () => client().listChats({ id: 'main' })],
      [hangUp, () => client().renameGroup({ id: 'main', groupId: '1@g.us', subject: 'x' })],
    ] as const) {
      requests = [];
      answers = [answer, refusal(404, 'chat_not_found')];
      await expect(ask()).rejects.toMatchObject({ code: 'chat_not_found' });
      expect(requests).toHaveLength(2);
    }
  });

  it('is not made if the request may have been carried out, unless the gateway has refused it', async () => {
    const remove = () => client().deleteMessage({ id: 'main', messageId: 'true_1@c.us_A', forEveryone: true });
    answers = [hangUp];
    await expect(remove()).rejects.toMatchObject({ code: 'outcome_unknown', status: undefined });
    answers = [json(502, {})];
    await expect(remove()).rejects.toMatchObject({ code: 'outcome_unknown', status: 502 });
    expect(requests).toHaveLength(2);
    const removed = { id: 'true_1@c.us_A', deletedFor: 'everyone' };
    answers = [refusal(503, 'shutting_down'), json(200, removed)];
    expect(await remove()).toEqual(removed);
    expect(requests).toHaveLength(4);
  });

  it.each(['rate_limited', 'session_moving', 'host_unreachable'])(
    'is made after %s, with which nothing was carried out',
    async (code) => {
      answers = [refusal(503, code), json(200, { groupId: '1@g.us', left: true })];
      await client().leaveGroup({ id: 'main', groupId: '1@g.us' });
      expect(requests).toHaveLength(2);
      answers = [refusal(503, code), refusal(501, 'page_unsupported'), json(200, SENT)];
      expect(await client().sendMessage(TEXT)).toEqual(SENT);
      expect(keys().slice(2)).toEqual([expect.any(String), expect.any(String), undefined]);
    },
  );

  it('is made of a read, but of no change, if the database may have carried it out', async () => {
    answers = [refusal(503, 'engine_unavailable'), json(200, { hosts: [] })];
    expect(await client().listHosts()).toEqual({ hosts: [] });
    answers = [refusal(503, 'engine_unavailable')];
    await expect(client().deleteKey({ keyId: 'k' })).rejects.toMatchObject({ code: 'engine_unavailable' });
    expect(requests).toHaveLength(3);
  });

  it.each(['client_failed', 'invalid_request', 'session_not_ready', 'recipient_not_found', 'internal_error'])(
    'is not made of %s',
    async (code) => {
      answers = [refusal(500, code)];
      await expect(client().sendMessage(TEXT)).rejects.toMatchObject({ code });
      expect(requests).toHaveLength(1);
    },
  );

  it('can be disabled: then no key is created', async () => {
    answers = [hangUp];
    await expect(client({ retries: 0 }).sendMessage(TEXT)).rejects.toMatchObject({ code: 'outcome_unknown' });
    await expect(client().sendMessage(TEXT, { retries: 0 })).rejects.toThrow();
    expect(keys()).toEqual([undefined, undefined]);
    await expect(client().sendMessage(TEXT, { retries: 1 })).rejects.toThrow();
    expect(requests).toHaveLength(4);
  });

  it('without a key is not made after an attempt that may have been carried out', async () => {
    answers = [hangUp, refusal(501, 'page_unsupported'), json(200, SENT)];
    await expect(client().sendMessage(TEXT)).rejects.toMatchObject({ code: 'outcome_unknown' });
    expect(keys()).toEqual([expect.any(String), expect.any(String)]);
  });

  it('without a key follows if the page cannot send under one; a key of the caller is kept', async () => {
    answers = [refusal(501, 'page_unsupported'), json(200, SENT)];
    expect(await client().sendMessage(TEXT)).toEqual(SENT);
    expect(keys()).toEqual([expect.any(String), undefined]);
    answers = [refusal(501, 'page_unsupported')];
    await expect(client().sendMessage(TEXT, { idempotencyKey: 'k' })).rejects.toMatchObject({ status: 501 });
    expect(requests).toHaveLength(3);
  });
});

it('an unreachable gateway has not carried out the call', async () => {
  await new Promise((resolve) => server.close(resolve));
  await expect(
    client({ retries: 1 }).deleteMessage({ id: 'main', messageId: 'true_1@c.us_A', forEveryone: true }),
  ).rejects.toMatchObject({
    code: 'internal_error',
    status: undefined,
    message: expect.stringContaining('ECONNREFUSED'),
  });
});

it('a lost response to a change is an unknown outcome, whatever error the platform reports', async () => {
  const remove = (options: ClientOptions & { readonly fetch?: typeof fetch } = {}) =>
    createClient({ url, ...options }, { retries: 0 }).deleteMessage({
      id: 'main',
      messageId: 'true_1@c.us_A',
      forEveryone: true,
    });
  const asBrowsersDo = () => Promise.reject(new TypeError('Failed to fetch'));
  await expect(remove({ fetch: asBrowsersDo })).rejects.toMatchObject({ code: 'outcome_unknown' });
  answers = [(response) => response.writeHead(200, { 'content-length': '100' }).write('{"id"') && response.destroy()];
  await expect(remove()).rejects.toMatchObject({ code: 'outcome_unknown' });
  answers = [json(504, {})];
  await expect(remove()).rejects.toMatchObject({ code: 'outcome_unknown', status: 504 });
});

describe('the time limit of a call', () => {
  it('includes retries', async () => {
    answers = [silence];
    const startedAt = performance.now();
    await expect(client().sendMessage(TEXT, { timeoutMs: 300 })).rejects.toMatchObject({ code: 'outcome_unknown' });
    await expect(client({ timeoutMs: 300 }).listSessions()).rejects.toMatchObject({ code: 'internal_error' });
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  it('can be cut short by the signal of the caller, also between attempts', async () => {
    answers = [silence];
    await expect(client().sendMessage(TEXT, { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    answers = [refusal(429, 'rate_limited', { 'retry-after': '10' })];
    const over = new AbortController();
    const call = client().sendMessage(TEXT, { signal: over.signal });
    await expect.poll(() => requests).toHaveLength(2);
    over.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await expect(client().listSessions({}, { signal: over.signal })).rejects.toThrow('enough');
    expect(requests).toHaveLength(2);
  });

  it('does not apply to a download; its signal does', async () => {
    let closed = false;
    answers = [
      (response) => {
        response.writeHead(200, { 'content-type': 'image/jpeg' }).write('x');
        response.on('close', () => {
          closed = true;
        });
      },
    ];
    const over = new AbortController();
    const media = await client().getPicture(
      { id: 'main', contactId: '12025550102' },
      { signal: over.signal, timeoutMs: 2_000 },
    );
    await pace(2_500);
    expect(closed).toBe(false);
    const reading = new Response(media?.data).text();
    over.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    await expect.poll(() => closed).toBe(true);
  });
});

describe('media as bytes', () => {
  const bytes = Uint8Array.from({ length: 100_001 }, (_, n) => n % 251);
  const expected = Buffer.from(bytes).toString('base64');
  const inPieces = (size: number) =>
    new ReadableStream<Uint8Array>({
      start(out) {
        for (let start = 0; start < bytes.length; start += size) out.enqueue(bytes.subarray(start, start + size));
        out.close();
      },
    });

  it.each([
    ['an array', () => bytes],
    ['a Blob', () => new Blob([bytes])],
    ['a stream in pieces of 7', () => inPieces(7)],
    ['a stream in pieces of 1,000', () => inPieces(1_000)],
    ['text', () => expected],
  ])('are sent as base64: %s', async (_, make) => {
    await client().sendMessage({ id: 'main', type: 'image', to: '12025550102', base64: make(), caption: 'a "b"' });
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      type: 'image',
      to: '12025550102',
      caption: 'a "b"',
      base64: expected,
    });
  });

  it('are sent again if they can be', async () => {
    for (const [make, attempts] of [
      [() => bytes, 2],
      [() => new Blob([bytes]), 2],
      [() => inPieces(1_000), 1],
    ] as const) {
      requests = [];
      answers = [refusal(503, 'shutting_down'), json(200, SENT)];
      const call = client().sendMessage({ id: 'main', type: 'image', to: '12025550102', base64: make() });
      if (attempts === 1) await expect(call).rejects.toMatchObject({ code: 'shutting_down' });
      else await call;
      expect(requests.map(({ body }) => JSON.parse(body).base64 === expected)).toEqual(Array(attempts).fill(true));
    }
  });

  it('are released if they are not sent', async () => {
    for (const address of [{ url: 'nowhere' }, { url: 'http://127.0.0.1:1' }]) {
      let reason: unknown;
      const base64 = new ReadableStream<Uint8Array>({
        cancel: (why) => {
          reason = why;
        },
      });
      const call = createClient(address).sendMessage({ id: 'main', type: 'image', to: '1', base64 });
      await expect(call).rejects.toBeInstanceOf(GatewayError);
      await expect.poll(() => reason).toBeDefined();
    }
  });

  it('are produced no faster than the gateway reads them', async () => {
    let made = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(out) {
        made += 1;
        out.enqueue(new Uint8Array(65_536));
      },
    });
    let chunked: string | undefined;
    server.removeAllListeners('request');
    server.on('request', (request, response) => {
      chunked = request.headers['transfer-encoding'];
      setTimeout(() => refusal(413, 'body_too_large')(response), 500);
    });
    const call = client().sendMessage({ id: 'main', type: 'image', to: '12025550102', base64: endless });
    await expect(call).rejects.toBeInstanceOf(GatewayError);
    expect(chunked).toBe('chunked');
    expect(made).toBeLessThan(500); // 32 MB: what the buffers of the operating system hold.
  });
});

it.each([
  ['many values', raw('[],'.repeat(500_000), 9)],
  ['many levels', raw('['.repeat(100_000), 1)],
  ['no end', raw(' '.repeat(1_048_576), 80)],
])('a response with %s is invalid, and not parsed', async (_, answer) => {
  answers = [answer];
  const parse = vi.spyOn(JSON, 'parse');
  const refused = client({ retries: 0 }).listContacts({ id: 'main' });
  await expect(refused).rejects.toMatchObject({ code: 'internal_error', message: expect.stringContaining('invalid') });
  // Others parse short texts meanwhile.
  expect(parse.mock.calls.filter(([json]) => json.length > 1_000)).toEqual([]);
  parse.mockRestore();
});
