import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { deferred } from '@chat-web/protocol';
import { listening, pace, takes } from '@chat-web/testing';
import { freshFolder } from '@chat-web/testing/hooks';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRevocation, operator } from '../access/caller.ts';
import { KeyFile } from '../access/key-store.ts';
import { Keys } from '../access/keys.ts';
import { DeliveredMessages } from '../events/delivered-messages.ts';
import { EventLog } from '../events/event-log.ts';
import { OpenAcks } from '../events/open-acks.ts';
import { PublishedEvents } from '../events/published-events.ts';
import { Damage } from '../host/damage.ts';
import { type NewRecord, note } from '../journal/frame.ts';
import { Journal } from '../journal/journal.ts';
import { SegmentReader } from '../journal/segment.ts';
import { WebhookFile } from './webhook-file.ts';
import { progressNotes, WebhookProgress } from './webhook-progress.ts';
import { Webhooks } from './webhooks.ts';

const RETRY_MS = 100;
const log = pino({ enabled: false });
const me = operator('token', createRevocation().signal);

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly session: string;
  /** The number in the event's id. */
  readonly n: number;
  readonly status: number;
  readonly atMs: number;
}

const dir = freshFolder();
let journal: Journal;
let damage: Damage;
let events: EventLog;
let keys: Keys;
let webhooks: Webhooks;
let server: Server;
let url: string;
let received: Received[];
let retryDelaysMs: number[];
let hosts: string[];
let maxBytes: number;
let notes: NewRecord[];
let asksForToken: boolean;
/** How long the journal takes to store the records of webhooks. */
let storingMs: number;
/** The answer of the endpoint, with headers. */
let answer: (one: Pick<Received, 'session' | 'n'>) => number | [number, Record<string, string>] | Promise<number>;

beforeEach(async () => {
  received = [];
  retryDelaysMs = [RETRY_MS, RETRY_MS, RETRY_MS];
  answer = () => 204;
  server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += String(piece);
    const { session = '', data } = JSON.parse(text);
    const one = { session, n: Number(/\d+$/.exec(data.id ?? '')?.[0] ?? -1) };
    const answered = await answer(one);
    const [status, headers] = Array.isArray(answered) ? answered : [answered, {}];
    received.push({ ...one, headers: request.headers, text, status, atMs: performance.now() });
    response.writeHead(status, headers).end();
  });
  url = `http://127.0.0.1:${await listening(server)}/hook`;
  hosts = ['127.0.0.1'];
  maxBytes = 1e9;
  notes = [];
  asksForToken = true;
  storingMs = 0;
  await open();
});
afterEach(async () => {
  await close();
  server.closeAllConnections();
  server.close();
});

async function open(): Promise<void> {
  damage = new Damage(dir, log);
  await damage.count();
  const progress = new WebhookProgress();
  const folds = { delivered: new DeliveredMessages(), openAcks: new OpenAcks(), published: new PublishedEvents() };
  const limits = { maxBytes, maxAgeMs: 1e9 };
  journal = await Journal.open({
    dir: join(dir, 'journal'),
    folds: [...Object.values(folds), progress],
    ...limits,
    log,
    damage,
  });
  events = new EventLog(journal, folds, limits, log);
  keys = await Keys.load(new KeyFile(join(dir, 'keys.json')), log);
  const store = new WebhookFile({
    path: join(dir, 'webhooks.json'),
    progress,
    damage,
    append: async (record, ...payer) => {
      notes.push(record);
      if (storingMs > 0) await takes(storingMs);
      await events.requests.append(record, ...payer);
    },
  });
  webhooks = new Webhooks({
    store,
    keys,
    events,
    version: '1',
    log,
    asksForToken,
    config: { webhookHosts: hosts, webhookRetryDelaysMs: retryDelaysMs },
  });
  await webhooks.load();
  webhooks.start();
}

async function close(): Promise<void> {
  await webhooks.close();
  await journal.close();
}

async function restart(delaysMs = retryDelaysMs): Promise<void> {
  await close();
  retryDelaysMs = delaysMs;
  await open();
}

/** Resolves when the first events have expired: all may not be on disk yet. */
async function expire(): Promise<void> {
  const oldest = async () => {
    await journal.housekeep();
    return journal.oldestSeq;
  };
  await expect.poll(oldest, { timeout: 10_000 }).toBeGreaterThan(100);
}

function happen(session: string, n: number): void {
  events.publish(session, { name: 'message_ack', data: { id: `true_1@c.us_${n}`, ack: 1 } });
}

const accepted = (session: string) =>
  received.filter((one) => one.session === session && one.status < 300).map(({ n }) => n);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
const create = (input: object = {}) => webhooks.create({ url, ...input }, me);
const only = () => webhooks.list(me)[0];

