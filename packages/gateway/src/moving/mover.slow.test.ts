import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MB, pause, type SessionEvent } from '@chat-web/protocol';
import { ARCHIVE_FILES, archive, manifestOf, sentMessage, temporaryFolder } from '@chat-web/testing';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { DeliveredMessages } from '../events/delivered-messages.ts';
import { EventLog } from '../events/event-log.ts';
import { OpenAcks } from '../events/open-acks.ts';
import { PublishedEvents } from '../events/published-events.ts';
import { Journal, NotStoredError } from '../journal/journal.ts';
import { SentKeys } from '../sends/sent-keys.ts';
import { Lineages } from '../sessions/lineages.ts';
import { SavedSessions } from '../sessions/saved-sessions.ts';
import { Mover, type MoverDependencies } from './mover.ts';

/** An answer to a send of 256 KB. */
const ANSWER = JSON.stringify(sentMessage({ body: 'x'.repeat(MB / 4 - 300) }));

const log = pino({ level: 'silent' });

async function arrivals() {
  const folder = temporaryFolder();
  const limits = { maxBytes: 32 * MB, maxAgeMs: 3_600_000 };
  const [delivered, openAcks, published] = [new DeliveredMessages(), new OpenAcks(), new PublishedEvents()];
  const keys = new SentKeys();
  const folds = [delivered, openAcks, published, keys];
  const journal = await Journal.open({ dir: join(folder.path, 'journal'), folds, ...limits, log });
  const events = new EventLog(journal, { delivered, openAcks, published }, limits, log);
  const saved = new SavedSessions(folder.path, join(folder.path, 'pages'));
  const lineages = new Lineages(join(folder.path, 'moves'), log);
  await lineages.load(() => true);
  await saved.load(log);
  const dependencies = {
    saved,
    lineages,
    events,
    journal,
    states: { folds: [keys], others: [] },
    version: '1',
    log,
    config: { importMaxBytes: 1e9, minFreeDiskBytes: 0 },
    supervisor: { forImport: () => ({ moveIn: (place: () => Promise<void>) => place() }) },
  } as unknown as MoverDependencies;
  const mover = new Mover(dependencies);
  const over = new AbortController();
  /** A sender that sends a byte from time to time, until it is cut off. */
  async function* slowly() {
    for (;;) {
      yield Buffer.alloc(1);
      over.signal.throwIfAborted();
      await pause(60_000, over.signal);
      over.signal.throwIfAborted();
    }
  }
  const { signal } = new AbortController();
  const begin = (id: string, keyId?: string) => mover.import(id, { archive: slowly(), digests: [] }, { keyId, signal });
  async function* whole(bytes: Buffer) {
    yield* [bytes].filter(({ length }) => length > 0);
  }
  const send = (id: string, bytes: Buffer, keyId?: string) =>
    mover.import(id, { archive: whole(bytes), digests: [] }, { keyId, signal });
  return {
    mover,
    folder,
    saved,
    events,
    journal,
    send,
    begin,
    cut: () => over.abort(new Error('cut')),
    [Symbol.asyncDispose]: async () => {
      await journal.close();
      folder[Symbol.dispose]();
    },
  };
}

it('one key imports at most two sessions at a time, all keys six; the other slots remain for other callers', async () => {
  await using all = await arrivals();
  const under = [all.begin('a', 'key'), all.begin('b', 'key'), all.begin('c', 'another'), all.begin('d')];
  const outcomes = Promise.allSettled(under);
  await expect(all.begin('e', 'key')).rejects.toMatchObject({
    code: 'insufficient_resources',
    retryAfterSeconds: 10,
    message: expect.stringContaining('with this key'),
  });
  const more = Promise.allSettled([all.begin('f', 'another'), all.begin('g', 'third'), all.begin('h', 'third')]);
  await expect(all.begin('i', 'fourth')).rejects.toMatchObject({
    message: '6 sessions are being imported with keys, which is the limit',
  });
  const last = Promise.allSettled([all.begin('j')]);
  await expect(all.begin('k')).rejects.toMatchObject({ message: '8 sessions are being imported, which is the limit' });
  all.cut();
  const all8 = [...(await outcomes), ...(await more), ...(await last)];
  expect(all8.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 'rejected'));
});

