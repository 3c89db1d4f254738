import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { DAY_MS } from '@chat-web/protocol';
import { pace } from '@chat-web/testing';
import fc from 'fast-check';
import * as v from 'valibot';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Cursor, type Gap, type Source } from './cursor.ts';
import type { Fold } from './folds.ts';
import { type JournalRecord, writeFrame } from './frame.ts';
import { Journal, type JournalDependencies } from './journal.ts';
import { SegmentReader, segmentsIn } from './segment.ts';

const roots: string[] = [];
const opened = new Set<Journal>();

afterEach(async () => {
  vi.useRealTimers();
  for (const journal of opened) await journal.close();
  opened.clear();
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

function newRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'chat-web-journal-'));
  roots.push(root);
  return root;
}

const silent = { info: () => {}, warn: () => {}, error: () => {} };

async function openJournal(dir: string, options: Partial<JournalDependencies> = {}): Promise<Journal> {
  const journal = await Journal.open({ dir, folds: [], maxBytes: 1e9, maxAgeMs: 3 * DAY_MS, log: silent, ...options });
  opened.add(journal);
  return journal;
}

async function close(journal: Journal): Promise<void> {
  opened.delete(journal);
  await journal.close();
}

async function reopen(journal: Journal, ...args: Parameters<typeof openJournal>): Promise<Journal> {
  await close(journal);
  return openJournal(...args);
}

function event(text: string, session = 'main') {
  return { kind: 'event', name: 'message', session, key: text, text: JSON.stringify({ text }) } as const;
}

async function appendAll(journal: Journal, keys: readonly string[], session = 'main'): Promise<void> {
  await Promise.all(keys.map((key) => journal.append(event(key, session))));
}

/** The same with records of 10 KB. */
async function appendLong(journal: Journal, keys: readonly string[], session = 'main'): Promise<void> {
  await Promise.all(
    keys.map((key) => journal.append({ ...event(key, session), text: `{"x":"${'0'.repeat(10_000)}"}` })),
  );
}

function sourceOf(journal: Journal): Source {
  const { lastSeq, segments, recent, recentAfter, turns } = journal;
  return { lastSeq, segments, recent, recentAfter, turns, isForgotten: (...args) => journal.isForgotten(...args) };
}

async function drain(cursor: Cursor): Promise<(JournalRecord | Gap)[]> {
  const found: (JournalRecord | Gap)[] = [];
  while (!cursor.isAtEnd) found.push(...(await cursor.read()));
  return found;
}

async function keysOf(journal: Journal, after = 0, filter = (_session: string, _name: string) => true) {
  return (await drain(journal.cursor(after, filter))).map((one) => (one.kind === 'gap' ? one.reason : one.key));
}

function filesIn(dir: string): string[] {
  return readdirSync(dir)
    .sort()
    .map((name) => join(dir, name));
}

function numbered(count: number, prefix = 'n'): string[] {
  return Array.from({ length: count }, (_, n) => `${prefix}${n}`);
}

class Counts implements Fold {
  readonly name = 'counts';
  readonly stored = v.number();
  readonly seen = new Map<string, number>();

  apply({ kind, session }: JournalRecord): void {
    if (kind === 'event') this.seen.set(session, (this.seen.get(session) ?? 0) + 1);
    if (kind === 'forget') this.seen.delete(session);
  }

  sessions(): Iterable<string> {
    return this.seen.keys();
  }

  partsOf(session: string): number[] {
    return [this.seen.get(session) ?? 0];
  }

  restore(session: string, count: number): void {
    this.seen.set(session, count);
  }
}