describe('a webhook', () => {
  it('gets each event once and in order, signed, from its creation on', async () => {
    happen('main', 0);
    await events.settled();
    const { secret, ...made } = await create();
    expect(made).toMatchObject({ url, sessions: ['*'], status: 'active', waiting: 0, deadLetters: 0 });
    for (const n of [1, 2, 3]) happen('main', n);
    await expect.poll(() => accepted('main')).toEqual([1, 2, 3]);
    const { headers, text } = received[0] as Received;
    expect(JSON.parse(text)).toEqual({
      type: 'message_ack',
      session: 'main',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: { id: 'true_1@c.us_1', ack: 1 },
    });
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
    expect(headers['webhook-id']).toMatch(/^[0-9a-f]{12}-\d+$/);
    await expect.poll(() => only()?.position).not.toBe(made.position);
    expect(JSON.stringify(webhooks.list(me))).not.toContain(secret);
    expect(statSync(join(dir, 'webhooks.json')).mode & 0o777).toBe(0o600);
  });

  it('gets statuses only if it names them', async () => {
    const made = [await create(), await create({ events: ['status', 'message_ack'] })];
    expect(made.map(({ events }) => events.includes('status'))).toEqual([false, true]);
    events.publish('main', { name: 'status', data: { status: 'starting', restarts: 0 } });
    happen('main', 1);
    await expect.poll(() => accepted('main')).toHaveLength(3);
    expect(received.map(({ text }) => JSON.parse(text).type).sort()).toEqual(['message_ack', 'message_ack', 'status']);
  });

  it('gets only its sessions and events, also after a position', async () => {
    for (const n of [0, 1]) happen('shop-1', n);
    happen('other', 2);
    events.publish('shop-1', { name: 'ready', data: { pushname: 'x', wid: '1@c.us', phone: '1' } });
    await events.settled();
    await create({ sessions: ['shop-*'], events: ['message_ack'], after: 'oldest' });
    happen('shop-2', 3);
    await expect
      .poll(() => received.map(({ session, n }) => `${session} ${n}`).sort())
      .toEqual(['shop-1 0', 'shop-1 1', 'shop-2 3']);
  });

  it('gets only events of the chosen chats and authors, and those without a chat', async () => {
    await create({ chats: ['group'], from: 'own', events: ['message_ack', 'ready'] });
    for (const [n, chat] of ['1@c.us', '1@g.us', 'status@broadcast', '2@g.us'].entries())
      events.publish('main', { name: 'message_ack', data: { id: `true_${chat}_${n}`, ack: 1 } });
    events.publish('main', { name: 'ready', data: { pushname: 'x', wid: '1@c.us', phone: '1' } });
    await expect.poll(() => received.map(({ n }) => n)).toEqual([1, 3, -1]);
    expect(only()).toMatchObject({ chats: ['group'], from: 'own' });
    await restart();
    expect(only()).toMatchObject({ chats: ['group'], from: 'own' });
    const { id } = webhooks.list(me)[0] ?? { id: '' };
    const changed = await webhooks.update(id, { url }, me);
    expect([changed.chats, changed.from]).toEqual([undefined, undefined]);
    happen('main', 9);
    await expect.poll(() => accepted('main').at(-1)).toBe(9);
  });

  it('sends its own headers, which are shown to nobody, to its own origin', async () => {
    const credentials = {
      headers: { 'X-Key': 'key-of-the-shop' },
      basicAuth: { username: 'ada', password: 'lovelace' },
    };
    const { id, ...made } = await create(credentials);
    const sent = () => {
      const { 'x-key': key, authorization } = received.at(-1)?.headers ?? {};
      return [key, authorization];
    };
    const secrets = ['key-of-the-shop', 'Basic YWRhOmxvdmVsYWNl'];
    await webhooks.test(id, me);
    expect(sent()).toEqual(secrets);
    expect(received.at(-1)?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'chat-web/1' });
    await restart();
    happen('main', 1);
    await expect.poll(() => accepted('main')).toEqual([1]);
    expect(sent()).toEqual(secrets);
    expect(only()?.headerNames).toEqual(['X-Key', 'Authorization']);
    // A redirect does not get them either.
    answer = () => [307, { location: url }];
    expect(await webhooks.test(id, me)).toMatchObject({ ok: false, message: expect.stringContaining('redirects') });
    const changed = await webhooks.update(id, { url: `${url}/2` }, me);
    const elsewhere = url.replace(/:\d+/, ':1');
    await expect(webhooks.update(id, { url: elsewhere }, me)).rejects.toMatchObject({
      issues: [{ path: 'headers', message: expect.stringContaining('again') }],
    });
    expect(only()?.url).toBe(`${url}/2`);
    await webhooks.test(id, me);
    expect(sent()).toEqual(secrets);
    for (const shown of [made, changed, webhooks.list(me), webhooks.deliveries(id, me)])
      expect(JSON.stringify(shown)).not.toMatch(/key-of|lovelace|YWRh/);
    await webhooks.update(id, { url, headers: {}, basicAuth: null }, me);
    await webhooks.test(id, me);
    expect([...sent(), only()?.headerNames]).toEqual([undefined, undefined, undefined]);
    expect(readFileSync(join(dir, 'webhooks.json'), 'utf8')).not.toMatch(/key-of|lovelace/);
  });

  it('is tested four times at once at most, and has as many connections', async () => {
    const asked = deferred();
    const finish = deferred();
    answer = async () => {
      asked.resolve();
      await finish.promise;
      return 204;
    };
    const { id } = await create();
    const tests = Array.from({ length: 4 }, () => webhooks.test(id, me));
    await asked.promise;
    await expect(webhooks.test(id, me)).rejects.toMatchObject({ code: 'rate_limited' });
    expect(webhooks.openFiles).toBe(4);
    finish.resolve();
    expect(await Promise.all(tests)).toEqual(tests.map(() => expect.objectContaining({ ok: true })));
    expect(await webhooks.test(id, me)).toMatchObject({ ok: true });
  });

  it('whose event fails is retried, in order; other sessions continue meanwhile', async () => {
    let failures = 2;
    answer = ({ session, n }) => (session === 'main' && n === 1 && failures-- > 0 ? 500 : 200);
    await create();
    for (const n of upTo(4)) for (const session of ['main', 'other']) happen(session, n);
    await expect.poll(() => accepted('other')).toEqual(upTo(4));
    expect(accepted('main')).toEqual([0]);
    await expect.poll(() => accepted('main')).toEqual(upTo(4));
    expect(received.filter(({ session }) => session === 'main').map(({ n }) => n)).toEqual([0, 1, 1, 1, 2, 3]);
    await expect.poll(() => only()).toMatchObject({ status: 'active', waiting: 0, deadLetters: 0 });
  });

  it('gives up an event after its last attempt, and redelivers it on request', async () => {
    let isBroken = true;
    answer = ({ n }) => (n === 1 && isBroken ? 422 : 200);
    const { id } = await create();
    for (const n of upTo(3)) happen('main', n);
    await expect.poll(() => accepted('main')).toEqual([0, 2]);
    expect(received.filter(({ n }) => n === 1)).toHaveLength(4);
    await expect.poll(() => webhooks.deadLetters(id, me)).toHaveLength(1);
    expect(webhooks.deadLetters(id, me)).toEqual([
      {
        id: expect.stringMatching(/-\d+$/),
        event: 'message_ack',
        session: 'main',
        attempts: 4,
        at: expect.any(String),
        message: 'the endpoint returned 422',
      },
    ]);
    expect(webhooks.replayDeadLetters(id, me)).toBe(1);
    await expect.poll(() => received.filter(({ n }) => n === 1)).toHaveLength(5);
    await restart();
    expect(webhooks.deadLetters(id, me)).toHaveLength(1);
    isBroken = false;
    webhooks.replayDeadLetters(id, me);
    await expect.poll(() => webhooks.deadLetters(id, me)).toEqual([]);
    expect(accepted('main')).toEqual([0, 2, 1]);
  });

  it('gives up each event that fails, also those of a session that is behind', async () => {
    answer = ({ session, n }) => (session === 'main' && n < 2 ? 422 : 200);
    const { id } = await create();
    happen('other', 0); // The first success causes an attempt of all that wait.
    await expect.poll(() => accepted('other')).toEqual([0]);
    for (const n of upTo(3)) for (const session of ['main', 'other']) happen(session, n);
    await expect.poll(() => accepted('main')).toEqual([2]);
    expect(accepted('other')).toEqual([0, ...upTo(3)]);
    await expect.poll(() => webhooks.deadLetters(id, me).map(({ attempts }) => attempts)).toEqual([4, 4]);
    expect(received.filter(({ session }) => session === 'main').map(({ n }) => n)).toEqual([0, 0, 0, 0, 1, 1, 1, 1, 2]);
  });

  it('resumes after a restart, even with waiting sessions', async () => {
    answer = ({ session }) => (session === 'main' ? 500 : 200);
    // With waits as long as these, a new one would differ from the first by far more than a second.
    await restart([600_000]);
    const { id } = await create();
    for (const n of upTo(3)) for (const session of ['main', 'other']) happen(session, n);
    await expect.poll(() => accepted('other')).toEqual(upTo(3));
    await expect.poll(() => only()).toMatchObject({ waiting: 1 });
    // A delivery whose response has not arrived would be repeated.
    const last = received.findLast(({ session }) => session === 'other')?.headers['webhook-id'];
    await expect
      .poll(() => webhooks.deliveries(id, me))
      .toContainEqual(expect.objectContaining({ id: last, ok: true }));
    expect(only()?.position).toBe(last);
    const before = only();
    await restart();
    // It is tried once, outside of the schedule.
    await expect.poll(() => received.filter(({ session }) => session === 'main')).toHaveLength(2);
    await expect.poll(() => only()?.nextAttemptAt).toBeDefined();
    const [next, nextBefore] = [only(), before].map((view) => Date.parse(view?.nextAttemptAt ?? ''));
    expect(Math.abs((next ?? 0) - (nextBefore ?? Number.NaN))).toBeLessThan(1_000);
    answer = () => 200;
    await restart();
    await expect.poll(() => accepted('main')).toEqual(upTo(3));
    expect(accepted('other')).toEqual(upTo(3));
  });

  it('resumes after a restart for a session that has the name of a property of every object', async () => {
    answer = () => 500;
    await restart([600_000]);
    await create();
    for (const session of ['constructor', '__proto__']) happen(session, 1);
    await expect.poll(() => only()).toMatchObject({ waiting: 2 });
    answer = () => 200;
    await restart();
    await expect.poll(() => ['constructor', '__proto__'].map(accepted)).toEqual([[1], [1]]);
  });

  it('keeps the attempts of a failed event, however much of the journal is read to find it again', async () => {
    answer = () => 500;
    await restart([1_000, 500, 600_000]);
    for (const n of upTo(10_000)) happen('other', n);
    await create({ sessions: ['main'] });
    happen('main', 0);
    await expect.poll(() => received.length).toBe(1);
    for (const n of upTo(20_000)) happen('other', n);
    await expect.poll(() => received.length).toBe(3);
    // An event whose attempts were forgotten would be tried again within a second.
    await expect.poll(() => Date.parse(only()?.nextAttemptAt ?? '') - Date.now()).toBeGreaterThan(10_000);
    expect(received).toHaveLength(3);
  });

  it('without deliveries keeps its position, however many other events pass', async () => {
    const { id } = await create({ sessions: ['quiet'] });
    for (const n of upTo(1_500)) happen('loud', n);
    happen('quiet', 0);
    await expect.poll(() => accepted('quiet')).toEqual([0]);
    await expect.poll(() => webhooks.deliveries(id, me)).toMatchObject([{ ok: true }]); // Or it would be repeated.
    const position = journal.idOf(journal.lastSeq);
    await expect.poll(() => only()?.position).toBe(position);
    await restart();
    expect(only()?.position).toBe(position);
    expect(received).toHaveLength(1);
  });

  it('gets a gap, whatever it filters for', async () => {
    happen('main', 0);
    await events.settled();
    let failures = 2;
    answer = () => (failures-- > 0 ? 500 : 200);
    await create({ after: 'abcdefabcdef-999', events: ['ready'] });
    await expect.poll(() => received.length).toBe(1);
    await restart();
    const gap = { type: 'gap', data: { reason: 'unknown_position', from: 'abcdefabcdef-999', to: null } };
    await expect
      .poll(() => received.map(({ text, status }) => ({ ...JSON.parse(text), status })))
      .toMatchObject([500, 500, 200].map((status) => ({ ...gap, status })));
    events.publish('main', { name: 'ready', data: { pushname: 'x', wid: '1@c.us', phone: '1' } });
    await expect.poll(() => received.length).toBeGreaterThan(3);
    expect(received.slice(3).map(({ text }) => JSON.parse(text).type)).toEqual(['ready']); // The gap came once.
  });

  it('gets an event that fails no earlier than it is due, also after one that failed before', async () => {
    await restart([500]);
    let failures = 1;
    answer = ({ n }) => (n === 1 || failures-- > 0 ? 500 : 200);
    await create();
    for (const n of upTo(2)) happen('main', n);
    await expect.poll(() => received.map(({ n }) => n).slice(0, 4)).toEqual([0, 0, 1, 1]);
    const [, , failed = 0, next = 0] = received.map(({ atMs }) => atMs);
    expect(next - failed).toBeGreaterThan(400); // The delay with its jitter.
  });

  it('gets events at once of a session that was deleted and recreated while it waited', async () => {
    await restart([60_000]);
    answer = ({ session, n }) => (session === 'main' && n === 0 ? 500 : 200);
    await create();
    happen('other', 0);
    await expect.poll(() => accepted('other')).toEqual([0]);
    happen('main', 0);
    await expect.poll(() => only()?.waiting).toBe(1);
    await events.forget('main');
    await expect.poll(() => only()).toMatchObject({ status: 'active', waiting: 0 });
    happen('main', 1);
    await expect.poll(() => accepted('main')).toEqual([1]);
  });

  it('gets no events of a session that was deleted while it waited', async () => {
    answer = () => 500;
    await create();
    for (const n of upTo(3)) happen('main', n);
    await expect.poll(() => received.length).toBeGreaterThan(0);
    await events.forget('main');
    answer = () => 200;
    happen('other', 0);
    await expect.poll(() => accepted('other')).toEqual([0]);
    await expect.poll(() => only()).toMatchObject({ waiting: 0 });
    expect(accepted('main')).toEqual([]);
  });
});