/** The archive of a session with that many answers. `moves`: how often it has moved. */
function archiveWith(answers: number, { session = 'main', moves = 1 } = {}): Buffer {
  const lines = Array.from({ length: answers }, (_, n) => {
    const [hash, fingerprint] = [String(n).padStart(22, 'k'), 'f'.repeat(22)];
    return JSON.stringify({ name: 'keys', part: [{ hash, fingerprint, beganAt: Date.now(), answer: ANSWER }] });
  });
  const files = [{ name: 'state.jsonl', text: `${lines.join('\n')}\n` }, ...ARCHIVE_FILES.slice(1)];
  const generations = Array.from({ length: moves }, (_, n) => `000000000000000${n}`);
  return archive(manifestOf(files, { session, generations }), files);
}

describe('the share of the journal for imports', () => {
  it('is a quarter of the journal; a larger archive never fits', async () => {
    await using all = await arrivals();
    const before = all.journal.lastSeq;
    await expect(all.send('main', archiveWith(33))).rejects.toMatchObject({
      code: 'body_too_large',
      message: expect.stringContaining('(9 MB) is more than a quarter of the journal of this gateway (32 MB)'),
    });
    expect([all.journal.lastSeq, all.saved.has('main')]).toEqual([before, false]);
  });

  it('is refilled, and is separate from the share of the worker', async () => {
    await using all = await arrivals();
    await all.send('main', archiveWith(31));
    await expect(all.send('main', archiveWith(2, { moves: 2 }))).rejects.toMatchObject({
      code: 'insufficient_resources',
      retryAfterSeconds: expect.any(Number),
      message: expect.stringContaining('CHAT_WEB_JOURNAL_MAX_MB'),
    });
    for (let n = 0; n < 7; n += 1)
      all.events.publish('main', { name: 'status', data: { reason: 'x'.repeat(MB) } } as unknown as SessionEvent);
    expect(all.events.hasExceededShare('main')).toBe(false);
  });

  it('is the same for a key, in all its sessions', async () => {
    await using all = await arrivals();
    const send = (session: string, keyId: string | undefined) => all.send(session, archiveWith(20, { session }), keyId);
    await send('shop-1', 'key');
    await expect(send('shop-2', 'key')).rejects.toMatchObject({
      code: 'insufficient_resources',
      message: expect.stringContaining('with this key'),
    });
    for (const keyId of ['other', undefined]) await send(`shop-${keyId}`, keyId);
  });

  it('is not charged for records that are not stored', async () => {
    await using all = await arrivals();
    const { append } = all.journal;
    for (let times = 0; times < 3; times += 1) {
      all.journal.append = () => Promise.reject(new NotStoredError('no space'));
      await expect(all.send('main', archiveWith(31))).rejects.toMatchObject({ code: 'insufficient_resources' });
      all.journal.append = append;
    }
    await all.send('main', archiveWith(31));
    expect(all.saved.has('main')).toBe(true);
  });
});

it('the profile of an imported session says which browser has written it', async () => {
  await using all = await arrivals();
  await all.send('main', archive(manifestOf(ARCHIVE_FILES, { browser: '156.0.8078.108' })));
  const path = join(all.saved.profileOf('main'), 'Last Version');
  expect(readFileSync(path, 'utf8')).toBe('156.0.8078.108');
});

it('counts refused and failed imports; a request without bytes does not count', async () => {
  await using all = await arrivals();
  for (const bytes of [Buffer.alloc(512), Buffer.alloc(0)])
    await expect(all.send('a', bytes)).rejects.toMatchObject({ code: 'invalid_archive' });
  const aborted = all.begin('a').catch(() => {});
  all.cut();
  await aborted;
  rmSync(join(all.folder.path, 'arriving'), { recursive: true });
  writeFileSync(join(all.folder.path, 'arriving'), '');
  await expect(all.send('a', Buffer.alloc(512))).rejects.toThrow();
  expect(all.mover.counts).toEqual({ exported: 0, imported: 0, refused: 1, failed: 2 });
});

it('an import that takes more than two hours is refused', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  await using all = await arrivals();
  let outcome: unknown;
  void all.begin('a').catch((error: unknown) => {
    outcome = error;
  });
  // It starts to read once its folder is on disk, however long that takes.
  while (outcome === undefined) {
    await vi.advanceTimersByTimeAsync(60_000);
    await new Promise(setImmediate);
  }
  expect(outcome).toMatchObject({ code: 'request_timeout' });
});