describe('a journal', () => {
  it('returns the appended records in order, from memory and from disk', async () => {
    const dir = newRoot();
    const journal = await openJournal(dir);
    await appendAll(journal, numbered(2_500));
    expect(await keysOf(journal)).toEqual(numbered(2_500));
    const again = await reopen(journal, dir);
    expect(await keysOf(again)).toEqual(numbered(2_500));
    await appendAll(again, ['one more']);
    expect((await keysOf(again)).slice(-2)).toEqual(['n2499', 'one more']);
  });

  it('shows nothing before it is on disk', async () => {
    const dir = newRoot();
    const journal = await openJournal(dir);
    const cursor = journal.cursor(journal.lastSeq, () => true);
    const bytesWhenSeen: Promise<string> = new Promise((resolve) => {
      journal.onCommit(() => resolve(readFileSync(filesIn(dir)[0] ?? '', 'utf8')));
    });
    const stored = journal.append(event('first'));
    expect(cursor.isAtEnd).toBe(true);
    expect(await bytesWhenSeen).toContain('first');
    await stored;
    expect(await cursor.read()).toMatchObject([{ key: 'first' }]);
  });

  it('filters by session and name', async () => {
    const journal = await openJournal(newRoot());
    await appendAll(journal, ['a1', 'a2'], 'a');
    await appendAll(journal, ['b1'], 'b');
    await journal.append({ ...event('a3', 'a'), name: 'ready' });
    await journal.append({ ...event('note', 'a'), kind: 'note' });
    expect(await keysOf(journal, 0, (session) => session === 'a')).toEqual(['a1', 'a2', 'a3']);
    expect(await keysOf(journal, 0, (_, name) => name === 'ready')).toEqual(['a3']);
  });

  it('seeks to just before a position in a part that it has already read', async () => {
    const dir = newRoot();
    const before = await openJournal(dir);
    for (let n = 0; n < 10; n += 1) await appendLong(before, numbered(100, `${n}-`));
    const journal = await reopen(before, dir);
    const all = await drain(journal.cursor(0, () => true));
    expect(all).toHaveLength(1_000);
    const reads = vi.spyOn(SegmentReader.prototype, 'next');
    for (const at of [0, 1, 25, 26, 27, 500, 733, 998]) {
      reads.mockClear();
      const cursor = journal.cursor((all[at] as JournalRecord).seq, () => true);
      const [following] = [await cursor.read(), await cursor.read()].flat();
      expect(following).toEqual(all[at + 1]);
    }
    expect(await keysOf(journal, (all[900] as JournalRecord).seq)).toEqual(numbered(100, '9-').slice(1));
    reads.mockRestore();
  });

  it('takes records of a megabyte, and refuses longer ones than it can read', async () => {
    const dir = newRoot();
    const journal = await openJournal(dir);
    const long = JSON.stringify({ text: 'é'.repeat(1_000_000) });
    await journal.append({ ...event('long'), text: long });
    await journal.append(event('after'));
    await expect(journal.append({ ...event('too long'), text: long.repeat(5) })).rejects.toThrow('text');
    const again = await reopen(journal, dir);
    expect(await drain(again.cursor(0, () => true))).toMatchObject([{ text: long }, { key: 'after' }]);
  });

  it('recovers from a torn tail, cut at each byte of the last record', async () => {
    const dir = newRoot();
    const journal = await openJournal(dir);
    await appendAll(journal, ['kept']);
    const [path = ''] = filesIn(dir);
    const start = readFileSync(path).length;
    await appendAll(journal, ['torn']);
    await close(journal);
    const whole = readFileSync(path);
    const copy = newRoot();
    const copied = join(copy, path.slice(dir.length + 1));
    for (let length = start; length < whole.length; length += 1) {
      writeFileSync(copied, whole.subarray(0, length));
      const cut = await openJournal(copy);
      expect(await keysOf(cut)).toEqual(['kept']);
      await cut.append(event('later'));
      const again = await reopen(cut, copy);
      expect(await keysOf(again)).toEqual(['kept', 'later']);
      await close(again);
    }
  });

  it('skips damaged records, and reports a gap', async () => {
    const dir = newRoot();
    const journal = await openJournal(dir);
    await appendAll(journal, numbered(20));
    await close(journal);
    const [path = ''] = filesIn(dir);
    const whole = readFileSync(path);
    const at = whole.indexOf('"n7"');
    for (const bit of [0, 3, 7]) {
      for (const offset of [at, at - 30, at - 38]) {
        const flipped = Buffer.from(whole);
        flipped[offset] = (flipped[offset] ?? 0) ^ (1 << bit);
        writeFileSync(path, flipped);
        const again = await openJournal(dir);
        const keys = await keysOf(again);
        expect(keys.filter((key) => key === 'damaged')).toHaveLength(1);
        const lost = numbered(20).filter((key) => !keys.includes(key));
        expect(lost).toHaveLength(1);
        expect(keys.filter((key) => key !== 'damaged')).toEqual(numbered(20).filter((key) => key !== lost[0]));
        await close(again);
      }
    }
  });

  it('restores folds from the checkpoint of its newest segment', async () => {
    const dir = newRoot();
    const counts = new Counts();
    const journal = await openJournal(dir, { folds: [counts], maxBytes: 400_000 });
    for (let n = 0; n < 40; n += 1) await appendLong(journal, numbered(10), n % 3 === 0 ? 'a' : 'b');
    await journal.housekeep();
    expect(journal.oldestSeq).toBeGreaterThan(1);
    await close(journal);
    const restored = new Counts();
    await openJournal(dir, { folds: [restored], maxBytes: 400_000 });
    expect(restored.seen).toEqual(counts.seen);
    expect(restored.seen).toEqual(
      new Map([
        ['a', 140],
        ['b', 260],
      ]),
    );
  });

  it('restores folds although the newest checkpoint is damaged', async () => {
    const dir = newRoot();
    const counts = new Counts();
    const journal = await openJournal(dir, { folds: [counts], maxBytes: 400_000 });
    for (let n = 0; n < 10; n += 1) await appendLong(journal, numbered(3), 'a');
    await close(journal);
    const last = filesIn(dir).at(-1) ?? '';
    const damaged = readFileSync(last);
    damaged[30] = (damaged[30] ?? 0) ^ 1;
    writeFileSync(last, damaged);
    const restored = new Counts();
    const again = await openJournal(dir, { folds: [restored], maxBytes: 400_000 });
    expect(restored.seen).toEqual(counts.seen);
    await appendAll(again, ['more'], 'a');
    expect(restored.seen.get('a')).toBe(31);
  });

  it('sets a segment of another version aside, and keeps the others', async () => {
    const dir = newRoot();
    const present = await openJournal(dir);
    await appendAll(present, ['present']);
    const { lastSeq } = present;
    await close(present);
    const later = join(dir, `${String(lastSeq + 1).padStart(16, '0')}.0.journal`);
    const begin = { kind: 'begin', name: '', session: '', key: '', text: '{"version":2}' } as const;
    const frame = Buffer.alloc(1_000);
    writeFileSync(later, frame.subarray(0, writeFrame(frame, 0, { ...begin, seq: lastSeq + 1, at: Date.now() })));
    const again = await openJournal(dir);
    await appendAll(again, ['new']);
    expect(await keysOf(again)).toEqual(['present', 'new']);
    expect(filesIn(dir).filter((path) => path.startsWith(`${later}.unreadable-`))).toHaveLength(1);
  });
});