describe('an endpoint', () => {
  it.each([
    ['', undefined],
    [' at the last attempt of an event', []],
  ])('that answers 410%s gets no more; a PUT enables it again, and nothing is lost', async (_, delays) => {
    if (delays) await restart(delays);
    answer = () => 410;
    const { id } = await create();
    for (const n of upTo(3)) happen('main', n);
    await expect.poll(() => only()).toMatchObject({ status: 'disabled', reason: 'gone' });
    await restart();
    happen('main', 3);
    await events.settled();
    expect(received).toHaveLength(1);
    answer = () => 200;
    expect(await webhooks.update(id, { url }, me)).toMatchObject({ sessions: ['*'] });
    await expect.poll(() => accepted('main')).toEqual(upTo(4));
    expect(webhooks.deadLetters(id, me)).toEqual([]);
    expect(only()).not.toHaveProperty('reason');
  });

  it('that answers 410 stays disabled, even if the gateway stops right after', async () => {
    answer = () => 410;
    await create();
    happen('main', 0);
    while (only()?.status !== 'disabled') await setImmediate();
    await webhooks.close();
    expect(readFileSync(join(dir, 'webhooks.json'), 'utf8')).toContain('"disabled": "gone"');
  });

  it('that answers with Retry-After is not called until then, for all sessions', async () => {
    let calls = 0;
    answer = () => (calls++ === 0 ? [429, { 'retry-after': '1' }] : 200);
    await create();
    happen('main', 0);
    await expect.poll(() => received.length).toBe(1);
    const since = performance.now();
    for (const session of ['main', 'other']) happen(session, 1);
    await expect.poll(() => accepted('main')).toEqual([0, 1]);
    expect(performance.now() - since).toBeGreaterThan(800);
    await expect.poll(() => accepted('other')).toEqual([1]);
  });

  it('and its last attempts are listed: when each was, how long it took, and why it failed', async () => {
    let refused = true;
    answer = async ({ n }) => {
      if (n === 1 && refused) {
        refused = false;
        await takes(60);
        return 500;
      }
      return 204;
    };
    const { id } = await create();
    happen('main', 0);
    happen('main', 1);
    await expect.poll(() => accepted('main')).toEqual([0, 1]);
    await webhooks.test(id, me);
    await expect.poll(() => webhooks.deliveries(id, me)).toHaveLength(3);
    const [second, failed, first] = webhooks.deliveries(id, me);
    const common = { event: 'message_ack', session: 'main', at: expect.stringMatching(/^20.*Z$/) };
    expect(first).toEqual({ ...common, id: expect.stringMatching(/-\d+$/), ms: expect.any(Number), ok: true });
    expect(failed).toMatchObject({ ...common, ok: false, message: only()?.lastFailure?.message });
    expect(failed?.ms).toBeGreaterThan(50);
    expect(second).toMatchObject({ ...common, id: failed?.id, ok: true });
    for (let n = 2; n < 60; n += 1) happen('other', n);
    await expect.poll(() => accepted('other').length).toBe(58);
    await expect.poll(() => webhooks.deliveries(id, me).length).toBe(50);
    expect(webhooks.deliveries(id, me).every(({ session }) => session === 'other')).toBe(true);
    await events.forget('other');
    expect(webhooks.deliveries(id, me)).toEqual([]);
    await webhooks.remove(id, me);
    expect(() => webhooks.deliveries(id, me)).toThrow('webhook not found');
  });

  it('that redirects is not followed', async () => {
    answer = () => [302, { location: `${url}/elsewhere` }];
    await create();
    happen('main', 0);
    await expect.poll(() => only()?.lastFailure?.message).toBe('the endpoint returned 302: redirects are not followed');
  });

  it('that is down is not tried for each session; when it is back, all events arrive in order', async () => {
    await restart([300, 300, 300, 300, 300, 300, 300]);
    answer = () => 503;
    await create();
    const sessions = upTo(20).map((n) => `s${n}`);
    for (const session of sessions) happen(session, 0);
    await expect.poll(() => received.length).toBeGreaterThan(8);
    for (const session of sessions) happen(session, 1);
    await expect.poll(() => received.length).toBeGreaterThan(24);
    // At most eight were in progress when it was noticed.
    expect(new Set(received.map(({ session }) => session)).size).toBeLessThan(12);
    answer = () => 200;
    for (const session of sessions) await expect.poll(() => accepted(session)).toEqual([0, 1]);
  });

  it('that is back after an outage gets all events without reading the whole journal once per session', async () => {
    await restart([200]);
    answer = () => 500;
    await create();
    const sessions = upTo(120).map((n) => `s${n}`);
    for (const session of sessions) happen(session, 0);
    await expect.poll(() => received.length).toBeGreaterThan(10);
    await close();
    await open();
    for (const n of upTo(40).slice(1)) for (const session of sessions) happen(session, n);
    await events.settled();
    await close();
    const reads = vi.spyOn(SegmentReader.prototype, 'next');
    answer = () => 200;
    await open();
    for (const session of sessions)
      await expect.poll(() => accepted(session).length, { timeout: 60_000 }).toBeGreaterThan(38);
    const pieces = journal.stats.bytes / 262_144;
    // A session whose turn is over, on a slow machine before its last event, reads the rest of its part again.
    expect(reads.mock.calls.length).toBeLessThan((sessions.length / 6) * pieces);
    reads.mockRestore();
    const { id = '' } = only() ?? {};
    const buriedOf = (session: string) => webhooks.deadLetters(id, me).filter((letter) => letter.session === session);
    // An event may be both: it was given up at last.
    for (const session of sessions)
      await expect.poll(() => new Set(accepted(session)).size + buriedOf(session).length).toBeGreaterThanOrEqual(40);
  });

  it('that is down is retried on schedule, however much waits in memory', async () => {
    retryDelaysMs = Array.from({ length: 50 }, () => 100);
    await restart();
    answer = () => 500;
    await create();
    for (const session of upTo(4).map((n) => `early-${n}`)) happen(session, 0);
    await expect.poll(() => received.length).toBeGreaterThan(8);
    for (const session of upTo(300).map((n) => `late-${n}`)) happen(session, 0);
    await events.settled();
    const before = received.length;
    const processor = process.cpuUsage();
    await pace(500);
    const { user, system } = process.cpuUsage(processor);
    expect((user + system) / 1_000).toBeLessThan(400);
    await expect.poll(() => received.length - before).toBeGreaterThan(8);
    answer = () => 200;
    for (const session of ['early-3', 'late-0', 'late-299']) await expect.poll(() => accepted(session)).toEqual([0]);
  });

  it('that refuses an event of many sessions gets the events of all others', async () => {
    await restart([60_000]);
    answer = ({ session }) => (session.startsWith('poisoned') ? 500 : 200);
    await create();
    for (const n of upTo(3))
      for (const m of upTo(12)) for (const kind of ['poisoned', 'sound']) happen(`${kind}-${m}`, n);
    for (const m of upTo(12)) await expect.poll(() => accepted(`sound-${m}`)).toEqual(upTo(3));
    await expect.poll(() => only()).toMatchObject({ waiting: 12 });
    expect(received.every(({ session, n }) => session.startsWith('sound') || n === 0)).toBe(true);
  });

  it('that refuses an event of each session but the last is tried with that one, too', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    await restart([600_000]);
    answer = ({ session }) => (session === 'sound' ? 200 : 500);
    await create();
    for (const m of upTo(12)) for (const n of upTo(2)) happen(`poisoned-${m}`, n);
    for (const n of upTo(3)) happen('sound', n);
    await expect.poll(() => received.length).toBe(9);
    for (let minute = 1; accepted('sound').length === 0 && minute <= 4; minute += 1) {
      const before = received.length;
      vi.advanceTimersByTime(60_000);
      await expect.poll(() => received.length).toBeGreaterThan(before);
    }
    expect(received.findIndex(({ session }) => session === 'sound')).toBeLessThan(13);
    await expect.poll(() => accepted('sound')).toEqual(upTo(3));
    await expect.poll(() => only()).toMatchObject({ waiting: 12 });
    answer = () => 200;
    await restart();
    for (const m of upTo(12)) await expect.poll(() => accepted(`poisoned-${m}`)).toEqual(upTo(2));
    expect(accepted('sound')).toEqual(upTo(3));
  });

  it('that refuses an event of each of eight sessions gets a later one of another session at once', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] }); // Without the attempts of each minute.
    await restart([600_000]);
    answer = ({ session }) => (session === 'sound' ? 200 : 500);
    await create();
    for (const m of upTo(8)) happen(`poisoned-${m}`, 0);
    await expect.poll(() => only()?.waiting).toBe(8);
    happen('sound', 0);
    await expect.poll(() => accepted('sound')).toEqual([0]);
  });

  it('that is down gets no event before an earlier one of the same session', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
    const pass = async (seconds: number) => {
      for (let n = 0; n < seconds; n += 1) {
        await journal.append({ kind: 'note', name: 'done', session: '', key: '', text: '' }); // The disk is real.
        vi.advanceTimersByTime(1_000);
      }
    };
    vi.spyOn(Math, 'random').mockReturnValue(0.5); // Delays without jitter.
    await restart([90_000]);
    answer = ({ session, n }) => (session === 'early' && n > 0 ? 200 : 500);
    const { id } = await create();
    happen('early', 0);
    await expect.poll(() => received.length).toBe(1);
    await pass(50);
    for (const n of upTo(9)) happen(`late-${n}`, 0);
    for (const [session, n] of [
      ['early', 1],
      ['other', 0],
      ['early', 2],
    ] as const)
      happen(session, n);
    // Eight keep their slots, and the ninth was tried.
    await expect.poll(() => received.length).toBe(9);
    await pass(11); // The attempt of each minute.
    await expect.poll(() => received.at(-1)?.session).toBe('other');
    await pass(29); // Its second attempt is due.
    await expect.poll(() => webhooks.deadLetters(id, me)).toMatchObject([{ session: 'early' }]);
    await expect.poll(() => received.length).toBe(12); // Another session has the slot.
    await pass(30);
    await expect.poll(() => received.length).toBe(13);
    answer = () => 200;
    await pass(60);
    await expect.poll(() => accepted('early')).toEqual([1, 2]);
  });

  it('that is down is also tried with a gap of all sessions', async () => {
    maxBytes = 400_000;
    await restart([60_000]);
    answer = () => 500;
    const { id } = await create();
    for (const n of upTo(8)) happen(`s${n}`, 0);
    await expect.poll(() => only()?.waiting).toBe(8);
    await webhooks.close();
    for (const n of upTo(40)) {
      for (const m of upTo(250)) happen('late', n * 250 + m);
      await pace(5);
    }
    await expire();
    await restart();
    const ids = () => received.map(({ headers }) => String(headers['webhook-id']));
    await expect.poll(ids).toContainEqual(expect.stringMatching(/-gap-all$/));
    answer = () => 200;
    await webhooks.rotateSecret(id, me); // Then everything is tried at once.
    await expect.poll(() => accepted('late').at(-1), { timeout: 60_000 }).toBe(9_999);
  }, 120_000);

  it('that was changed is tried at once with all waiting events, even if some no longer match', async () => {
    await restart([60_000]);
    answer = () => 500;
    const { id } = await create();
    for (const n of upTo(8)) happen(`s${n}`, 0);
    await expect.poll(() => only()?.waiting).toBe(8);
    answer = () => 200;
    await webhooks.update(id, { url, sessions: ['s7'] }, me);
    await expect.poll(() => accepted('s7')).toEqual([0]);
  });

  it('is retried on time although the clock is set back', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    let failures = 1;
    answer = () => (failures-- > 0 ? 500 : 200);
    await create();
    happen('main', 0);
    await expect.poll(() => received.length).toBe(1);
    vi.setSystemTime(Date.now() - 3_600_000);
    await expect.poll(() => accepted('main')).toEqual([0]);
    failures = 2;
    happen('main', 1);
    await expect.poll(() => received.length).toBe(3);
    vi.setSystemTime(Date.now() - 3_600_000);
    await restart();
    await expect.poll(() => accepted('main')).toEqual([0, 1]);
  });

  it('that was failing is active again when nothing waits for it', async () => {
    answer = () => 500;
    await create();
    happen('main', 0);
    await expect.poll(() => only()?.status).toBe('failing');
    await events.forget('main');
    await expect.poll(() => only()).toMatchObject({ status: 'active', waiting: 0 });
  });

  it('that is slow gets all events, and delays only the session that has too many', async () => {
    answer = async ({ session }) => {
      await takes(session === 'busy' ? 5 : 0);
      return 200;
    };
    await create();
    for (const n of upTo(400)) happen('busy', n);
    for (const n of upTo(5)) happen('calm', n);
    await expect.poll(() => accepted('calm')).toEqual(upTo(5));
    expect(accepted('busy').length).toBeLessThan(300);
    await expect.poll(() => accepted('busy'), { timeout: 60_000 }).toEqual(upTo(400));
  });
});

