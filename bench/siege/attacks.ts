import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { archive, archiveEntry, CARLA, hostileBodies, hostileRequest, manifestOf, sendRaw } from '@chat-web/testing';

/** What an attacker has. `key`: empty for a stranger. */
export interface Position {
  readonly url: string;
  readonly key: string;
  /** A server that accepts connections and never answers, as a webhook's endpoint. */
  readonly silentUrl: string;
}

/** One kind of request, repeated as fast as it is answered. Resolves with its outcome. */
export type Blow = (n: number) => Promise<number | string>;

const MB = 1_048_576;
const SLOW_MS = 20_000;
const REQUEST_TIMEOUT_MS = 60_000;
const SESSION = '/sessions/shop-1';
/** As long as a text may be, of three bytes a character. */
const LONG_TEXT = '€'.repeat(65_000);
/** The attacks of a compromised worker that the gateway ends, and some that it only bounds. */
const WORKER_ATTACKS = [
  'garbage',
  'endless',
  'nested',
  'values',
  'lists',
  'drops',
  'acks',
  'states',
  'heartbeats',
  'nonsense',
  'logs',
  'unasked',
  'output',
  'lines',
  'faults',
  'journal',
  'deaf',
];

/** A key with the scope `send` for `shop-*`. */
export function sendKey(position: Position): Record<string, Blow> {
  const text = (body: string) => JSON.stringify({ type: 'text', to: CARLA, body });
  const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
    ask(position, 'POST', `${SESSION}/messages`, body, headers);
  const upload = JSON.stringify({ type: 'document', to: CARLA, base64: 'A'.repeat(4 * MB), filename: 'a.bin' });
  return {
    'long texts, each with a key': () => post(text(LONG_TEXT), { 'Idempotency-Key': randomUUID() }),
    'one key again and again': () => post(text('again'), { 'Idempotency-Key': 'one' }),
    'short texts': (n) => post(text(`text ${n}`)),
    uploads: () => post(upload, { 'Idempotency-Key': randomUUID() }),
    'expensive bodies': (n) => post(hostileBodies[n % hostileBodies.length]?.make(4 * MB) ?? ''),
    'media from forbidden places': (n) =>
      post(JSON.stringify({ type: 'image', to: CARLA, url: `http://127.0.0.1:${1_024 + (n % 60_000)}/` })),
    'slow bodies': () => slow(position, `POST ${SESSION}/messages HTTP/1.1`, 'Content-Length: 100000\r\n\r\n'),
    'streams that are not read': () => slow(position, `GET ${SESSION}/events?after=oldest HTTP/1.1`, '\r\n'),
    'all old events': () => ask(position, 'GET', '/events?after=oldest&limit=1000', undefined, json),
    'numbers of strangers': (n) =>
      ask(
        position,
        'POST',
        `${SESSION}/contacts/exists`,
        JSON.stringify({ numbers: [`1202555${1_000 + (n % 9_000)}`] }),
      ),
  };
}

/** A key with the scope `manage` for `shop-*`. */
export function manageKey(position: Position): Record<string, Blow> {
  const empty = Array.from({ length: 4_900 }, (_, n) => ({
    name: `profile/IndexedDB/https_web.whatsapp.com_0.indexeddb.leveldb/${String(n).padStart(6, '0')}.log`,
    text: '',
  }));
  const many = archive(manifestOf(empty, { session: 'shop-9' }), empty);
  const manifest = archiveEntry('manifest.json', `{"a":[${'[],'.repeat(600_000)}[]]}`);
  const tar = { 'Content-Type': 'application/x-tar' };
  return {
    ...sendKey(position),
    'archives of empty files': () => ask(position, 'PUT', '/sessions/shop-9/import', many, tar),
    'expensive manifests': () => ask(position, 'PUT', '/sessions/shop-8/import', manifest, tar),
    webhooks: () => ask(position, 'POST', '/webhooks', JSON.stringify({ url: position.silentUrl, after: 'oldest' })),
    'tests of webhooks': (n) => ofWebhook(position, n, (id) => ask(position, 'POST', `/webhooks/${id}/test`)),
    'deletions of webhooks': (n) => ofWebhook(position, n, (id) => ask(position, 'DELETE', `/webhooks/${id}`)),
    'starts of sessions': (n) => ask(position, 'POST', `/sessions/shop-${10 + (n % 40)}/start`),
    'deletions of sessions': (n) => ask(position, 'DELETE', `/sessions/shop-${10 + (n % 40)}`),
    'pairing codes': () => ask(position, 'POST', '/sessions/shop-10/pairing-code', '{"phoneNumber":"12025550199"}'),
    metadata: (n) =>
      ask(position, 'PUT', `${SESSION}/metadata`, JSON.stringify({ metadata: { note: `${n}`.repeat(20) } })),
  };
}