describe('ids', () => {
  it('are known to the journal that issued them, also after restarts', async () => {
    const dir = newRoot();
    const journal = await openJournal(dir);
    await appendAll(journal, ['one']);
    const [first, firstId] = [journal.lastSeq, journal.idOf(journal.lastSeq)];
    const again = await reopen(journal, dir);
    await appendAll(again, ['two']);
    expect(again.seqOf(firstId)).toBe(first);
    expect(again.idOf(first)).toBe(firstId);
    expect(again.seqOf(again.idOf(again.lastSeq))).toBe(again.lastSeq);
    const [epoch] = again.idOf(again.lastSeq).split('-');
    for (const unknown of [`${epoch}-${again.lastSeq + 1}`, `${epoch}-1`, 'other-1', '', `${epoch}-`, `${epoch}-1e3`])
      expect(again.seqOf(unknown)).toBeUndefined();
  });

  it('stay known whenever a reader started, even while a segment is created for the first record', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const dir = newRoot();
    for (const opening of numbered(3)) {
      const journal = await openJournal(dir);
      vi.advanceTimersByTime(DAY_MS);
      await journal.housekeep(); // The segment of the previous opening is too old for another record.
      const given = new Set<string>();
      let isStored = false;
      const storing = appendAll(journal, [opening]).finally(() => {
        isStored = true;
      });
      for (; !isStored; await turn()) given.add(journal.idOf(journal.cursor(undefined, () => true).position));
      await storing;
      expect([...given].filter((id) => journal.seqOf(id) === undefined)).toEqual([]);
      await close(journal);
    }
    expect(filesIn(dir)).toHaveLength(3);
  });

  it('are known after a kill that left a first segment without records', async () => {
    const dir = newRoot();
    const killed = await openJournal(dir);
    await appendAll(killed, ['not written']);
    const [segment] = killed.segments;
    await close(killed);
    const chunk = segment && (await new SegmentReader(segment).next());
    const end = chunk?.frames.find((frame) => frame.record().kind === 'checkpoint_end')?.end;
    truncateSync(segment?.path ?? '', end);
    const journal = await openJournal(dir);
    const id = journal.idOf(journal.cursor(undefined, () => true).position);
    await appendAll(journal, ['first']);
    expect(await keysOf(journal, journal.seqOf(id))).toEqual(['first']);
    expect(journal.seqOf(id)).toBeGreaterThan(0);
  });

  it('are not used twice when the folder is restored from an older copy', async () => {
    const [dir, copy] = [newRoot(), newRoot()];
    const journal = await openJournal(dir);
    await appendAll(journal, ['before']);
    const before = journal.idOf(journal.lastSeq);
    cpSync(dir, copy, { recursive: true });
    await appendAll(journal, ['lost with the restore']);
    const lost = journal.idOf(journal.lastSeq);
    const restored = await reopen(journal, copy);
    await appendAll(restored, ['after', 'and more']);
    expect(restored.seqOf(before)).toBeDefined();
    expect(restored.seqOf(lost)).toBeUndefined();
    expect(restored.idOf(restored.lastSeq)).not.toBe(lost);
    expect(await keysOf(restored)).toEqual(['before', 'after', 'and more']);
  });
});