it.each([
  [1, 20],
  [2, 20],
  [3, 20],
  [4, 2],
  [5, 2],
])(
  'any failures and restarts lose no event, and the order of each session holds (%i, with %i retries)',
  async (seed, retries) => {
    let state = seed * 7_919;
    const random = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    retryDelaysMs = Array.from({ length: retries }, () => 20);
    await restart();
    const { id } = await create();
    answer = async () => {
      if (random() < 0.2) await takes(random() * 30);
      return random() < 0.15 ? 500 : 200;
    };
    const [flaky, down] = [answer, () => 500];
    const sessions = upTo(6).map((n) => `s${n}`);
    for (const n of upTo(60)) {
      answer = n % 20 > 4 && n % 20 < 10 ? down : flaky;
      for (const session of sessions) happen(session, n);
      if (n % 4 === 0) await pace(10);
      if (n % 20 === 19) await restart();
    }
    answer = () => 200;
    const buriedOf = (session: string) =>
      webhooks
        .deadLetters(id, me)
        .filter((letter) => letter.session === session)
        .map((letter) => received.find(({ headers }) => headers['webhook-id'] === letter.id)?.n ?? -1);
    const byNumber = (one: number, other: number) => one - other;
    for (const session of sessions) {
      await expect
        .poll(() => [...new Set([...accepted(session), ...buriedOf(session)])].sort(byNumber))
        .toEqual(upTo(60));
      const order = [...new Set(accepted(session))];
      expect(order).toEqual(order.toSorted(byNumber));
      if (retries > 2) expect(order).toHaveLength(60);
    }
    const once = sessions.reduce((sum, session) => sum + new Set(accepted(session)).size, 0);
    const repeats = received.filter(({ status }) => status < 300).length - once;
    expect(repeats).toBeLessThan(3 * 8 + 1); // Those that were in progress.
  },
);

