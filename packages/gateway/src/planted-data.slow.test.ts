import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, renameSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS, EVENT_ID } from '@chat-web/protocol';
import { freshFolder } from '@chat-web/testing/hooks';
import fc from 'fast-check';
import { pino } from 'pino';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DeliveredMessages, deliveryNotes } from './events/delivered-messages.ts';
import { OpenAcks } from './events/open-acks.ts';
import { ownMessageNote, PublishedEvents } from './events/published-events.ts';
import { metadataNote, SessionMetadata } from './events/session-metadata.ts';
import { Damage } from './host/damage.ts';
import { checkpointParts, Epochs, type Fold, Forgotten } from './journal/folds.ts';
import {
  type JournalRecord,
  KINDS,
  type Kind,
  maxSeq,
  type NewRecord,
  requireFits,
  writeFrame,
} from './journal/frame.ts';
import { Journal } from './journal/journal.ts';
import { KnownPeople, peopleNotes } from './sends/known-people.ts';
import { keyNotes, SentKeys } from './sends/sent-keys.ts';
import { progressNotes, WebhookProgress } from './webhooks/webhook-progress.ts';

const folder = freshFolder();
const log = pino({ level: 'silent' });
/** Planted before the gateway starts. */
const HIGHEST_SEQ = maxSeq();
const EVENT = {
  kind: 'event',
  name: 'message',
  session: 'main',
  text: '{"timestamp":1,"from":"x","isStatus":false}',
} as const;

// Times in the future count as now.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const newFolds = () => ({
  delivered: new DeliveredMessages(),
  acks: new OpenAcks(),
  published: new PublishedEvents(),
  metadata: new SessionMetadata(),
  keys: new SentKeys(),
  people: new KnownPeople(),
  webhooks: new WebhookProgress(),
});

async function open(dir: string) {
  const damage = new Damage(join(dir, '..'), log);
  const folds = newFolds();
  const journal = await Journal.open({
    dir,
    folds: Object.values(folds),
    maxBytes: 1e9,
    maxAgeMs: DAY_MS,
    log,
    damage,
  });
  return { journal, folds, damage };
}

async function keysIn(journal: Journal): Promise<string[]> {
  const cursor = journal.cursor(journal.oldestSeq - 1, () => true);
  const keys: string[] = [];
  while (!cursor.isAtEnd) for (const one of await cursor.read()) keys.push(one.kind === 'gap' ? one.reason : one.key);
  return keys;
}

/** What a gateway stores on this journal, it still has after a restart, with the same state. Returns the damage. */
async function expectStores(dir: string): Promise<ReadonlyMap<string, number>> {
  const first = await open(dir);
  await first.journal.append({ ...EVENT, key: 'new-1' });
  const id = first.journal.idOf(first.journal.lastSeq);
  expect(id).toMatch(EVENT_ID);
  expect(first.journal.seqOf(id)).toBe(first.journal.lastSeq);
  for (const fold of Object.values(first.folds)) {
    for (const { session, text } of checkpointParts(fold)) {
      requireFits({ kind: 'checkpoint', name: fold.name, session, key: '', text });
      v.parse(fold.stored, JSON.parse(text));
    }
  }
  const stateOf = ({ folds }: typeof first) => Object.values(folds).map((fold: Fold) => [...checkpointParts(fold)]);
  const state = stateOf(first);
  await first.journal.close();
  const second = await open(dir);
  expect(stateOf(second)).toEqual(state);
  expect(second.journal.seqOf(id)).toBeDefined();
  await second.journal.append({ ...EVENT, key: 'new-2' });
  expect((await keysIn(second.journal)).slice(-2)).toEqual(['new-1', 'new-2']);
  await second.journal.close();
  await first.damage.count();
  return first.damage.counts;
}

const newDir = () => {
  const dir = join(folder, String(Math.random()), 'journal');
  mkdirSync(dir, { recursive: true });
  return dir;
};
const segmentOf = (seq: number, revision = 0) => `${String(seq).padStart(16, '0')}.${revision}.journal`;

function frames(records: readonly JournalRecord[]): Buffer {
  const buffer = Buffer.alloc(records.reduce((sum, { text, key }) => sum + 1_000 + 3 * (text.length + key.length), 0));
  return buffer.subarray(
    0,
    records.reduce((end, record) => writeFrame(buffer, end, record), 0),
  );
}