describe('a reader that starts at a time', () => {
  const keysSince = async (journal: Journal, time: number) => {
    const found = await drain(journal.cursorSince(time, () => true));
    return found.map((one) => (one.kind === 'gap' ? one.reason : one.key));
  };

  it('gets the first later event and all following ones, in any segment, and reads few earlier ones', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const journal = await openJournal(newRoot(), { maxBytes: 4_000_000 });
    const startedAt = Date.now();
    for (let n = 0; n < 300; n += 1) {
      await appendLong(journal, [`${n}`]);
      vi.advanceTimersByTime(1_000);
    }
    expect(journal.segments.length).toBeGreaterThan(4);
    for (const n of [-100, 0, 1, 47, 48, 49, 150, 298, 299, 300]) {
      const expected = numbered(300, '').slice(Math.max(0, n));
      expect(await keysSince(journal, startedAt + n * 1_000 - 1)).toEqual(expected);
      expect(await keysSince(journal, startedAt + n * 1_000)).toEqual(n < 0 ? expected : expected.slice(1));
    }
    const positionOf = (time: number) => journal.cursorSince(time, () => true).position;
    expect(positionOf(startedAt - 1)).toBe(journal.oldestSeq - 1);
    for (const n of [50, 100]) {
      const time = startedAt + n * 1_000;
      const [first] = (await drain(journal.cursorSince(time, () => true))) as JournalRecord[];
      const own = journal.segments.findLastIndex(({ firstSeq }) => firstSeq <= (first?.seq ?? 0));
      const begins = journal.segments.slice(own - 1, own + 1).map(({ firstSeq }) => firstSeq - 1);
      expect(begins).toContain(positionOf(time));
    }
    expect(positionOf(startedAt + 299_000)).toBe(journal.recentAfter); // From memory.
    const future = journal.cursorSince(Date.now() + 1_000, () => true);
    await appendAll(journal, ['next']);
    expect(await drain(future)).toMatchObject([{ key: 'next' }]);
  });

  it('gets later records, even with earlier times after the clock was set back', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const journal = await openJournal(newRoot());
    await appendAll(journal, ['before']);
    const time = Date.now();
    const cursor = journal.cursorSince(time, () => true);
    vi.advanceTimersByTime(1_000);
    const early = journal.cursorSince(time, () => true);
    await appendAll(journal, ['after']);
    vi.setSystemTime(time - 60_000);
    await appendAll(journal, ['set back']);
    for (const one of [cursor, early]) expect(await drain(one)).toMatchObject([{ key: 'after' }, { key: 'set back' }]);
  });

  it('gets the same after a restart', async () => {
    const dir = newRoot();
    const journal = await openJournal(dir, { maxBytes: 4_000_000 });
    await appendLong(journal, numbered(100, 'a'));
    await pace(10);
    const time = Date.now();
    await pace(10);
    await appendLong(journal, numbered(100, 'b'));
    const again = await reopen(journal, dir, { maxBytes: 4_000_000 });
    await appendAll(again, ['c']);
    expect(await keysSince(again, time)).toEqual([...numbered(100, 'b'), 'c']);
  });
});