it('the secret is rotated: previous ones also sign for a day', async () => {
  const { id, secret } = await create();
  const { secret: second } = await webhooks.rotateSecret(id, me);
  const { secret: next } = await webhooks.rotateSecret(id, me);
  expect(new Set([next, second, secret]).size).toBe(3);
  await restart();
  happen('main', 0);
  await expect.poll(() => received.length).toBe(1);
  const { headers, text } = received[0] as Received;
  const signatures = [next, second, secret].map((one) => {
    const key = Buffer.from(one.replace('whsec_', ''), 'base64');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
    return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  });
  expect(headers['webhook-signature']).toBe(signatures.join(' '));
});

describe('a replay', () => {
  it('redelivers retained events after a position, and new ones', async () => {
    const { id } = await create();
    for (const n of upTo(3)) happen('main', n);
    await expect.poll(() => accepted('main')).toEqual(upTo(3));
    const [, second] = received;
    await webhooks.replay(id, String(second?.headers['webhook-id']), me);
    happen('main', 3);
    await expect.poll(() => accepted('main')).toEqual([0, 1, 2, 2, 3]);
    await webhooks.replay(id, 'oldest', me);
    await expect.poll(() => accepted('main')).toEqual([0, 1, 2, 2, 3, 0, 1, 2, 3]);
  });

  it('does not move sessions that are further behind', async () => {
    await restart([60_000]);
    answer = ({ session }) => (session === 'main' ? 500 : 200);
    const { id } = await create();
    happen('main', 0);
    await expect.poll(() => only()).toMatchObject({ waiting: 1 });
    for (const n of upTo(3)) happen('other', n);
    await expect.poll(() => accepted('other')).toEqual(upTo(3));
    answer = () => 200;
    const last = received.findLast(({ session }) => session === 'other');
    await webhooks.replay(id, String(last?.headers['webhook-id']), me);
    await expect.poll(() => accepted('main')).toEqual([0]);
    expect(accepted('other')).toEqual(upTo(3));
  });

  it('does not skip undelivered events', async () => {
    await restart([60_000]);
    answer = () => 500;
    const { id } = await create();
    for (const n of upTo(8)) happen(`s${n}`, 0);
    await expect.poll(() => only()?.waiting).toBeGreaterThan(2);
    for (const n of upTo(300)) happen('late', n);
    await events.settled();
    await pace(100);
    const before = only();
    await expect(webhooks.replay(id, journal.idOf(journal.lastSeq), me)).rejects.toMatchObject({
      code: 'invalid_request',
      issues: [{ path: 'after' }],
    });
    expect(only()).toMatchObject({ position: before?.position, waiting: before?.waiting });
    answer = () => 200;
    await webhooks.replay(id, String(before?.position), me);
    await expect.poll(() => accepted('late')).toEqual(upTo(300));
  });
});

describe('dead letters', () => {
  async function bury(count: number): Promise<string> {
    await restart([]);
    answer = () => 500;
    const { id } = await create({ sessions: ['main'] });
    for (const n of upTo(count)) happen('main', n);
    await expect.poll(() => webhooks.deadLetters(id, me)).toHaveLength(count);
    received = [];
    return id;
  }

  it('are redelivered one after the other, also after the endpoint answered with Retry-After', async () => {
    const id = await bury(20);
    let [underWay, max, calls] = [0, 0, 0];
    answer = () => ([5, 12].includes(calls++) ? [429, { 'retry-after': '3' }] : 204);
    const listen = server.listeners('request')[0] as (...args: unknown[]) => Promise<void>;
    server.removeAllListeners('request').on('request', async (...args) => {
      underWay += 1;
      max = Math.max(max, underWay);
      await listen(...args);
      underWay -= 1;
    });
    expect(webhooks.replayDeadLetters(id, me)).toBe(20);
    await expect.poll(() => received.length).toBe(6);
    // More would be delivered within this.
    await delay(300);
    expect(received).toHaveLength(6);
    await webhooks.rotateSecret(id, me); // Then the endpoint is tried at once.
    await expect.poll(() => received.length).toBe(13);
    await expect.poll(() => webhooks.deadLetters(id, me).length).toBe(9); // Deliveries are stored a moment later.
    expect(webhooks.replayDeadLetters(id, me)).toBe(9);
    await expect.poll(() => webhooks.deadLetters(id, me)).toEqual([]);
    expect(accepted('main')).toEqual(upTo(20));
    expect(max).toBe(1);
    expect(only()).toMatchObject({ status: 'active' });
  });

  it('do not delay waiting events when they show that the endpoint is back', async () => {
    const id = await bury(20);
    await restart([60_000]);
    await webhooks.update(id, { url }, me);
    happen('other', 0);
    await expect.poll(() => only()?.waiting).toBe(1);
    answer = async () => {
      await takes(50);
      return 200;
    };
    webhooks.replayDeadLetters(id, me);
    await expect.poll(() => accepted('other')).toEqual([0]);
    expect(accepted('main').length).toBeLessThan(20);
    await expect.poll(() => webhooks.deadLetters(id, me)).toEqual([]);
  });

  it('are redelivered although eight sessions fail', async () => {
    const id = await bury(3);
    await restart([600_000]);
    await webhooks.update(id, { url }, me);
    for (const m of upTo(8)) happen(`failing-${m}`, 0);
    await expect.poll(() => only()?.waiting).toBe(8);
    webhooks.replayDeadLetters(id, me);
    await expect.poll(() => received.filter(({ session }) => session === 'main').map(({ n }) => n)).toEqual(upTo(3));
  });

  it('that have expired are dropped when a redelivery is requested', async () => {
    maxBytes = 400_000;
    const id = await bury(1);
    answer = () => 204;
    for (const n of upTo(40)) {
      for (const m of upTo(250)) happen('other', 1_000 + n * 250 + m);
      await pace(5);
    }
    await expire();
    expect(webhooks.replayDeadLetters(id, me)).toBe(1);
    await expect.poll(() => webhooks.deadLetters(id, me)).toEqual([]);
    expect(accepted('main')).toEqual([]);
  });

  it('can be a gap', async () => {
    await restart([]);
    answer = () => 500;
    happen('main', 0);
    await events.settled();
    const { id } = await create({ after: 'abcdefabcdef-999' });
    await expect.poll(() => webhooks.deadLetters(id, me).length).toBeGreaterThan(0);
    await restart();
    answer = () => 200;
    const [letter] = webhooks.deadLetters(id, me);
    expect(letter).toEqual({
      id: expect.stringMatching(/-gap-all$/),
      event: 'gap',
      attempts: 1,
      at: expect.any(String),
      message: 'the endpoint returned 500',
    });
    received = [];
    webhooks.replayDeadLetters(id, me);
    await expect.poll(() => webhooks.deadLetters(id, me)).toEqual([]);
    expect(received.map(({ headers }) => headers['webhook-id'])).toContain(letter?.id);
    expect(received.map(({ text }) => JSON.parse(text))).toContainEqual(
      expect.objectContaining({ type: 'gap', data: expect.objectContaining({ reason: 'unknown_position' }) }),
    );
  });
});