const BLANK = { name: '', session: '', key: '', text: '' };
const begin: NewRecord = { ...BLANK, kind: 'begin', text: '{"version":1}' };
const inOrder = (records: readonly NewRecord[]) => records.map((one, n) => ({ ...one, seq: n + 1, at: Date.now() }));

/** Records that the gateway writes. */
const ours: NewRecord[] = [
  { ...EVENT, key: 'false_1@c.us_A' },
  { ...EVENT, name: 'ready', key: '', text: '{"wid":"1@c.us"}' },
  { ...EVENT, name: 'message_ack', key: '', text: '{"id":"true_1@c.us_A","ack":1}' },
  { ...EVENT, name: 'group_left', key: 'group_left x', text: '{"id":"x"}' },
  deliveryNotes.until('main', 1),
  deliveryNotes.missing('main', 1),
  ownMessageNote('main', 'true_1@c.us_A'),
  metadataNote('main', { customer: '1' }),
  keyNotes.begun('main', 'x'.repeat(22), { fingerprint: 'y'.repeat(22), messageId: '3EB0' }),
  keyNotes.done('main', 'x'.repeat(22), '{}'),
  peopleNotes.first('main', 1),
  peopleNotes.unsent('main', 1),
  peopleNotes.known('main', 1),
  progressNotes.progress('wh_1', {
    position: 'oldest',
    waiting: [{ session: 'main', after: '0-1', attempts: 1, nextAt: 1 }],
  }),
  progressNotes.dead('wh_1', { id: '0-1', event: 'gap', at: '2026-11-27T00:00:00Z', attempts: 1, message: '' }),
  progressNotes.replayed('wh_1', '0-1'),
  { ...BLANK, kind: 'forget', session: 'other' },
  { ...BLANK, kind: 'epoch', name: 'abc', text: '1' },
  { ...BLANK, kind: 'checkpoint_end' },
];

const texts = fc.oneof(
  fc.constantFrom('', 'x', '{', 'null', '[]', '{}', '[null]', '{"version":2}', 'NaN', '-1', '1e300', '"\\ud800"'),
  fc.constantFrom(...ours.map(({ text }) => text)),
  // Later than everything that follows.
  fc.constantFrom('[["main",1099511627776]]', '[{"id":"x","from":1099511627776}]', '1099511627776'),
  fc.json(),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'binary', minLength: 500, maxLength: 70_000 }),
);
const FOLDS = [...Object.values(newFolds()), new Epochs(), new Forgotten()].map(({ name }) => name);
const anyRecord: fc.Arbitrary<NewRecord> = fc.record({
  kind: fc.constantFrom(...(Object.keys(KINDS) as Kind[])),
  name: fc.oneof(fc.constantFrom(...ours.map(({ name }) => name), ...FOLDS), fc.string({ maxLength: 20 })),
  session: fc.constantFrom('', 'main', 'other', '\n', '__proto__'),
  key: fc.oneof(
    fc.constantFrom(...ours.map(({ key }) => key), 'x'.repeat(601)),
    fc.string({ unit: 'binary', maxLength: 1_000 }),
  ),
  text: texts,
});
/** One of ours, with at most one part changed. */
const mutated = fc
  .tuple(fc.constantFrom(...ours), anyRecord, fc.constantFrom('kind', 'name', 'session', 'key', 'text'))
  .map(([own, other, part]) => ({ ...own, [part]: other[part] }));