describe('readers of old events', () => {
  const nothing = () => false;

  it('that get none read little more than one does, however many there are, and delay others by two turns', async () => {
    const next = vi.spyOn(SegmentReader.prototype, 'next');
    const journal = await openJournal(newRoot(), { maxBytes: 8_000_000 });
    await appendLong(journal, numbered(600));
    const by = { owner: 'key', requireWanted: () => {} };
    const pages = Array.from({ length: 200 }, () => drain(journal.cursor(0, nothing, by)));
    let done = 0;
    for (const page of pages) void page.then(() => (done += 1));
    const [first] = await journal.cursor(0, () => true, { ...by, owner: 'other' }).read();
    expect([first, done]).toEqual([expect.objectContaining({ key: 'n0' }), 0]);
    await Promise.all(pages);
    const ofMany = next.mock.calls.length;
    next.mockClear();
    for (const segment of journal.segments) delete segment.contents;
    await drain(journal.cursor(0, nothing));
    expect(next.mock.calls.length).toBeGreaterThan(20);
    expect(ofMany).toBeLessThan(4 * next.mock.calls.length);
    next.mockRestore();
  });

  it('of single records take turns by their owner, too', async () => {
    const journal = await openJournal(newRoot());
    await appendLong(journal, numbered(600));
    for (const owner of ['key', 'other']) {
      let done = 0;
      for (let n = 0; n < 200; n += 1) void journal.find(2, 'key').then(() => (done += 1));
      expect((await journal.find(3, owner))?.key).toBeDefined();
      if (owner === 'other') expect(done).toBeLessThan(20);
      // The control: one of the same owner comes last. Two read at a time, so that the one before it may end later.
      else expect(done).toBeGreaterThanOrEqual(199);
      await expect.poll(() => done).toBe(200);
      for await (const { key } of journal.findAll([3], owner)) expect(key).toBeDefined();
    }
  });

  it('are served after those who read from memory, piece by piece', async () => {
    const journal = await openJournal(newRoot());
    await appendLong(journal, numbered(600));
    const live = journal.cursor(undefined, () => true);
    await appendAll(journal, ['new']); // Before the reading: how long it takes depends on the disk.
    const next = vi.spyOn(SegmentReader.prototype, 'next');
    const reading = drain(journal.cursor(0, nothing));
    let isRead = false;
    void reading.then(() => {
      isRead = true;
    });
    expect([await drain(live), isRead]).toEqual([[expect.objectContaining({ key: 'new' })], false]);
    await reading;
    expect(next.mock.calls.length).toBeGreaterThan(20);
    next.mockRestore();
  });

  it('read nothing once nothing is wanted', async () => {
    const next = vi.spyOn(SegmentReader.prototype, 'next');
    const journal = await openJournal(newRoot());
    await appendLong(journal, numbered(300));
    const requireWanted = () => {
      throw new Error('gone');
    };
    const reading = journal.cursor(0, () => true, { owner: 'key', requireWanted }).read();
    await expect(reading).rejects.toThrow('gone');
    expect(next).not.toHaveBeenCalled();
    next.mockRestore();
    expect(await keysOf(journal)).toHaveLength(300); // The control, which gets the turn.
  });
});