describe('a webhook that was limited since', () => {
  /** A webhook of `victim` and the shops, and a key that covers the shops. `limit` limits the webhook to them. */
  async function limited(input: object = {}) {
    const { id } = await create({ sessions: ['victim', 'shop-*'], ...input });
    const { id: keyId } = await keys.create({ name: 'shops', sessions: ['shop-*'], scope: 'manage' });
    const key = keys.caller(keyId);
    if (!key) throw new Error('the key is unknown');
    return { id, key, limit: (to: object = {}) => webhooks.update(id, { url, sessions: ['shop-*'], ...to }, me) };
  }
  const letterOf = (session: string, event = 'message_ack', gap?: string) => ({
    id: `abcdefabcdef-1-${session}-${event}`,
    event,
    session,
    attempts: 1,
    at: new Date().toISOString(),
    message: 'the endpoint returned 500',
    ...(gap === undefined ? {} : { gap }),
  });
  /** Stores a record as the webhook's own, while it does not run. */
  async function storeOffline(record: NewRecord): Promise<void> {
    await webhooks.close();
    await journal.append(record);
    await journal.close();
    await open();
  }
  const toEndpoint = () => received.map(({ session, n }) => `${session} ${n}`);

  it('shows, counts and replays no dead letters of sessions that it has lost', async () => {
    await restart([]);
    answer = () => 500;
    const { id, key, limit } = await limited();
    for (const [session, n] of [
      ['victim', 1],
      ['victim', 2],
      ['shop-1', 3],
    ] as const)
      happen(session, n);
    await expect.poll(() => webhooks.deadLetters(id, me)).toHaveLength(3);
    expect(webhooks.list(key)).toEqual([]);
    await limit();
    received = [];
    answer = () => 200;
    expect(JSON.stringify([webhooks.list(key), webhooks.deadLetters(id, key)])).not.toContain('victim');
    for (const caller of [me, key]) {
      expect(webhooks.get(id, caller)).toMatchObject({ deadLetters: 1 });
      expect(webhooks.deadLetters(id, caller).map(({ session }) => session)).toEqual(['shop-1']);
    }
    expect(webhooks.replayDeadLetters(id, key)).toBe(1);
    await expect.poll(() => webhooks.deadLetters(id, key)).toEqual([]);
    expect(webhooks.replayDeadLetters(id, key)).toBe(0);
    happen('shop-1', 4);
    await expect.poll(toEndpoint).toEqual(['shop-1 3', 'shop-1 4']);
    // They are kept: whoever may have them gives them back.
    await webhooks.update(id, { url, sessions: ['victim'] }, me);
    expect(webhooks.replayDeadLetters(id, me)).toBe(2);
    await expect.poll(() => accepted('victim')).toEqual([1, 2]);
  });

  it('replays none of them if it is limited while they are replayed', async () => {
    await restart([]);
    answer = () => 500;
    const { id, key, limit } = await limited();
    for (const [session, n] of [
      ['victim', 1],
      ['shop-1', 2],
    ] as const)
      happen(session, n);
    await expect.poll(() => webhooks.deadLetters(id, me)).toHaveLength(2);
    received = [];
    answer = () => [429, { 'retry-after': '3600' }];
    expect(webhooks.replayDeadLetters(id, me)).toBe(2);
    await expect.poll(toEndpoint).toEqual(['victim 1']);
    received = [];
    answer = () => 200;
    await limit(); // Then the endpoint is tried at once.
    await expect.poll(toEndpoint).toEqual(['shop-1 2']);
    await expect.poll(() => webhooks.get(id, key)).toMatchObject({ deadLetters: 0 });
    expect(webhooks.replayDeadLetters(id, key)).toBe(0);
    await webhooks.update(id, { url, sessions: ['victim'] }, me);
    expect(webhooks.get(id, me)).toMatchObject({ deadLetters: 1 });
  });

  it.each([
    ['of a session that it has lost', letterOf('victim'), {}, 0],
    [
      'that are a gap of such a session',
      letterOf('victim', 'gap', '{"reason":"expired","from":null,"to":null}'),
      {},
      0,
    ],
    ['of events that it no longer names', letterOf('shop-1', 'message_ack'), { events: ['message'] }, 0],
    ['of what it still has', letterOf('shop-1', 'gap', '{"reason":"expired","from":null,"to":null}'), {}, 1],
  ] as const)('replays stored dead letters %s as it is now', async (_, letter, to, count) => {
    const { id, key, limit } = await limited();
    await storeOffline(progressNotes.dead(id, letter));
    expect(webhooks.get(id, me)).toMatchObject({ deadLetters: 1 });
    await limit(to);
    expect(webhooks.get(id, key)).toMatchObject({ deadLetters: count });
    expect(webhooks.deadLetters(id, key)).toHaveLength(count);
    expect(webhooks.replayDeadLetters(id, key)).toBe(count);
    if (count > 0) await expect.poll(() => received.map(({ session }) => session)).toEqual(['shop-1']);
    happen('shop-1', 1);
    await webhooks.update(id, { url, sessions: ['shop-*'], events: ['message_ack'] }, me);
    happen('shop-1', 2);
    await expect.poll(() => accepted('shop-1')).toContain(2);
    expect(accepted('victim')).toEqual([]);
  });

  it('drops dead letters of chats that it has lost when a replay is requested', async () => {
    await restart([]);
    answer = () => 500;
    const { id, limit } = await limited();
    happen('shop-1', 1);
    await expect.poll(() => webhooks.deadLetters(id, me)).toHaveLength(1);
    received = [];
    answer = () => 200;
    await limit({ chats: ['group'] });
    webhooks.replayDeadLetters(id, me);
    await expect.poll(() => webhooks.get(id, me)).toMatchObject({ deadLetters: 0 });
    expect(received).toEqual([]);
  });

  it('neither counts sessions that waited for it, nor gets their gaps', async () => {
    const { id, key, limit } = await limited();
    const waiting = { after: 'abcdefabcdef-1', attempts: 1, nextAt: 0 };
    const { position = '' } = only() ?? {};
    const failing = { position, waiting: ['victim', 'shop-1'].map((session) => ({ session, ...waiting })) };
    answer = () => 500;
    retryDelaysMs = [600_000, 600_000];
    await storeOffline(progressNotes.progress(id, failing));
    await expect.poll(() => received.map(({ session }) => session).sort()).toEqual(['shop-1', 'victim']);
    await expect.poll(() => webhooks.get(id, me)).toMatchObject({ waiting: 2 });
    received = [];
    expect(await limit()).toMatchObject({ waiting: 1 });
    await expect.poll(() => received.map(({ session }) => session)).toEqual(['shop-1']);
    expect(JSON.stringify([webhooks.list(key), webhooks.deliveries(id, key)])).not.toContain('victim');
    expect(JSON.stringify(webhooks.deliveries(id, me))).toContain('victim');
  });

  it('is disabled if its key covers less after a restart', async () => {
    const { id: keyId } = await keys.create({ name: 'all', sessions: ['victim', 'shop-*'], scope: 'manage' });
    const owner = keys.caller(keyId);
    if (!owner) throw new Error('the key is unknown');
    const { id } = await webhooks.create({ url, sessions: ['victim'] }, owner);
    await restart();
    expect(webhooks.get(id, me)).toMatchObject({ status: 'active' });
    const path = join(dir, 'keys.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"victim"', '"nobody"'));
    await restart();
    expect(webhooks.get(id, me)).toMatchObject({ status: 'disabled', reason: 'no_access' });
  });

  it('gets nothing once its key is deleted, even while another change is being stored', async () => {
    const { id: keyId } = await keys.create({ name: 'shops', sessions: ['shop-*'], scope: 'manage' });
    const owner = keys.caller(keyId);
    if (!owner) throw new Error('the key is unknown');
    const { id } = await webhooks.create({ url, sessions: ['shop-*'] }, owner);
    const { id: other } = await create({ sessions: ['other'] });
    storingMs = 500;
    const changed = webhooks.replay(other, 'oldest', me);
    await keys.remove(keyId);
    happen('shop-1', 1);
    await events.settled();
    await delay(100);
    expect(webhooks.get(id, me).status).toBe('active'); // The change has not ended.
    await changed;
    await expect.poll(() => webhooks.get(id, me)).toMatchObject({ status: 'disabled' });
    happen('other', 1);
    await expect.poll(() => accepted('other')).toEqual([1]);
    expect(accepted('shop-1')).toEqual([]);
  });
});

