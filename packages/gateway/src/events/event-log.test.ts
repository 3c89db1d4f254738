import type { EventName, Message } from '@chat-web/protocol';
import { freshFolder } from '@chat-web/testing/hooks';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Journal, NotStoredError } from '../journal/journal.ts';
import { DeliveredMessages } from './delivered-messages.ts';
import { EventLog } from './event-log.ts';
import type { Entry } from './feed.ts';
import { OpenAcks } from './open-acks.ts';
import { PublishedEvents } from './published-events.ts';
import { SessionMetadata } from './session-metadata.ts';

const NOW = Math.floor(Date.now() / 1_000);
const LIMITS = { maxBytes: 1e9, maxAgeMs: 1e9 };
const log = pino({ enabled: false });
const dir = freshFolder();
let journal: Journal;
let events: EventLog;

beforeEach(async () => {
  await open();
});
afterEach(async () => {
  events.streams.endAll('over'); // They share a timer with other tests of this process.
  await journal.close();
});

async function open(): Promise<void> {
  const folds = { delivered: new DeliveredMessages(), openAcks: new OpenAcks(), published: new PublishedEvents() };
  journal = await Journal.open({ dir, folds: Object.values(folds), ...LIMITS, log });
  events = new EventLog(journal, folds, LIMITS, log);
}

async function restart(): Promise<void> {
  await journal.close();
  await open();
}

function message(id: string, timestamp = NOW): Message {
  return {
    id,
    timestamp,
    chatId: '1@c.us',
    from: '1@c.us',
    to: '2@c.us',
    author: null,
    body: id,
    type: 'chat',
    fromMe: false,
    ack: 1,
    hasMedia: false,
    quotedMsgId: null,
  } as unknown as Message;
}

const turn = () => new Promise(setImmediate);

/** Everything that is stored, as name and key. */
async function stored(session = 'main'): Promise<string[]> {
  await journal.append({ kind: 'note', name: 'done', session: '', key: '', text: '' });
  const feed = events.feed({ after: 'oldest', session, takes: () => true });
  const found: string[] = [];
  while (!feed.isAtEnd)
    for (const { event, text } of await feed.read())
      found.push(`${event} ${JSON.parse(text).id ?? JSON.parse(text).reason}`);
  return found;
}

/** A journal that refuses to store, until `resume`. */
function full() {
  const append = journal.append.bind(journal);
  journal.append = () => Promise.reject(new NotStoredError('no space'));
  return {
    resume: () => {
      journal.append = append;
      return events.resume();
    },
  };
}

function reader(session: string | undefined) {
  const frames: string[] = [];
  events.streams.add(
    {
      takes: (_: string, _name: EventName) => true,
      write: (frame) => frames.push(frame),
      keepAlive: () => {},
      end: (frame) => frames.push(frame),
    },
    session,
  );
  return frames;
}

