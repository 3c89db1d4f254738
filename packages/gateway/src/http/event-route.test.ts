import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as send } from 'node:http';
import { operations } from '@chat-web/protocol';
import { eventually, pace } from '@chat-web/testing';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { digestOf } from '../access/token.ts';
import { fakeGateway, serve, TOKEN } from '../testing/fake-gateway.ts';

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
  await gateway[Symbol.asyncDispose]();
});

const streams = () => gateway.events.streams.countOf('main');

async function open(
  token = TOKEN,
  path = '/sessions/main/events',
  method = 'GET',
  headers: Readonly<Record<string, string>> = {},
): Promise<Reader> {
  const request = send(new URL(path, server.url), {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
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
const LEFT = 'event: disconnected\ndata: {"reason":"LOGOUT","message":"logged out"}\n\n';
const withoutIds = (text: string) => text.replace(/^id: .*\n/gm, '').replace(/^(: connected) \S+$/gm, '$1');
const left = { name: 'disconnected', data: { reason: 'LOGOUT', message: 'logged out' } } as const;

describe('a ticket', () => {
  const withoutToken = { authorization: '' };
  const openWith = (ticket: string, query = '', headers = {}) =>
    open('', `/events?ticket=${ticket}${query}`, 'GET', { ...withoutToken, ...headers });
  const callerOf = async (key: string) => {
    const found = gateway.keys.find(digestOf(key));
    if (!found) throw new Error('no such key');
    return found.caller;
  };

  it('opens one stream without a token, with what it was created for', async () => {
    const { key } = await keyFor('manage');
    const { ticket } = gateway.tickets.issue(await callerOf(key), {
      sessions: ['main', 'other'],
      events: ['disconnected'],
    });
    const reader = await openWith(ticket);
    for (const session of ['main', 'other', 'third']) gateway.events.publish(session, left);
    gateway.events.publish('main', { name: 'qr', data: 'data:image/png;base64,AAAA' });
    await eventually(() => expect(reader.text).toContain('"session":"main"'));
    expect(await codeOf(await openWith(ticket))).toEqual([401, 'unauthorized']);
    gateway.events.streams.endAll('over');
    await eventually(() => expect(reader.hasEnded).toBe(true));
    // The key does not cover the session `other`.
    expect(reader.text.match(/^event: .*$/gm)).toEqual(['event: disconnected']);
  });

  it('opens a stream of the kinds of chats, and of the authors, that it was created for', async () => {
    const { key } = await keyFor('read');
    const chosen = { chats: ['group'], from: 'own', events: ['message_ack', 'disconnected'] };
    const { ticket } = gateway.tickets.issue(
      await callerOf(key),
      v.parse(operations.createEventTicket.optionalBody, chosen),
    );
    const reader = await openWith(ticket);
    for (const id of ['true_1@c.us_A', 'true_1@g.us_B_2@c.us']) gateway.events.publishAck('main', { id, ack: 1 });
    gateway.events.publish('main', left);
    await eventually(() => expect(reader.text).toContain('event: disconnected'));
    expect(reader.text.match(/true_\S+?(?=")/g)).toEqual(['true_1@g.us_B_2@c.us']);
  });

  it('has no more rights than the key: no QR for one that only reads', async () => {
    const { key } = await keyFor('read');
    const { ticket } = gateway.tickets.issue(await callerOf(key), { events: ['qr', 'disconnected'] });
    const reader = await openWith(ticket);
    gateway.events.publish('main', { name: 'qr', data: 'data:image/png;base64,AAAA' });
    gateway.events.publish('main', left);
    await eventually(() => expect(reader.text).toContain('event: disconnected'));
    expect(reader.text).not.toContain('event: qr');
  });

  it('cannot be widened by the URL, and resumes at a position', async () => {
    const { key } = await keyFor('read');
    const issue = async () => gateway.tickets.issue(await callerOf(key), {}).ticket;
    for (const query of ['&events=message_sent', '&sessions=main', '&ticket=x', '&x=1'])
      expect(await codeOf(await openWith(await issue(), query))).toEqual([400, 'invalid_request']);
    gateway.events.publish('main', left);
    await gateway.events.settled();
    const page = await openWith(await issue(), '&after=oldest&limit=1', { accept: 'application/json' });
    await eventually(() => expect(page.hasEnded).toBe(true));
    expect(JSON.parse(page.text)).toMatchObject({ events: [{ event: 'disconnected', session: 'main' }] });
  });

  it('ends with its key, before and after it is used', async () => {
    const { key, id } = await keyFor('read');
    const caller = await callerOf(key);
    const [used, unused] = [gateway.tickets.issue(caller, {}), gateway.tickets.issue(caller, {})];
    const reader = await openWith(used.ticket);
    expect(reader.status).toBe(200);
    await gateway.keys.remove(id);
    await eventually(() => expect(reader.hasEnded).toBe(true));
    expect(await codeOf(await openWith(unused.ticket))).toEqual([401, 'unauthorized']);
  });

  it('opens nothing else, and is in no log', async () => {
    const { key } = await keyFor('manage');
    const { ticket } = gateway.tickets.issue(await callerOf(key), {});
    for (const path of ['/sessions', '/sessions/main/events', '/events/ticket', '/metrics'])
      expect((await open('', `${path}?ticket=${ticket}`, 'GET', withoutToken)).status).toBe(401);
    for (const header of [{ authorization: `Bearer ${ticket}` }, { cookie: `ticket=${ticket}` }])
      expect((await open('', '/events', 'GET', { ...withoutToken, ...header })).status).toBe(401);
    const reader = await openWith(ticket);
    expect(reader.status).toBe(200);
    await openWith(ticket);
    reader.request.destroy();
    expect(JSON.stringify([gateway.log.all, gateway.audit.all])).not.toContain(ticket.slice(4));
    expect(gateway.audit.all).toContainEqual(expect.objectContaining({ operation: 'allEvents', status: 200 }));
  });
});

describe('a stream', () => {
  it('begins at once with a comment, the QR to scan and the right headers', async () => {
    const reader = await open();
    await eventually(() => expect(withoutIds(reader.text)).toBe(HEAD + QR));
    expect(reader).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      },
    });
  });

  it('sends each event as it happens, and ends with the reason', async () => {
    const reader = await open();
    gateway.events.publish('main', left);
    gateway.events.publish('other', left);
    await eventually(() => expect(reader.text).toContain('disconnected'));
    gateway.events.streams.endAll('the gateway stops');
    await eventually(() => expect(reader.hasEnded).toBe(true));
    expect(withoutIds(reader.text)).toBe(`${HEAD}${QR}${LEFT}: the gateway stops\n\n`);
  });

  it('sends no QR or pairing code to a key that may not link', async () => {
    const [reading, managing] = [await open((await keyFor('read')).key), await open((await keyFor('manage')).key)];
    gateway.events.publish('main', { name: 'qr', data: 'data:image/png;base64,AAAA' });
    const data = { code: 'ABCD1234', expiresAt: '2026-11-01T12:03:00.000Z' };
    gateway.events.publish('main', { name: 'pairing_code', data });
    gateway.events.streams.endAll('over');
    await eventually(() => expect([reading.hasEnded, managing.hasEnded]).toEqual([true, true]));
    expect(withoutIds(reading.text)).toBe(`${HEAD}: over\n\n`);
    expect(managing.text.match(/^event: qr$/gm)).toHaveLength(2);
    expect(managing.text.match(/^event: pairing_code$/gm)).toHaveLength(1);
  });

  it('sends its position at the start and with each comment: that of the last event sent', async () => {
    const added = vi.spyOn(gateway.events.streams, 'add');
    const request = send(new URL('/sessions/main/events', server.url), {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    request.on('error', () => {}).end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const publish = (name: string, body: string) =>
      gateway.events.publish('main', { name: 'disconnected', data: { reason: 'LOGOUT', message: name + body } });
    // More than the reader's socket buffers: the comment is due while the previous event is still being sent.
    publish('before', 'x'.repeat(8_000_000));
    await gateway.events.settled();
    await expect.poll(() => response.readableLength).toBeGreaterThan(0);
    added.mock.calls[0]?.[0].keepAlive();
    publish('after', '');
    await gateway.events.settled();
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    await eventually(() => expect(text).toContain(': keepalive'));
    request.destroy();
    const ids = [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
    expect(text).toContain(`id: ${ids[0]}\n: connected ${ids[0]}\n\n`);
    expect(text.slice(text.indexOf('"after'))).toContain(`id: ${ids[2]}\n: keepalive ${ids[2]}\n\n`);
    expect(new Set(ids).size).toBe(3);
  });

  it('ends when its key is deleted, without later events', async () => {
    const { id, key } = await keyFor('read');
    const reader = await open(key);
    await gateway.keys.remove(id);
    gateway.events.publish('main', left);
    await eventually(() => expect(reader.hasEnded).toBe(true));
    expect(withoutIds(reader.text)).toBe(`${HEAD}: the key or token is no longer valid\n\n`);
    expect(streams()).toBe(0);
    expect((await open(key)).status).toBe(401);
  });

  it('is removed when its reader disconnects', async () => {
    const readers = [await open(), await open()];
    expect(streams()).toBe(2);
    readers[0]?.request.destroy();
    await eventually(() => expect(streams()).toBe(1));
  });
});

/** Publishes the acks 1 to `count` of a session, and waits until they are stored. */
async function publishAcks(count: number, session = 'main'): Promise<void> {
  for (let ack = 1; ack <= count; ack += 1)
    gateway.events.publish(session, { name: 'message_ack', data: { id: `true_1@c.us_${ack}`, ack: 2 } });
  await gateway.journal.append({ kind: 'note', name: 'done', session: '', key: '', text: '' });
}

/** The ids of the messages whose acks a stream or page contains, in order. */
const acksIn = (text: string) => [...text.matchAll(/true_1@c\.us_(\d+)/g)].map(([, ack]) => Number(ack));
const idsIn = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].map(([, id = '']) => id);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

async function getPage(query: string, headers: Readonly<Record<string, string>> = {}, path = '/sessions/main/events') {
  const asked = { headers: { authorization: `Bearer ${TOKEN}`, accept: 'application/json', ...headers } };
  const response = await fetch(new URL(`${path}?${query}`, server.url), asked);
  const text = await response.text();
  return {
    status: response.status,
    text,
    ...(JSON.parse(text) as { events: unknown[]; next: string; issues?: unknown }),
  };
}

describe('a reader that reconnects', () => {
  it('gets all events after its last one, once and in order, then new ones', async () => {
    const first = await open();
    await publishAcks(20);
    await eventually(() => expect(acksIn(first.text)).toEqual(upTo(20)));
    first.request.destroy();
    const [opening = '', ...ids] = idsIn(first.text);
    const lastId = ids[11] ?? '';
    await publishAcks(5);
    for (const again of [
      await open(TOKEN, '/sessions/main/events?after=oldest', 'GET', { 'last-event-id': lastId }),
      await open(TOKEN, `/sessions/main/events?after=${lastId}`),
    ]) {
      gateway.events.publish('main', left);
      await eventually(() => expect(again.text).toContain('disconnected'));
      expect(acksIn(again.text)).toEqual([...upTo(20).slice(12), ...upTo(5)]);
      again.request.destroy();
    }
    // A stream that was cut off before its first event had a position, too.
    const whole = await open(TOKEN, '/sessions/main/events', 'GET', { 'last-event-id': opening });
    await eventually(() => expect(acksIn(whole.text)).toEqual([...upTo(20), ...upTo(5)]));
  });

  it('gets all retained events with `oldest`, and only new events without a position', async () => {
    await publishAcks(3);
    const [all, live] = [await open(TOKEN, '/sessions/main/events?after=oldest'), await open()];
    gateway.events.publish('main', left);
    await eventually(() => expect(live.text).toContain('disconnected'));
    await eventually(() => expect(all.text).toContain('disconnected'));
    expect(acksIn(all.text)).toEqual(upTo(3));
    expect(acksIn(live.text)).toEqual([]);
  });

  it('gets all events after a time, and only new events after a future time', async () => {
    await publishAcks(2);
    await pace(5);
    const time = new Date().toISOString();
    await pace(5);
    for (const ack of [3, 4])
      gateway.events.publish('main', { name: 'message_ack', data: { id: `true_1@c.us_${ack}`, ack: 2 } });
    const later = new Date(Date.now() + 60_000).toISOString();
    // Another time zone; a plus that is not encoded arrives as a blank.
    const here = `${new Date(Date.parse(time) + 7_200_000).toISOString().slice(0, -1)}%2B02:00`;
    const readers = [
      await open(TOKEN, `/sessions/main/events?after=${time}`),
      await open(TOKEN, `/events?after=${here}`),
      await open(TOKEN, `/events?after=${here.replace('%2B', '+')}`),
      await open(TOKEN, '/sessions/main/events', 'GET', { 'last-event-id': time }),
    ];
    const future = await open(TOKEN, `/sessions/main/events?after=${later}`);
    await publishAcks(0);
    await eventually(() =>
      expect(readers.map(({ text }) => acksIn(text))).toEqual([
        [3, 4],
        [3, 4],
        [3, 4],
        [3, 4],
      ]),
    );
    expect(acksIn((await getPage(`after=${time}`)).text)).toEqual([3, 4]);
    expect(acksIn((await getPage('after=1999-01-01T00:00:00Z')).text)).toEqual([1, 2, 3, 4]);
    expect((await getPage(`after=${later}`)).events).toEqual([]);
    gateway.events.publish('main', left);
    await eventually(() => expect(future.text).toContain('disconnected'));
    expect(acksIn(future.text)).toEqual([]);
    expect([...readers, future].some(({ text }) => text.includes('event: gap'))).toBe(false);
  });

  it('gets a gap for a position that this gateway did not issue, then the oldest retained event', async () => {
    await publishAcks(2);
    const known = (await getPage('after=oldest')).next;
    const future = known.replace(/\d+$/, (seq) => String(Number(seq) + 100));
    for (const position of ['abc-1', 'nonsense', future]) {
      const reader = await open(TOKEN, '/sessions/main/events', 'GET', { 'last-event-id': position });
      await eventually(() => expect(acksIn(reader.text)).toEqual(upTo(2)));
      const from = position === 'nonsense' ? null : position;
      expect(reader.text).toContain(
        `event: gap\ndata: ${JSON.stringify({ reason: 'unknown_position', from, to: null })}`,
      );
    }
  });

  it('is refused at once for a position that is not one, however long', async () => {
    const headers = { authorization: `Bearer ${TOKEN}` };
    for (const after of ['nonsense', 'T'.repeat(200_000)])
      expect((await gateway.request(`/events?after=${after}`, { headers })).status).toBe(400);
  }, 10_000);

  it('gets a long history at its own pace, however slow', async () => {
    const body = 'x'.repeat(50_000);
    for (let n = 0; n < 200; n += 1)
      gateway.events.publish('main', { name: 'disconnected', data: { reason: 'LOGOUT', message: `${n} ${body}` } });
    await publishAcks(1);
    const reader = await open(TOKEN, '/sessions/main/events?after=oldest');
    await eventually(() => expect(acksIn(reader.text)).toEqual([1]));
    const numbers = [...reader.text.matchAll(/"message":"(\d+) /g)].map(([, n]) => Number(n));
    expect(numbers).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });
});

describe('a reader without a position', () => {
  it('gets no earlier events, even if they are not on disk yet', async () => {
    gateway.events.publish('main', left);
    const stream = gateway.events.feed({ after: undefined, session: 'main', takes: () => true });
    gateway.events.publish('main', { name: 'message_ack', data: { id: 'true_1@c.us_1', ack: 2 } });
    expect(stream.isAtEnd).toBe(true);
    await publishAcks(0);
    expect(acksIn(JSON.stringify(await stream.read()))).toEqual([1]);
  });

  it('gets none of them when it reconnects either, if it is cut off before its first event', async () => {
    const feed = gateway.events.feed.bind(gateway.events);
    vi.spyOn(gateway.events, 'feed').mockImplementationOnce((options) => {
      gateway.events.publish('main', left); // It is still being written when the stream starts.
      return feed(options);
    });
    const first = await open();
    await gateway.events.settled();
    gateway.events.streams.endAll('over');
    await eventually(() => expect(first.hasEnded).toBe(true));
    expect(first.text).not.toContain('disconnected');
    const position = idsIn(first.text).at(-1) ?? '';
    const again = await open(TOKEN, '/sessions/main/events', 'GET', { 'last-event-id': position });
    await publishAcks(1);
    await eventually(() => expect(acksIn(again.text)).toEqual([1]));
    expect(again.text).not.toContain('disconnected');
    expect(again.text).not.toContain('gap');
  });
});

it('a reader that filters by name still gets gaps', async () => {
  const reader = await open(TOKEN, '/sessions/main/events?events=message');
  gateway.events.publish('main', left);
  gateway.events.publish('main', { name: 'gap', data: { reason: 'not_loaded', from: 'a', to: 'b' } });
  await eventually(() => expect(reader.text).toContain('event: gap'));
  expect(reader.text).not.toContain('disconnected');
});

describe('a status', () => {
  const status = { name: 'status', data: { status: 'starting', restarts: 1 } } as const;

  it('is sent only on streams and pages that name it', async () => {
    const paths = ['/sessions/main/events', '/events'];
    const silent = [await open(), await open(TOKEN, '/events'), await open(TOKEN, '/events?events=disconnected')];
    const named: Reader[] = [];
    for (const path of paths) named.push(await open(TOKEN, `${path}?events=status,disconnected`));
    gateway.events.publish('main', status);
    gateway.events.publish('main', left);
    await eventually(() => {
      for (const { text } of [...silent, ...named]) expect(text).toContain('event: disconnected');
    });
    for (const { text } of silent) expect(text).not.toContain('event: status');
    for (const { text } of named) expect(text).toMatch(/event: status\ndata: .*"status":"starting","restarts":1/);
    for (const path of paths) {
      expect((await getPage('after=oldest', {}, path)).events).toMatchObject([{ event: 'disconnected' }]);
      const { events } = await getPage('after=oldest&events=status', {}, path);
      expect(events).toMatchObject([{ id: expect.any(String), event: 'status', session: 'main', data: status.data }]);
    }
  });
});

describe('the stream of all sessions', () => {
  it('has the session and time of each event, and sends a key only its sessions', async () => {
    const { key } = await keyFor('read');
    const [all, own] = [await open(TOKEN, '/events'), await open(key, '/events')];
    gateway.events.publish('other', left);
    gateway.events.publish('main', left);
    await eventually(() => expect(all.text.match(/disconnected/g)).toHaveLength(2));
    await eventually(() => expect(own.text).toContain('disconnected'));
    const dataOf = (reader: Reader) =>
      [...reader.text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
    expect(dataOf(all)).toEqual(
      ['other', 'main'].map((session) => ({ session, at: expect.stringMatching(/^20.*Z$/), data: left.data })),
    );
    expect(dataOf(own)).toMatchObject([{ session: 'main' }]);
    gateway.events.publish('other', { name: 'qr', data: 'data:image/png;base64,AAAA' });
    await eventually(() => expect(all.text).toContain('event: qr'));
    expect(dataOf(all).at(-1)).toMatchObject({ session: 'other', data: 'data:image/png;base64,AAAA' });
    expect(own.text).not.toContain('qr');
  });

  it('is filtered by sessions and names', async () => {
    const reader = await open(TOKEN, '/events?sessions=main,third&events=disconnected');
    await publishAcks(1);
    for (const session of ['main', 'other', 'third']) gateway.events.publish(session, left);
    await eventually(() => expect(reader.text).toContain('third'));
    expect(reader.text).not.toContain('other');
    expect(reader.text).not.toContain('message_ack');
  });
});

describe('pages of events', () => {
  it('follow each other without loss or repetition', async () => {
    await publishAcks(25);
    const seen: number[] = [];
    let after = 'oldest';
    for (let pages = 0; pages < 3; pages += 1) {
      const { events, next } = await getPage(`after=${after}&limit=10`);
      seen.push(...acksIn(JSON.stringify(events)));
      after = next;
    }
    expect(seen).toEqual(upTo(25));
    expect(await getPage(`after=${after}`)).toMatchObject({ events: [], next: after });
    await publishAcks(1, 'other');
    expect((await getPage(`after=${after}`)).events).toEqual([]);
    const [event] = (await getPage(`after=${after}`, {}, '/events')).events;
    expect(event).toEqual({
      id: expect.stringMatching(/^[0-9a-f]+-\d+$/),
      event: 'message_ack',
      session: 'other',
      at: expect.stringMatching(/^20.*Z$/),
      data: { id: 'true_1@c.us_1', ack: 2 },
    });
  });

  it('are at most a megabyte long, or one event', async () => {
    const body = 'x'.repeat(150_000);
    for (let n = 0; n < 30; n += 1)
      gateway.events.publish('main', { name: 'disconnected', data: { reason: 'LOGOUT', message: `${n} ${body}` } });
    await publishAcks(1);
    const seen: number[] = [];
    let [after, pages] = ['oldest', 0];
    for (; seen.length < 30; pages += 1) {
      const { text, next } = await getPage(`after=${after}&limit=1000`);
      expect(text.length).toBeLessThan(1_500_000);
      seen.push(...[...text.matchAll(/"message":"(\d+) /g)].map(([, n]) => Number(n)));
      after = next;
    }
    expect(seen).toEqual(Array.from({ length: 30 }, (_, n) => n));
    expect(pages).toBeGreaterThan(3);
  });

  it('are as long with metadata, which can be longer than the events', async () => {
    const pairs = Array.from({ length: 20 }, (_, n) => [`name${n}`, '\u0001'.repeat(500)]);
    await gateway.events.setMetadata('main', Object.fromEntries(pairs));
    await publishAcks(60);
    const { text, events } = await getPage('after=oldest&limit=1000');
    expect(text.length).toBeLessThan(1_500_000);
    expect(events.length).toBeLessThan(40);
  });

  it('have only the events of the chosen chats and authors, and follow each other without gaps', async () => {
    const chats = ['1@c.us', '1@g.us', '2@c.us', '2@g.us', 'status@broadcast'];
    for (const [n, chat] of [...chats, ...chats].entries())
      gateway.events.publish('main', { name: 'message_ack', data: { id: `true_${chat}_${n}`, ack: 1 } });
    gateway.events.publish('main', left);
    await gateway.events.settled();
    const seen: string[] = [];
    let after = 'oldest';
    for (let pages = 0; pages < 4; pages += 1) {
      const { events, next } = await getPage(`after=${after}&limit=2&chats=group,status&from=own`);
      for (const { event, data } of events as { event: string; data: { id?: string } }[]) seen.push(data.id ?? event);
      after = next;
    }
    expect(seen.map((id) => id.replace(/.*_/, ''))).toEqual(['1', '3', '4', '6', '8', '9', 'disconnected']);
    expect((await getPage(`after=${after}`)).events).toEqual([]);
    expect((await getPage('after=oldest&from=others')).events).toMatchObject([{ event: 'disconnected' }]);
  });

  it('wait for the first event as long as requested', async () => {
    const waiting = getPage('wait=30');
    await publishAcks(1, 'other');
    await publishAcks(2);
    expect(acksIn((await waiting).text)[0]).toBe(1);
    const startedAt = performance.now();
    expect((await getPage('wait=1')).events).toEqual([]);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
  });

  it('end when the key is deleted, or the caller disconnects', async () => {
    const { id, key } = await keyFor('read');
    const feed = vi.spyOn(gateway.events, 'feed');
    const waiting = getPage('wait=30', { authorization: `Bearer ${key}` });
    const over = new AbortController();
    const left = fetch(new URL('/sessions/main/events?wait=30', server.url), {
      headers: { authorization: `Bearer ${key}`, accept: 'application/json' },
      signal: over.signal,
    }).catch(() => 'left');
    await expect.poll(() => feed).toHaveBeenCalledTimes(2);
    over.abort();
    expect(await left).toBe('left');
    await gateway.keys.remove(id);
    expect((await waiting).status).toBe(401);
  });

  it('refuse an invalid query, and name the parameter', async () => {
    for (const [query, path] of [
      ['limit=0', 'limit'],
      ['limit=1001', 'limit'],
      ['wait=61', 'wait'],
      ['wait=-1', 'wait'],
      ['events=messages', 'events.0'],
      ['chats=people', 'chats.0'],
      ['chats=', 'chats.0'],
      ['from=me', 'from'],
      ['after=', 'after'],
      ['after=2026-02-30T00:00:00Z', 'after'],
      ['after=2026-11-23T08:00:00', 'after'],
      ['after=2026-11-23', 'after'],
      ['after=2026-11-23+08:00:00+02:00', 'after'],
      ['after=now', 'after'],
      ['after=Oldest', 'after'],
      ['after=1795616000', 'after'],
      ['after=nonsense', 'after'],
      ['sessions=main', 'sessions'],
      ['limit=1&limit=2', 'limit'],
      ['events[]=message', 'events[]'],
    ] as const) {
      expect(await getPage(query)).toMatchObject({ status: 400, issues: [{ path, message: expect.any(String) }] });
    }
    expect((await getPage('events=message,%20ready')).status).toBe(200);
    expect(await getPage('sessions=a%2Fb', {}, '/events')).toMatchObject({
      status: 400,
      issues: [{ path: 'sessions.0' }],
    });
  });
});

describe('no stream is opened', () => {
  it('for HEAD, which is answered at once', async () => {
    const reader = await open(TOKEN, '/sessions/main/events', 'HEAD');
    expect([reader.status, reader.headers['content-type']]).toEqual([200, 'text/event-stream']);
    await eventually(() => expect(reader.hasEnded).toBe(true));
    expect(streams()).toBe(0);
  });

  it('for an unknown session, or an invalid id', async () => {
    expect(await codeOf(await open(TOKEN, '/sessions/nobody/events'))).toEqual([404, 'session_not_found']);
    expect(await codeOf(await open(TOKEN, '/sessions/..%2Fx/events'))).toEqual([400, 'invalid_request']);
    expect(await codeOf(await open('wrong'))).toEqual([401, 'unauthorized']);
  });

  it('beyond 16 of a session: 429 with Retry-After, until one closes', async () => {
    const readers = await Promise.all(Array.from({ length: 16 }, () => open()));
    expect(readers.map(({ status }) => status)).toEqual(Array(16).fill(200));
    const refused = await open();
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(await codeOf(refused)).toEqual([429, 'too_many_streams']);
    readers[3]?.request.destroy();
    await eventually(() => expect(streams()).toBe(15));
    expect((await open()).status).toBe(200);
  });

  it('beyond the limit of a key, however many the operator has open', async () => {
    const { key } = await keyFor('read');
    const readers = [await open(key), await open(key)];
    expect(await codeOf(await open(key))).toEqual([429, 'rate_limited']);
    expect((await open()).status).toBe(200);
    readers[0]?.request.destroy();
    await eventually(async () => expect((await open(key)).status).toBe(200));
  });

  it('while a request body is still arriving: it would be read for as long as the stream is open', async () => {
    const request = send(new URL('/sessions/main/events', server.url), {
      headers: { authorization: `Bearer ${TOKEN}`, 'content-length': '1000' },
    });
    request.on('error', () => {}).flushHeaders();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(400);
    expect(streams()).toBe(0);
    request.destroy();
  });
});