describe('a segment with nothing for a reader', () => {
  const only = (wanted: string) => (session: string) => session === wanted;

  it('is read once: later readers skip it, until it has more', async () => {
    const next = vi.spyOn(SegmentReader.prototype, 'next');
    const journal = await openJournal(newRoot(), { maxBytes: 8_000_000 });
    await appendLong(journal, numbered(300), 'other');
    const reads = async (wanted: string) => {
      next.mockClear();
      const keys = await keysOf(journal, 0, only(wanted));
      return { keys, reads: next.mock.calls.length };
    };
    const first = await reads('main');
    expect([first.keys, first.reads]).toEqual([[], expect.any(Number)]);
    expect(first.reads).toBeGreaterThan(10);
    expect(await reads('main')).toEqual({ keys: [], reads: 0 });
    // The control.
    expect((await reads('other')).reads).toBeGreaterThan(5);
    await appendAll(journal, ['new']);
    await appendLong(journal, numbered(150), 'other'); // So that it is not in memory.
    expect(await reads('main')).toMatchObject({ keys: ['new'] });
    next.mockRestore();
  });

  it('does not change what readers get, in any order, with deletions and damage', async () => {
    const sessions = ['a', 'b', 'c'];
    const step = fc.record({
      session: fc.constantFrom(...sessions),
      name: fc.constantFrom('message', 'status'),
      times: fc.integer({ min: 1, max: 60 }),
      does: fc.constantFrom('store', 'store', 'store', 'forget', 'damage', 'read'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), fc.nat(2_000), async (steps, after) => {
        const dir = newRoot();
        const journal = await openJournal(dir, { maxBytes: 8_000_000 });
        await appendAll(journal, ['first'], 'a');
        const wanted = (name: string) => (session: string, of: string) => session === name && of !== 'status';
        const all = async (from: number) => {
          const found: unknown[] = [];
          for (const one of sessions)
            for (const each of await drain(journal.cursor(from, wanted(one))))
              found.push(each.kind === 'gap' ? each : each.seq);
          return found;
        };
        for (const { session, name, times, does } of steps) {
          const record = { kind: 'event', name, session, key: '', text: `"${'0'.repeat(10_000)}"` } as const;
          if (does === 'store') await Promise.all(Array.from({ length: times }, () => journal.append(record)));
          else if (does === 'read') await all(0);
          else if (does === 'forget') await journal.append({ kind: 'forget', name: '', session, key: '', text: '' });
          else {
            const path = filesIn(dir)[0] ?? '';
            const bytes = readFileSync(path);
            const middle = Math.floor(bytes.length / 2);
            bytes.fill(0xff, middle, Math.min(bytes.length, middle + 100));
            writeFileSync(path, bytes);
            for (const segment of journal.segments) delete segment.contents; // It was read before.
          }
        }
        for (const from of [0, after]) {
          await all(from);
          const known = await all(from);
          for (const segment of journal.segments) delete segment.contents;
          expect(known).toEqual(await all(from));
        }
        await close(journal);
      }),
      { numRuns: 15 },
    );
  });
});