describe('a message', () => {
  it('is stored once, however often it is reported, even across a restart', async () => {
    events.publishMessage('main', message('a'));
    events.publishMessage('main', message('a'));
    events.publishMessage('other', message('a'));
    await journal.append({ kind: 'note', name: 'done', session: '', key: '', text: '' });
    events.publishMessage('main', message('a'));
    await restart();
    events.publishMessage('main', message('a'));
    events.publishMessage('main', message('b'));
    expect(await stored()).toEqual(['message a', 'message b']);
    expect(await stored('other')).toEqual(['message a']);
    expect(events.deliveredUntil('main')).toBe(NOW - 120);
  });

  it('that was published without its content is published once more with it, even across a restart', async () => {
    const unread = { ...message('a'), body: '', unavailable: 'not_decrypted' } as const;
    events.publishMessage('main', unread);
    events.publishMessage('main', unread);
    await stored();
    expect(events.withoutContent('main')).toEqual(['a']);
    await restart();
    events.publishMessage('main', unread);
    for (const id of ['b', 'a', 'a']) events.publishMessage('main', message(id, NOW + 9_000));
    events.publishMessage('main', unread);
    await stored();
    await restart();
    for (const again of [message('a'), unread]) events.publishMessage('main', again);
    expect(await stored()).toEqual(['message a', 'message b', 'message a']);
    expect(events.withoutContent('main')).toEqual([]);
  });

  it('that comes while it is stored without its content is published, and not in the other order', async () => {
    const unread = { ...message('a'), unavailable: 'view_once' } as const;
    events.publishMessage('main', unread);
    events.publishMessage('main', message('a'));
    events.publishMessage('main', message('b'));
    events.publishMessage('main', { ...message('b'), unavailable: 'view_once' });
    expect(await stored()).toEqual(['message a', 'message a', 'message b']);
  });

  it('that could not be stored is accepted when reported again, and catch-ups look back to its time', async () => {
    events.publishMessage('main', message('a'));
    await stored();
    const disk = full();
    events.publishMessage('main', message('b'));
    events.publishMessage('main', message('sent long ago', NOW - 5_000));
    events.publish('other', { name: 'message_ack', data: { id: 'c', ack: 1 } });
    await turn();
    expect(disk.resume()).toEqual(new Map([['main', NOW - 5_000]]));
    expect(events.deliveredUntil('main')).toBe(NOW - 120);
    await turn();
    await stored();
    expect(events.deliveredUntil('main')).toBe(NOW - 5_000);
    events.publishMessage('main', message('later', NOW + 600));
    events.publishMessage('main', message('b'));
    expect(await stored()).toEqual(['message a', 'message later', 'message b']);
    expect(await stored('other')).toEqual(['gap not_stored']);
    expect(events.resume().size).toBe(0);
    events.caughtUp('main', NOW - 4_999); // Not far enough.
    await stored();
    expect(events.deliveredUntil('main')).toBe(NOW - 5_000);
    events.caughtUp('main', NOW - 5_000);
    await stored();
    expect(events.deliveredUntil('main')).toBeGreaterThan(NOW - 121);
  });

  it('is not dropped when storing fails again at once', async () => {
    const first = full();
    events.publishMessage('main', message('a', NOW - 300));
    events.publish('main', { name: 'message_ack', data: { id: 'c', ack: 1 } });
    await turn();
    const from = new Date().toISOString();
    // The first write after the failure is refused again.
    const again = full();
    expect(events.resume()).toEqual(new Map([['main', NOW - 300]]));
    await turn();
    await turn();
    again.resume();
    await turn();
    first.resume();
    await turn();
    await stored();
    expect(events.deliveredUntil('main')).toBeLessThanOrEqual(NOW - 300 + 120);
    const feed = events.feed({ after: 'oldest', session: 'main', takes: (_, name) => name === 'gap' });
    const [gap] = await feed.read();
    expect(JSON.parse(gap?.text ?? '').from <= from).toBe(true);
  });
});

describe('an ack', () => {
  const acks = async () => {
    await stored();
    const feed = events.feed({ after: 'oldest', session: 'main', takes: () => true });
    return (await feed.read()).map(({ text }) => JSON.parse(text));
  };

  it('is stored once, and only if it increases or is an error, even across a restart', async () => {
    events.publishAck('main', { id: 'a', ack: 1 });
    events.publishAck('main', { id: 'a', ack: 1 });
    events.publishAck('main', { id: 'a', ack: 2 });
    events.publishAck('main', { id: 'a', ack: 1 });
    await stored();
    await restart();
    events.publishAck('main', { id: 'a', ack: 2 });
    events.publishAck('main', { id: 'a', ack: 3 });
    events.publishAck('main', { id: 'b', ack: -1 });
    expect(await acks()).toEqual([
      { id: 'a', ack: 1 },
      { id: 'a', ack: 2 },
      { id: 'a', ack: 3 },
      { id: 'b', ack: -1 },
    ]);
    expect(events.openAcks('main')).toEqual([
      { id: 'a', ack: 3 },
      { id: 'b', ack: -1 },
    ]);
  });
});