it('expired events are one gap, with the same start at each attempt', async () => {
  maxBytes = 400_000;
  await restart([60_000, 60_000, 60_000]);
  answer = () => 500;
  await create({ sessions: ['main'] });
  happen('main', 0);
  await expect.poll(() => received.length).toBe(1);
  const from = journal.idOf(Number(String(received[0]?.headers['webhook-id']).split('-')[1]) - 1);
  for (const n of upTo(60)) {
    for (const m of upTo(250)) happen('other', n * 250 + m);
    await journal.append({ kind: 'note', name: 'done', session: '', key: '', text: '' });
  }
  await journal.housekeep();
  happen('main', 1);
  for (const attempt of [1, 2]) {
    await restart();
    await expect.poll(() => received.length).toBe(1 + attempt);
  }
  answer = () => 200;
  await restart();
  await expect.poll(() => accepted('main')).toEqual([-1, 1]);
  const gaps = received.map(({ text }) => JSON.parse(text)).filter(({ type }) => type === 'gap');
  expect(gaps.map(({ session, data }) => [session, data.reason, data.from])).toEqual(
    Array.from({ length: 3 }, () => ['main', 'expired', from]),
  );
});

describe('progress', () => {
  it('includes for how long nothing was delivered, also when nothing waits', async () => {
    await restart([]);
    answer = () => 500;
    const { id } = await create();
    happen('main', 0);
    await expect.poll(() => webhooks.deadLetters(id, me)).toHaveLength(1);
    await restart();
    expect(only()).toMatchObject({ status: 'active', waiting: 0 });
    expect(notes.findLast(({ name }) => name === 'webhook_progress')?.text).toMatch(/"failingMs":\d/);
  });

  it('takes little space in the journal, however much is delivered', async () => {
    await create();
    for (const n of upTo(3_000)) happen(`s${n % 10}`, n);
    await expect.poll(() => received.length, { timeout: 60_000 }).toBe(3_000);
    const bytes = notes.reduce((sum, { text }) => sum + text.length, 0);
    expect(bytes / 3_000).toBeLessThan(25);
  });

  it('is stored also after the journal has been slow', async () => {
    await create();
    storingMs = 2_500;
    happen('main', 0);
    await expect.poll(() => notes.filter(({ name }) => name === 'webhook_progress').length).toBe(2);
    happen('main', 1);
    await expect.poll(() => accepted('main')).toEqual([0, 1]);
    await expect.poll(() => notes.length).toBe(3);
    const { position } = JSON.parse(notes.at(-1)?.text ?? '');
    const ofLast = String(received.at(-1)?.headers['webhook-id']);
    expect(events.seqOf(position)).toBeGreaterThanOrEqual(events.seqOf(ofLast));
  });

  it('that the journal has lost is replaced by a gap and all retained events', async () => {
    await create();
    await close();
    rmSync(join(dir, 'journal'), { recursive: true });
    await open();
    happen('main', 0);
    await expect.poll(() => accepted('main')).toEqual([0]);
    const [first] = received;
    expect(JSON.parse(first?.text ?? '')).toMatchObject({ type: 'gap', data: { reason: 'unknown_position' } });
  });
});

describe('an address', () => {
  it.each([
    'http://127.0.0.1:9/',
    'https://127.0.0.1/',
    'https://localhost/',
    'https://169.254.169.254/latest',
    'https://[::1]/',
    'https://10.0.0.1/',
    'https://[::ffff:10.0.0.1]/',
    'http://1.1.1.1/',
    'https://1.1.1.1:25/',
    'https://no.such.host.invalid/',
  ])('%s is refused unless the operator allows it', async (asked) => {
    hosts = [];
    await restart();
    await expect(create({ url: asked })).rejects.toMatchObject({ code: 'url_not_allowed' });
    expect(webhooks.list(me)).toEqual([]);
  });

  it.each([
    ['http', /is not allowed: it is not https/],
    ['https', /is not allowed: .* public address/],
  ])('of %s is checked again at each delivery', async (protocol, why) => {
    await create({ url: url.replace('http', protocol) });
    hosts = [];
    await restart();
    happen('main', 0);
    await expect.poll(() => only()?.lastFailure?.message).toMatch(why);
    expect(received).toEqual([]);
  });
});

it('a key creates and sees webhooks of its own sessions, which are disabled when it is deleted', async () => {
  await create();
  const { id: keyId, key } = await keys.create({ name: 'shop', sessions: ['shop-*', 'main'], scope: 'manage' });
  expect(key).toBeTruthy();
  const caller = keys.caller(keyId);
  if (!caller) throw new Error('the key is unknown');
  expect(webhooks.list(caller)).toEqual([]);
  await expect(webhooks.create({ url, sessions: ['other'] }, caller)).rejects.toMatchObject({
    code: 'session_not_found',
  });
  await expect(webhooks.create({ url, sessions: ['*'] }, caller)).rejects.toMatchObject({
    code: 'session_not_found',
  });
  const { id } = await webhooks.create({ url, sessions: ['shop-a*'] }, caller);
  expect(webhooks.list(caller)).toHaveLength(1);
  expect(webhooks.list(me)).toHaveLength(2);
  const [{ id: foreign = '' } = {}] = webhooks.list(me);
  for (const attempt of [() => webhooks.get(foreign, caller), () => webhooks.deadLetters(foreign, caller)])
    expect(attempt).toThrow('webhook not found');
  await expect(webhooks.remove(foreign, caller)).rejects.toMatchObject({ code: 'webhook_not_found' });
  await keys.remove(keyId);
  await expect.poll(() => webhooks.get(id, me)).toMatchObject({ status: 'disabled', reason: 'no_access' });
  for (const n of upTo(2)) happen('shop-a1', n);
  await expect.poll(() => accepted('shop-a1')).toEqual([0, 1]); // Only by the operator's webhook.
  await restart();
  expect(webhooks.get(id, me)).toMatchObject({ status: 'disabled', reason: 'no_access' });
});