describe('a journal with intact frames', () => {
  it('of any content: its folds skip what is not theirs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(mutated, anyRecord), { maxLength: 40 }), async (records) => {
        const dir = newDir();
        writeFileSync(join(dir, segmentOf(1)), frames(inOrder([begin, ...records])));
        await expectStores(dir);
      }),
      { numRuns: 100 },
    );
  });

  it('of any content in a checkpoint', async () => {
    const part = fc.record({ name: fc.constantFrom(...FOLDS), session: fc.constantFrom('', 'main'), text: texts });
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 40 }), async (parts) => {
        const dir = newDir();
        const checkpoint = parts.map((one) => ({ ...BLANK, ...one, kind: 'checkpoint' as const }));
        const end: NewRecord = { ...BLANK, kind: 'checkpoint_end' };
        writeFileSync(join(dir, segmentOf(1)), frames(inOrder([begin, ...checkpoint, end, ...ours])));
        await expectStores(dir);
      }),
      { numRuns: 70 },
    );
  });

  it('of any numbers and times', async () => {
    const number = fc.oneof(fc.nat(100), fc.nat(2 ** 31 - 1), fc.constantFrom(HIGHEST_SEQ, 2 ** 47, 2 ** 48 - 1));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...ours), number, number), { maxLength: 20 }),
        fc.oneof(number, fc.constantFrom(Number.MAX_SAFE_INTEGER)),
        fc.constantFrom(0, 7, 999_999_999),
        async (records, first, revision) => {
          const dir = newDir();
          const sorted = records.map(([one, seq, at]) => ({ ...one, seq, at })).sort((a, b) => a.seq - b.seq);
          writeFileSync(join(dir, segmentOf(first, revision)), frames(sorted));
          await expectStores(dir);
        },
      ),
      { numRuns: 70 },
    );
  });

  it.each<[string, number, NewRecord]>([
    ['metadata that are none', 1, { ...metadataNote('main', {}), text: '{' }],
    ['a progress that is none', 1, { ...progressNotes.replayed('wh_1', ''), name: 'webhook_progress', text: '{' }],
    ['a key that is none', 1, { ...keyNotes.free('main', 'x'), name: 'key_begun', text: 'x' }],
    ['a message of ours whose id is too long', 1, { ...ownMessageNote('main', ''), key: 'x'.repeat(601) }],
    // Two folds read messages.
    ['a message that is none', 2, { ...EVENT, key: 'x', text: '{' }],
    ['our own', 0, metadataNote('main', { customer: '1' })],
  ])('with %s, counts %i skipped', async (_, skipped, record) => {
    const dir = newDir();
    writeFileSync(join(dir, segmentOf(1)), frames(inOrder([begin, record])));
    expect((await expectStores(dir)).get('journal_records') ?? 0).toBe(skipped);
  });

  it('shows readers a gap in place of an event that is not JSON, or would break a stream', async () => {
    const dir = newDir();
    const texts = ['{}', '{', '[1,\n\n2]', 'null', '{"x":1}'];
    const events = texts.map((text, n) => ({ ...EVENT, name: 'call', key: `${n}`, text }));
    writeFileSync(join(dir, segmentOf(1)), frames(inOrder([begin, ...events])));
    const { journal } = await open(dir);
    const readsText = journal.cursor(0, (_session, _name, record) => JSON.parse(record?.text ?? '0') !== 1);
    const seen = (await readsText.read()).map((one) => (one.kind === 'gap' ? `${one.from}-${one.to}` : one.key));
    expect(seen).toEqual(['0', '2-3', '3-4', '4-5', '4']);
    expect(await keysIn(journal)).toEqual(['0', 'damaged', 'damaged', 'damaged', '4']);
    await journal.close();
  });
});

/** Bytes at which many long frames seem to begin, none of which is intact. */
function likeFrames(bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes, 1);
  // The third and fourth byte of each length, so that it is 8 MB.
  for (let at = 0; at + 8 < bytes; at += 8) buffer.set([0x7f, 0], at + 6);
  return buffer;
}

it('a segment of bytes that look like frames is not searched for hours', async () => {
  const dir = newDir();
  const bytes = likeFrames(16 * 1_048_576);
  // The control: to check each of these frames whole, a search would have to read terabytes.
  let claimed = 0;
  for (let at = 0; at + 8 < bytes.length; at += 8) {
    const length = bytes.readUInt32LE(at + 4);
    if (at + 8 + length <= bytes.length) claimed += length;
  }
  expect(claimed).toBeGreaterThan(8e12);
  writeFileSync(join(dir, segmentOf(1)), bytes);
  await expectStores(dir);
}, 60_000);

it('a segment with the highest revision can be rewritten', async () => {
  const dir = newDir();
  const gone = { ...EVENT, session: 'gone', key: 'gone' };
  writeFileSync(join(dir, segmentOf(1, 999_999_999)), frames(inOrder([begin, gone, { ...EVENT, key: 'kept' }])));
  const { journal } = await open(dir);
  await journal.append({ ...BLANK, kind: 'forget', session: 'gone' });
  await journal.housekeep();
  await journal.close();
  expect(readdirSync(dir).sort()[0]).toBe(segmentOf(1, 0));
  const again = await open(dir);
  expect(await keysIn(again.journal)).toEqual(['kept']);
  await again.journal.close();
});