describe('retention', () => {
  it('removes the oldest beyond the maximum size, and readers get a gap', async () => {
    const dir = newRoot();
    const journal = await openJournal(dir, { maxBytes: 400_000 });
    const early = journal.cursor(0, () => true);
    for (let n = 0; n < 60; n += 1) await appendLong(journal, numbered(10, `${n}-`));
    await journal.housekeep();
    const { bytes } = journal.stats;
    expect(bytes).toBeLessThanOrEqual(400_000);
    expect(bytes).toBeGreaterThan(200_000);
    const [gap, ...events] = await drain(early);
    expect(gap).toEqual({ kind: 'gap', reason: 'expired', from: 0, to: journal.oldestSeq - 1 });
    expect(events.at(-1)).toMatchObject({ key: '59-9' });
    expect(events).toEqual((await drain(journal.cursor(journal.oldestSeq - 1, () => true))) as JournalRecord[]);
  });

  it('removes records older than the maximum age, even after restarts', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const dir = newRoot();
    const journal = await openJournal(dir);
    await appendAll(journal, ['old']);
    vi.advanceTimersByTime(DAY_MS);
    await journal.housekeep();
    await appendAll(journal, ['newer']);
    await close(journal);
    vi.advanceTimersByTime(2.5 * DAY_MS);
    const again = await openJournal(dir);
    await again.housekeep();
    expect(await keysOf(again)).toEqual(['expired', 'newer']);
  });

  it('reports everything that has expired to a reader at the end of a segment', async () => {
    const journal = await openJournal(newRoot(), { maxBytes: 400_000 });
    for (let n = 0; n < 60 && journal.segments.length < 3; n += 1) await appendLong(journal, [`${n}`]);
    const [, second] = journal.segments;
    // As if nothing of it were in memory.
    const source = { ...sourceOf(journal), recentAfter: Number.POSITIVE_INFINITY };
    const cursor = new Cursor(source, 0, () => true);
    const seen: string[] = [];
    while (cursor.position < (second?.firstSeq ?? 0) - 1)
      for (const one of await cursor.read()) seen.push(one.kind === 'gap' ? one.reason : one.key);
    const lastSeen = Number(seen.at(-1));
    for (let n = 0; n < 100; n += 1) await appendLong(journal, [`later ${n}`]);
    await journal.housekeep();
    Object.assign(source, { segments: journal.segments, lastSeq: journal.lastSeq });
    const rest = await drain(cursor);
    expect(rest[0]).toMatchObject({ kind: 'gap', reason: 'expired', to: journal.oldestSeq - 1 });
    expect(lastSeen).toBeGreaterThan(0);
    expect(rest.at(-1)).toMatchObject({ key: 'later 99' });
  });

  it('rolls an idle segment, so that its events expire', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const journal = await openJournal(newRoot());
    await appendAll(journal, ['old']);
    vi.advanceTimersByTime(4 * DAY_MS);
    await journal.housekeep();
    await journal.housekeep();
    expect((await drain(journal.cursor(0, () => true))).filter(({ kind }) => kind === 'event')).toEqual([]);
    expect(journal.segments).toHaveLength(1);
  });

  it('hides a forgotten session at once, and removes it from the disk', async () => {
    const dir = newRoot();
    const counts = new Counts();
    const journal = await openJournal(dir, { folds: [counts], maxBytes: 4_000_000 });
    for (let n = 0; n < 20; n += 1) {
      await appendAll(journal, numbered(100, `private-${n}-`), 'gone');
      await appendAll(journal, numbered(100, `${n}-`), 'kept');
    }
    const before = await keysOf(journal, 0, (session) => session === 'kept');
    const behind = journal.cursor(0, () => true);
    await behind.read();
    await journal.append({ kind: 'forget', name: '', session: 'gone', key: '', text: '' });
    expect((await keysOf(journal)).some((key) => key.startsWith('private'))).toBe(false);
    await appendAll(journal, ['a new account'], 'gone');
    await journal.housekeep();
    const onDisk = filesIn(dir).map((path) => readFileSync(path, 'latin1'));
    expect(onDisk.some((text) => text.includes('private'))).toBe(false);
    expect(await keysOf(journal)).toEqual([...before, 'a new account']);
    expect((await drain(behind)).some((one) => one.kind !== 'gap' && one.key.startsWith('private'))).toBe(false);
    const again = await reopen(journal, dir, { folds: [new Counts()], maxBytes: 4_000_000 });
    expect(await keysOf(again)).toEqual([...before, 'a new account']);
  });

  it('restores the state of no more sessions than there can be, and of none that has no id of a session', async () => {
    const dir = newRoot();
    const seen = new Set<string>();
    const fold: Fold = {
      name: 'seen',
      stored: v.any(),
      apply: ({ session }) => void seen.add(session),
      sessions: () => [],
      partsOf: () => [],
      restore: () => {},
    };
    const journal = await openJournal(dir);
    const sessions = Array.from({ length: 10_001 }, (_, n) => `s${n}`);
    void journal.append(event('x', 'deleted'));
    void journal.append({ kind: 'forget', name: '', session: 'deleted', key: '', text: '' });
    for (const session of ['../x', 'not a session', ...sessions]) void journal.append(event('x', session));
    await journal.append(event('last'));
    await reopen(journal, dir, { folds: [fold] });
    expect([seen.size, seen.has('../x'), seen.has('s0'), seen.has('s9999'), seen.has('s10000')]).toEqual([
      10_002, // With the deleted one, and the records of no session.
      false,
      true,
      true,
      false,
    ]);
  });

  it('begins no segment for each deletion', async () => {
    const journal = await openJournal(newRoot());
    await appendAll(journal, numbered(10));
    for (const session of numbered(30)) {
      await journal.append({ kind: 'forget', name: '', session, key: '', text: '' });
      await pace(5);
    }
    expect(journal.segments).toHaveLength(1);
    await journal.housekeep(); // The control.
    expect(journal.segments).toHaveLength(2);
  });

  it('continues a removal that a kill interrupted', async () => {
    const [dir, copy] = [newRoot(), newRoot()];
    const journal = await openJournal(dir, { maxBytes: 800_000 });
    for (let n = 0; n < 15; n += 1) await appendAll(journal, numbered(100, `private-${n}-`), 'gone');
    await appendAll(journal, ['kept'], 'kept');
    await journal.append({ kind: 'forget', name: '', session: 'gone', key: '', text: '' });
    await close(journal);
    // A rewritten segment is in place, but the one that it replaces still exists; another is partly written.
    for (const path of filesIn(dir)) copyFileSync(path, join(copy, path.slice(dir.length + 1)));
    const [first = '', second = ''] = filesIn(copy);
    writeFileSync(first.replace('.0.journal', '.1.journal'), readFileSync(first));
    writeFileSync(`${second}.unfinished`, readFileSync(second).subarray(0, 100));
    const again = await openJournal(copy, { maxBytes: 800_000 });
    await again.housekeep();
    expect(await keysOf(again)).toEqual(['kept']);
    const left = filesIn(copy).map((path) => readFileSync(path, 'latin1'));
    expect(left.some((text) => text.includes('private'))).toBe(false);
    expect((await segmentsIn(copy)).map(({ path }) => path).sort()).toEqual(filesIn(copy));
  });

  it('behaves like a list, in any order of calls', async () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ do: fc.constant('append'), session: fc.constantFrom('a', 'b', 'c') }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('forget'), session: fc.constantFrom('a', 'b', 'c') }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('restart', 'housekeep'), session: fc.constant('') }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const dir = newRoot();
        // Each segment takes some ten records.
        const options = { maxBytes: 1_000_000, maxAgeMs: DAY_MS };
        let journal = await openJournal(dir, options);
        let model: { session: string; key: string }[] = [];
        const reader = { after: 0, seen: [] as string[] };
        for (const [n, { do: what, session }] of steps.entries()) {
          if (what === 'append') {
            await Promise.all(
              numbered(3, `${n}-`).map((key) =>
                journal.append({ ...event(key, session), text: `{"x":"${'0'.repeat(5_000)}"}` }),
              ),
            );
            model.push(...numbered(3, `${n}-`).map((key) => ({ session, key })));
          } else if (what === 'forget') {
            await journal.append({ kind: 'forget', name: '', session, key: '', text: '' });
            model = model.filter((one) => one.session !== session);
          } else if (what === 'restart') {
            await close(journal);
            journal = await openJournal(dir, options);
          } else await journal.housekeep();
          const cursor = journal.cursor(reader.after, () => true);
          for (const one of await drain(cursor)) if (one.kind !== 'gap') reader.seen.push(one.key);
          reader.after = cursor.position;
        }
        expect(await keysOf(journal)).toEqual(model.map(({ key }) => key));
        // A reader that continues gets every record once, in order.
        expect(reader.seen).toEqual(
          steps.flatMap(({ do: what }, n) => (what === 'append' ? numbered(3, `${n}-`) : [])),
        );
        await close(journal);
      }),
      { numRuns: 40 },
    );
  });
});

it('a journal that was cut off starts with an empty file, or a file of zeros, and reports the gap to readers', async () => {
  for (const spoil of [
    (path: string) => truncateSync(path, 0),
    (path: string) => writeFileSync(path, Buffer.alloc(5_000)),
  ]) {
    const dir = newRoot();
    const journal = await openJournal(dir);
    await appendAll(journal, ['gone']);
    await close(journal);
    spoil(filesIn(dir)[0] ?? '');
    const again = await openJournal(dir);
    await appendAll(again, ['new']);
    const last = await reopen(again, dir);
    await last.housekeep();
    expect(await keysOf(last)).toEqual(['damaged', 'new']);
  }
});