/** Without a key, on the gateway's port. */
export function stranger(position: Position): Record<string, Blow> {
  const wrong = { ...position, key: '' };
  const body = hostileBodies.find(({ name }) => name === 'an upload in small pieces') ?? hostileBodies[0];
  const rawly = (text: string) => sendRaw(position.url, Buffer.from(text, 'latin1'));
  const get = 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n';
  return {
    'no token': () => ask(wrong, 'GET', '/sessions'),
    'wrong tokens': (n) => ask({ ...position, key: `guess-${n}` }, 'GET', '/sessions'),
    'large bodies': () => ask(wrong, 'POST', `${SESSION}/messages`, Buffer.alloc(8 * MB, 65)),
    'bodies in small pieces': () =>
      body ? sendRaw(position.url, hostileRequest('shop-1', body, MB)) : ask(wrong, 'GET', '/'),
    'connections that do nothing': () => slow(position, '', ''),
    'slow heads': () => slow(position, 'GET /health HTTP/1.1', 'X-Slow: '),
    'slow bodies': () => slow(position, `POST ${SESSION}/messages HTTP/1.1`, 'Content-Length: 100000\r\n\r\n'),
    'a thousand requests at once': () => rawly(`${get}\r\n`.repeat(1_000)),
    'long heads': () => rawly(`${get}X-Long: ${'x'.repeat(200_000)}\r\n\r\n`),
    'ambiguous lengths': () =>
      rawly(`${get}Transfer-Encoding: identity, chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`),
    'noise instead of HTTP': (n) => rawly(`\u0016\u0003\u0001${'\u00ff'.repeat(n % 5_000)}\r\n\r\n`),
    pages: () => ask(wrong, 'GET', '/console'),
  };
}

/** The workers of sessions `evil-…` are compromised. The operator's token only starts and removes them. */
export function worker(position: Position): Record<string, Blow> {
  return Object.fromEntries(
    WORKER_ATTACKS.map((attack) => [
      attack,
      async () => {
        const session = `/sessions/evil-${attack}`;
        await ask(position, 'POST', `${session}/start`);
        const outcome = await Promise.race([ask(position, 'GET', `${session}/chats`), delay(SLOW_MS, 'unanswered')]);
        await ask(position, 'DELETE', session);
        return outcome;
      },
    ]),
  );
}

const json = { Accept: 'application/json' };

async function ask(
  { url, key }: Position,
  method: string,
  path: string,
  body?: string | Buffer,
  headers: Record<string, string> = {},
): Promise<number> {
  const response = await fetch(url + path, {
    method,
    ...(body === undefined ? {} : { body }),
    headers: {
      ...(key ? { Authorization: `Bearer ${key}` } : {}),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  await response.arrayBuffer();
  return response.status;
}

/** Does something with one of the attacker's webhooks. */
async function ofWebhook(
  position: Position,
  n: number,
  act: (id: string) => Promise<number>,
): Promise<number | string> {
  const response = await fetch(`${position.url}/webhooks`, { headers: { Authorization: `Bearer ${position.key}` } });
  const { webhooks = [] } = (await response.json()) as { webhooks?: { id: string }[] };
  const one = webhooks[n % webhooks.length];
  return one ? act(one.id) : 'none';
}

/** Sends the beginning of a request, then a byte a second; reads nothing. Resolves with how the connection ended. */
function slow({ url, key }: Position, line: string, rest: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    if (line) socket.write(`${line}\r\nHost: 127.0.0.1\r\n${key ? `Authorization: Bearer ${key}\r\n` : ''}${rest}`);
    socket.pause();
    const crumbs = setInterval(() => line && socket.write('x'), 1_000);
    const end = setTimeout(() => socket.destroy(), SLOW_MS);
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(crumbs);
      clearTimeout(end);
      resolve('closed');
    });
  });
}