it('a reader gets a gap for a segment that is replaced while the journal is open, and goes on', async () => {
  for (const replace of ['a pipe', 'a full folder', 'a link to a device', 'a link to nowhere']) {
    const dir = newDir();
    writeFileSync(join(dir, segmentOf(1)), frames(inOrder([begin, { ...EVENT, key: 'old' }])));
    const { journal } = await open(dir);
    vi.advanceTimersByTime(DAY_MS / 2);
    await journal.housekeep(); // It is too old for another record.
    await journal.append({ ...EVENT, key: 'new' });
    renameSync(join(dir, segmentOf(1)), join(dir, 'moved'));
    KINDS_OF_ENTRY[replace]?.(join(dir, segmentOf(1)));
    expect(await keysIn(journal)).toEqual(['damaged', 'new']);
    expect(await journal.find(2)).toBeUndefined();
    await journal.close();
  }
});

/** What a worker can create at a path. */
const KINDS_OF_ENTRY: Readonly<Record<string, (path: string) => void>> = {
  'an empty folder': (path) => mkdirSync(path),
  'a full folder': (path) => mkdirSync(join(path, 'x', 'y'), { recursive: true }),
  'a link to nowhere': (path) => symlinkSync('nowhere', path),
  'a link to itself': (path) => symlinkSync(path, path),
  'a link to a device': (path) => symlinkSync('/dev/zero', path),
  'a pipe': (path) => execFileSync('mkfifo', [path]),
  'a file without permissions': (path) => writeFileSync(path, frames(inOrder([begin])), { mode: 0 }),
  'an empty file': (path) => writeFileSync(path, ''),
  'a file of zeros': (path) => writeFileSync(path, Buffer.alloc(5_000)),
  'a file with a hole of 2 GB': (path) => {
    writeFileSync(path, '');
    truncateSync(path, 2 ** 31 + 1);
  },
  garbage: (path) => writeFileSync(path, Buffer.from(Array.from({ length: 5_000 }, (_, n) => (n * 7_919) % 251))),
  'a later version': (path) => writeFileSync(path, frames(inOrder([{ ...begin, text: '{"version":2}' }]))),
};
const NAMES = [
  ...[0, 1, 2, 3, 50, HIGHEST_SEQ, 2 ** 48, Number.MAX_SAFE_INTEGER].map((seq) => segmentOf(seq)),
  segmentOf(1, 1),
  segmentOf(1, 999_999_999),
  'x.unfinished',
  `${segmentOf(1)}.unfinished`,
  `${segmentOf(3)}.unfinished`,
  'x',
];

describe('a journal folder with planted entries', () => {
  it('of any kind at any name opens, and stores', async () => {
    const entry = fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...Object.keys(KINDS_OF_ENTRY)));
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(entry, { selector: ([name]) => name, maxLength: 5 }), async (entries) => {
        const dir = newDir();
        for (const [name, kind] of entries) KINDS_OF_ENTRY[kind]?.(join(dir, name));
        await expectStores(dir);
      }),
      { numRuns: 70 },
    );
  });

  it.each(Object.keys(KINDS_OF_ENTRY))('%s as the newest segment: keeps the older ones, and stores', async (kind) => {
    const dir = newDir();
    const { journal } = await open(dir);
    await journal.append({ ...EVENT, key: 'old' });
    await journal.close();
    KINDS_OF_ENTRY[kind]?.(join(dir, segmentOf(50)));
    await expectStores(dir);
    const again = await open(dir);
    expect((await keysIn(again.journal)).filter((key) => key !== 'damaged')).toEqual(['old', 'new-1', 'new-2']);
    await again.journal.close();
  });

  it('reports what was set aside until it is removed', async () => {
    const dir = newDir();
    mkdirSync(join(dir, segmentOf(1)));
    mkdirSync(join(dir, 'x.unfinished'));
    expect(await expectStores(dir)).toEqual(new Map([['journal', 1]]));
    expect(readdirSync(dir).filter((name) => name.includes('unfinished'))).toEqual([]);
    expect(await expectStores(dir)).toEqual(new Map([['journal', 1]]));
  });

  it('that is planted while it is open goes on storing', async () => {
    const dir = newDir();
    const { journal, damage } = await open(dir);
    for (let seq = 1; seq < 100; seq += 1) mkdirSync(join(dir, segmentOf(seq), 'x'), { recursive: true });
    await journal.append({ ...EVENT, key: 'new' });
    expect(lstatSync(join(dir, segmentOf(1))).isFile()).toBe(true);
    expect(damage.counts.get('journal')).toBe(1);
    await journal.close();
    await expectStores(dir);
  });
});