describe('a QR', () => {
  it('is never stored, and is delivered after earlier events', async () => {
    const frames = reader('main');
    const all = reader(undefined);
    events.publish('main', { name: 'qr', data: 'data:image/png;base64,A' });
    expect(frames).toEqual(['event: qr\ndata: data:image/png;base64,A\n\n']);
    const cursor = journal.cursor(journal.lastSeq, () => true);
    let atCommit = 0;
    journal.onCommit(() => {
      atCommit = frames.length;
    });
    events.publish('main', { name: 'disconnected', data: { reason: 'LOGOUT', message: '' } });
    events.publish('main', { name: 'qr', data: 'data:image/png;base64,B' });
    await expect.poll(() => frames.length).toBe(2);
    expect(atCommit).toBe(1);
    expect(all[1]).toMatch(/^event: qr\ndata: \{"session":"main","at":".*","data":"data:image\/png;base64,B"\}\n\n$/);
    expect(await cursor.read()).toHaveLength(1);
    expect(await stored()).toEqual(['disconnected LOGOUT']);
  });

  it('or a pairing code in its place is never stored', async () => {
    const frames = reader('main');
    const data = { code: 'ABCD1234', expiresAt: '2026-11-01T12:03:00.000Z' };
    events.publish('main', { name: 'pairing_code', data });
    expect(frames).toEqual([`event: pairing_code\ndata: ${JSON.stringify(data)}\n\n`]);
    expect(await stored()).toEqual([]);
  });

  it('is delivered once to a stream that was opened while it waited, and so has begun with it', async () => {
    events.publish('main', { name: 'disconnected', data: { reason: 'LOGOUT', message: '' } });
    events.publish('main', { name: 'qr', data: 'data:image/png;base64,A' });
    const [frames, all] = [reader('main'), reader(undefined)];
    await expect.poll(() => all.length).toBe(1);
    expect(frames).toEqual([]);
    events.publish('main', { name: 'qr', data: 'data:image/png;base64,B' });
    await expect.poll(() => frames).toEqual(['event: qr\ndata: data:image/png;base64,B\n\n']);
  });

  it('that is outdated when earlier events are stored is not delivered', async () => {
    const frames = reader('main');
    let current: string | undefined;
    const show = (letter: string) => {
      current = `data:image/png;base64,${letter}`;
      const qr = current;
      events.publish('main', { name: 'qr', data: qr }, () => qr === current);
    };
    events.publish('main', { name: 'disconnected', data: { reason: 'LOGOUT', message: '' } });
    show('A');
    show('B');
    await expect.poll(() => frames.length).toBe(1);
    expect(frames).toEqual([expect.stringContaining('base64,B')]);
    events.publish('main', { name: 'message_ack', data: { id: 'c', ack: 1 } });
    show('C');
    current = undefined;
    expect(await stored()).toEqual(['disconnected LOGOUT', 'message_ack c']);
    expect(frames).toHaveLength(1);
  });
});

describe('a status', () => {
  const status = (restarts: number) => ({ name: 'status', data: { status: 'starting', restarts } }) as const;
  const statuses = async () => {
    await events.settled();
    const feed = events.feed({ after: 'oldest', session: 'main', takes: () => true });
    const found: string[] = [];
    while (!feed.isAtEnd)
      for (const { event, text } of await feed.read()) found.push(`${event} ${JSON.parse(text).restarts}`);
    return found;
  };

  it('that could not be stored is stored later unless a newer one followed, and causes no gap', async () => {
    events.publish('main', status(1));
    await events.settled();
    const disk = full();
    for (const restarts of [2, 3]) events.publish('main', status(restarts));
    await turn();
    disk.resume();
    events.publish('main', status(4));
    expect(await statuses()).toEqual(['status 1', 'status 3', 'status 4']);
  });

  it('is stored in its newest version after repeated failures', async () => {
    for (const restarts of [1, 2]) {
      const disk = full();
      events.publish('main', status(restarts));
      await turn();
      journal.append = vi.fn().mockRejectedValueOnce(new NotStoredError('no space'));
      events.resume();
      await turn();
      disk.resume();
    }
    expect(await statuses()).toEqual(['status 1', 'status 2']);
  });
});

it('a session that floods exceeds its share of the journal only by its stored events', async () => {
  await journal.close();
  const folds = { delivered: new DeliveredMessages(), openAcks: new OpenAcks(), published: new PublishedEvents() };
  journal = await Journal.open({ dir, folds: Object.values(folds), ...LIMITS, log });
  events = new EventLog(journal, folds, { maxBytes: 400_000, maxAgeMs: 1e9 }, log);
  events.publishMessage('main', { ...message('a'), body: 'x'.repeat(60_000) });
  for (let times = 0; times < 10; times += 1) events.publishMessage('main', { ...message('a'), body: 'again' });
  for (let times = 0; times < 10; times += 1)
    events.publish('main', { name: 'qr', data: `data:image/png;base64,${'A'.repeat(60_000)}` });
  expect(events.hasExceededShare('main')).toBe(false);
  events.publishMessage('main', { ...message('b'), body: 'ü'.repeat(30_000) });
  expect(events.hasExceededShare('main')).toBe(true);
  expect(events.hasExceededShare('other')).toBe(false);
  const disk = full();
  for (let times = 0; times < 10; times += 1) {
    events.publishMessage('unlucky', { ...message('a'), body: 'x'.repeat(60_000) });
    await turn();
  }
  expect(events.hasExceededShare('unlucky')).toBe(false);
  disk.resume();
  for (let until = NOW; until < NOW + 4_000; until += 1) events.noteDelivered('notes', until);
  expect(events.hasExceededShare('notes')).toBe(true);
  await events.forget('main'); // What it has stored is removed from the disk later.
  expect(events.hasExceededShare('main')).toBe(true);
});