it('a change that waits for another is refused once its key is deleted', async () => {
  const { id: keyId } = await keys.create({ name: 'shops', sessions: ['shop-*'], scope: 'manage' });
  const caller = keys.caller(keyId);
  if (!caller) throw new Error('the key is unknown');
  const [{ id: other }, { id }] = [await create(), await create({ sessions: ['shop-*'] })];
  const before = readFileSync(join(dir, 'webhooks.json'), 'utf8');
  storingMs = 500;
  const outcomes = Promise.allSettled([
    webhooks.replay(other, 'oldest', me),
    webhooks.create({ url }, caller),
    webhooks.update(id, { url: `${url}/theirs`, sessions: ['shop-*'] }, caller),
    webhooks.rotateSecret(id, caller),
    webhooks.replay(id, 'oldest', caller),
    webhooks.remove(id, caller),
  ]);
  await pace(50); // The urls are looked up.
  await keys.remove(keyId);
  const refused = { status: 'rejected', reason: { kind: 'expired_key' } };
  expect(await outcomes).toMatchObject([{ status: 'fulfilled' }, refused, refused, refused, refused, refused]);
  expect(readFileSync(join(dir, 'webhooks.json'), 'utf8')).toBe(before);
});

it('what a webhook stores is charged to its key: without room, its dead letters wait, and only they', async () => {
  maxBytes = 32e6;
  await restart([]);
  answer = () => 500;
  const { id: keyId } = await keys.create({ name: 'shops', sessions: ['shop-*'], scope: 'manage' });
  const caller = keys.caller(keyId);
  if (!caller) throw new Error('the key is unknown');
  const [{ id }, { id: other }] = [
    await webhooks.create({ url }, caller),
    await create({ sessions: ['shop-*'], url: `${url}/other` }),
  ];
  const fill = (bytes: number) => events.requests.append(note('', 'fill', '', 'x'.repeat(bytes)), keyId, 'nothing');
  await fill(5_600_000);
  happen('shop-1', 0);
  await expect.poll(() => webhooks.deadLetters(other, me)).toHaveLength(1);
  await expect.poll(() => webhooks.deliveries(id, me)).toHaveLength(1);
  await pace(200); // More than a dead letter takes.
  expect([webhooks.deadLetters(id, me), webhooks.get(id, me).waiting]).toEqual([[], 1]);
  await fill(1_000_000);
  for (const refused of [webhooks.create({ url }, caller), webhooks.replay(id, 'oldest', caller)])
    await expect(refused).rejects.toMatchObject({ code: 'rate_limited', message: expect.stringContaining('this key') });
  await webhooks.remove(id, caller);
});

it('a key has a share of the webhooks, and all keys together leave some to the operator', async () => {
  const made = await Promise.all(
    upTo(5).map((n) => keys.create({ name: `shop ${n}`, sessions: ['shop-*'], scope: 'manage' })),
  );
  const add = async (n: number, count: number) => {
    const caller = keys.caller(made[n]?.id ?? '');
    if (!caller) throw new Error('the key is unknown');
    for (let times = 0; times < count; times += 1) await webhooks.create({ url }, caller);
  };
  const full = (whose: string) => ({ code: 'rate_limited', message: expect.stringContaining(whose) });
  await add(0, 25);
  await expect(add(0, 1)).rejects.toMatchObject(full('25 webhooks with this key'));
  await add(1, 25);
  await add(2, 25);
  await add(3, 5);
  await expect(add(4, 1)).rejects.toMatchObject(full('80 webhooks with keys'));
  for (let times = 0; times < 20; times += 1) await create();
  await expect(create()).rejects.toMatchObject(full('100 webhooks is'));
  await webhooks.remove(only()?.id ?? '', me);
  await add(0, 1);
});

it('a gateway without a token creates webhooks, which are disabled once it requires one', async () => {
  asksForToken = false;
  await restart();
  const { id } = await webhooks.create({ url }, operator('open', createRevocation().signal));
  happen('main', 0);
  await expect.poll(() => accepted('main')).toEqual([0]);
  asksForToken = true;
  await restart();
  await expect.poll(() => only()).toMatchObject({ status: 'disabled', reason: 'no_access' });
  happen('main', 1);
  await events.settled();
  await webhooks.update(id, { url }, me);
  await expect.poll(() => accepted('main')).toEqual([0, 1]);
});

const first = (text: string) => JSON.stringify((JSON.parse(text) as { readonly webhooks: unknown[] }).webhooks[0]);

describe('stored state', () => {
  it.each<[string, (text: string) => string]>([
    ['is cut off', (text) => text.slice(0, 20)],
    ['has a url that is none', (text) => text.replace('http://', 'http:// ')],
    ['has a url of another kind', (text) => text.replace('http://', 'file://')],
    ['has a pattern that is none', (text) => text.replace('"*"', '"../x"')],
    ['has more webhooks than there can be', (text) => `{"webhooks":[${Array(101).fill(first(text))}]}`],
    ['is null', () => 'null'],
  ])('that %s is set aside; once it is restored, its webhooks continue', async (_, spoil) => {
    const { id } = await create();
    const path = join(dir, 'webhooks.json');
    const text = readFileSync(path, 'utf8');
    await close();
    writeFileSync(path, spoil(text));
    for (const _start of [1, 2]) {
      await open();
      expect([webhooks.list(me), damage.counts.get('webhooks')]).toEqual([[], 1]);
      await close();
    }
    const [aside = ''] = readdirSync(dir).filter((name) => name.startsWith('webhooks.json.unreadable-'));
    expect(readFileSync(join(dir, aside), 'utf8')).toBe(spoil(text));
    writeFileSync(path, text);
    rmSync(join(dir, aside));
    await open();
    expect(webhooks.get(id, me)).toMatchObject({ status: 'active' });
    expect(damage.counts).toEqual(new Map());
    happen('main', 1);
    await expect.poll(() => accepted('main')).toEqual([1]);
    expect(received).toHaveLength(1); // And no gap.
  });

  it('is written completely or not at all', async () => {
    const away = `${dir}.away`;
    happen('main', 0);
    await events.settled();
    renameSync(dir, away); // Like a full disk, it accepts no file. The journal is open.
    await expect(create()).rejects.toMatchObject({ code: 'insufficient_resources' });
    expect(webhooks.list(me)).toEqual([]);
    expect(notes.map(({ name }) => name)).toEqual(['webhook_progress', 'webhook_removed']);
    renameSync(away, dir);
    const { id } = await create();
    renameSync(dir, away);
    const before = webhooks.list(me);
    for (const attempt of [
      () => webhooks.update(id, { url, sessions: ['x'] }, me),
      () => webhooks.rotateSecret(id, me),
      () => webhooks.remove(id, me),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: 'insufficient_resources' });
    expect(webhooks.list(me)).toEqual(before);
    renameSync(away, dir);
  });

  it('is removed with the webhook', async () => {
    const { id } = await create();
    await webhooks.remove(id, me);
    happen('main', 0);
    await events.settled();
    await restart();
    expect(webhooks.list(me)).toEqual([]);
    expect(received).toEqual([]);
  });
});
