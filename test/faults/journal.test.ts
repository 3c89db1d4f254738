import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Journal, NotStoredError } from '@chat-web/gateway/tools';
import { eventually, fixture, rounds, SmallDisk } from '@chat-web/testing';
import { describe, expect, it } from 'vitest';

const WRITER = fixture('journal-writer.mjs');
const silent = { info: () => {}, warn: () => {}, error: () => {} };
const KILLS = rounds({ few: 8, all: 20 });
const PAGE_BYTES = 4_096;
const FRAME_HEADER_BYTES = 25;

interface Seen {
  readonly key: string;
  readonly id: string;
}

async function readAll(journal: Journal): Promise<Seen[]> {
  const cursor = journal.cursor(journal.oldestSeq - 1, () => true);
  const found: Seen[] = [];
  while (!cursor.isAtEnd) {
    for (const one of await cursor.read()) {
      if (one.kind === 'gap') throw new Error(`a gap: ${one.reason}`);
      found.push({ key: one.key, id: journal.idOf(one.seq) });
    }
  }
  return found;
}

describe('a journal under load', () => {
  it(`keeps confirmed entries, once and in order, over ${KILLS} kills of its process`, async () => {
    const dir = mkdtempSync(join(tmpdir(), 'chat-web-journal-'));
    const maxBytes = 200_000_000;
    const confirmed: number[] = [];
    try {
      for (let kill = 0; kill < KILLS; kill += 1) {
        const writer = fork(WRITER, [dir, String(kill * 1_000_000), String(maxBytes)]);
        const killedAt = confirmed.length + 50 + Math.floor(Math.random() * 250);
        writer.on('message', ({ stored }: { stored?: number }) => {
          if (stored !== undefined) confirmed.push(stored);
          if (confirmed.length === killedAt) writer.kill('SIGKILL');
        });
        await once(writer, 'close');
      }
      const journal = await Journal.open({ dir, folds: [], maxBytes, maxAgeMs: 1e9, log: silent });
      const found = await readAll(journal);
      await journal.close();
      const numbers = found.map(({ key }) => Number(key));
      expect(confirmed.length).toBeGreaterThan(KILLS * 100);
      expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
      expect(new Set(numbers).size).toBe(numbers.length);
      expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
      const kept = new Set(numbers);
      expect(confirmed.filter((number) => !kept.has(number))).toEqual([]);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });

  it('survives a full disk: confirmed entries are kept, refused ones are not, and it resumes automatically', async ({
    skip,
  }) => {
    await using disk = await SmallDisk.create();
    if (!disk.isMounted) skip("the machine's own disk is not filled to the last byte");
    const dir = join(disk.dataDir, 'journal');
    let resumed = 0;
    const options = { dir, folds: [], maxBytes: 1e9, maxAgeMs: 1e9, log: silent };
    const journal = await Journal.open(options);
    journal.onResumed(() => {
      resumed += 1;
    });
    const outcomes = new Map<string, 'stored' | 'refused'>();
    let next = 0;
    const append = async () => {
      const key = String(next++);
      const text = JSON.stringify({ body: 'x'.repeat(1_000) });
      try {
        await journal.append({ kind: 'event', name: 'message', session: 'main', key, text });
        outcomes.set(key, 'stored');
      } catch (error) {
        if (!(error instanceof NotStoredError)) throw error;
        outcomes.set(key, 'refused');
      }
    };
    const appendSome = () => Promise.all(Array.from({ length: 50 }, append));
    await appendSome();
    await disk.fill(1);
    while (!journal.stats.failingSince) await appendSome();
    await appendSome();
    const seen = await readAll(journal);
    expect(seen.map(({ key }) => key)).toEqual(
      [...outcomes].filter(([, outcome]) => outcome === 'stored').map(([key]) => key),
    );
    await disk.free();
    await eventually(async () => expect(journal.stats.failingSince).toBeUndefined());
    expect(resumed).toBe(1);
    await appendSome();
    expect([...outcomes.values()].at(-1)).toBe('stored');
    await journal.close();
    const again = await Journal.open(options);
    const kept = (await readAll(again)).map(({ key }) => key);
    await again.close();
    expect(kept).toEqual([...outcomes].filter(([, outcome]) => outcome === 'stored').map(([key]) => key));
    expect([...outcomes.values()].filter((outcome) => outcome === 'refused').length).toBeGreaterThanOrEqual(50);
  });

  it('opens on a full disk, and stores again when there is space', async ({ skip }) => {
    await using disk = await SmallDisk.create();
    if (!disk.isMounted) skip("the machine's own disk is not filled to the last byte");
    const dir = join(disk.dataDir, 'journal');
    const options = { dir, folds: [], maxBytes: 1e9, maxAgeMs: 1e9, log: silent };
    const event = { kind: 'event', name: 'message', session: 'main', text: '{}' } as const;
    const before = await Journal.open(options);
    await before.append({ ...event, key: 'first' });
    const frameBytes = Buffer.byteLength(`${event.name}${event.session}before`) + FRAME_HEADER_BYTES;
    // The last page of the file is full too.
    const text = '{}'.padEnd(2 * PAGE_BYTES - (before.stats.bytes % PAGE_BYTES) - frameBytes);
    await before.append({ ...event, key: 'before', text });
    expect(before.stats.bytes % PAGE_BYTES).toBe(0);
    await before.close();
    await disk.fill(0);
    const journal = await Journal.open(options);
    await expect(journal.append({ ...event, key: 'refused' })).rejects.toThrow(NotStoredError);
    expect(journal.stats.failingSince).toBeInstanceOf(Date);
    expect((await readAll(journal)).map(({ key }) => key)).toEqual(['first', 'before']);
    await disk.free();
    await eventually(async () => expect(journal.stats.failingSince).toBeUndefined());
    await journal.append({ ...event, key: 'after' });
    expect((await readAll(journal)).map(({ key }) => key)).toEqual(['first', 'before', 'after']);
    await journal.close();
  });
});