it('metadata is charged to the requests of its session and key: its worker goes on, and it can still be removed', async () => {
  await journal.close();
  const metadata = new SessionMetadata();
  const folds = { delivered: new DeliveredMessages(), openAcks: new OpenAcks(), published: new PublishedEvents() };
  journal = await Journal.open({ dir, folds: [...Object.values(folds), metadata], ...LIMITS, log });
  events = new EventLog(journal, { ...folds, metadata }, { maxBytes: 400_000, maxAgeMs: 1e9 }, log);
  const set = (session: string, value: string, keyId?: string) => events.setMetadata(session, { note: value }, keyId);
  const fill = async () => {
    for (let n = 0; n < 1_000; n += 1) await set('main', `${n}`.padEnd(500, 'x'), 'key');
  };
  await expect(fill()).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: expect.any(Number) });
  expect(journal.stats.bytes).toBeGreaterThan(70_000);
  expect(journal.stats.bytes).toBeLessThan(80_000);
  await expect(set('other', 'x'.repeat(500), 'key')).rejects.toMatchObject({ code: 'rate_limited' });
  await set('main', 'of the operator');
  expect(events.hasExceededShare('main')).toBe(false);
  await events.setMetadata('main', {}, 'key');
  expect(metadata.of('main')).toBeUndefined();
});

it('a session that is forgotten is in no stream, and its next account starts over', async () => {
  events.publishMessage('main', message('a'));
  events.publishMessage('other', message('a'));
  await events.forget('main');
  expect(await stored()).toEqual([]);
  expect(await stored('other')).toEqual(['message a']);
  events.publishMessage('main', message('a'));
  expect(await stored()).toEqual(['message a']);
});

it('a session that is deleted while nothing can be stored is hidden at once, and deleted on disk before anything else is stored', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  events.publishMessage('main', message('a'));
  await stored();
  const disk = full();
  const forgotten = events.forget('main');
  const refused = expect(forgotten).rejects.toThrow('until that has space again');
  await turn();
  await vi.advanceTimersByTimeAsync(6_000);
  await refused;
  const feed = events.feed({ after: 'oldest', session: 'main', takes: () => true });
  expect(await feed.read()).toEqual([]);
  disk.resume();
  await turn();
  events.publishMessage('main', message('of the next account'));
  expect(await stored()).toEqual(['message of the next account']);
  await restart();
  expect(await stored()).toEqual(['message of the next account']);
});

it('a session that is deleted and recreated at once delivers the events of the new one, also to a reader that is reading as they are stored', async () => {
  events.publishMessage('main', message('a'));
  await stored();
  const feed = events.feed({ after: undefined, session: 'main', takes: () => true });
  const read: string[] = [];
  const stop = feed.onMore(() => {
    for (const { text } of feed.read() as Entry[]) read.push(JSON.parse(text).body);
  });
  const forgotten = events.forget('main');
  events.publishMessage('main', message('of the next account'));
  await forgotten;
  stop();
  expect(read).toEqual(['of the next account']);
});

it('streams are limited to 16 for a session and 256 in all; closed ones do not count', () => {
  const stream = { takes: () => true, write: () => {}, keepAlive: () => {}, end: () => {} };
  const closers = Array.from({ length: 16 }, () => events.streams.add(stream, 'main'));
  expect(() => events.streams.add(stream, 'main')).toThrow(/16 event streams/);
  closers[0]?.();
  closers[0]?.();
  expect(events.streams.countOf('main')).toBe(15);
  for (let n = 0; n < 241; n += 1) events.streams.add(stream, `s${n % 20}`);
  expect(() => events.streams.add(stream, 'one more')).toThrow(/256 event streams/);
  events.streams.endAll('over');
  expect(events.streams.countOf('main')).toBe(0);
});

it('one key cannot take all streams, of a session or in all, nor all keys those of the operator', () => {
  const stream = { takes: () => true, write: () => {}, keepAlive: () => {}, end: () => {} };
  const open = (key: string | undefined, session: string | undefined, count: number) => {
    for (let n = 0; n < count; n += 1) events.streams.add(stream, session, key);
  };
  open('a', 'main', 8);
  expect(() => open('a', 'main', 1)).toThrow(/8 event streams of the session are open with this key/);
  open('b', 'main', 6);
  expect(() => open('b', 'main', 1)).toThrow(/14 event streams of the session are open with keys/);
  open(undefined, 'main', 2);
  open('a', undefined, 120);
  expect(() => open('a', undefined, 1)).toThrow(/128 event streams are open with this key/);
  open('b', undefined, 90);
  expect(() => open('c', undefined, 1)).toThrow(/224 event streams are open with keys/);
  open(undefined, undefined, 30);
  expect(() => open(undefined, undefined, 1)).toThrow(/256 event streams are open, which/);
});
