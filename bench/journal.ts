import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Journal, type NewRecord } from '@chat-web/gateway/tools';
import { type Benchmark, type Figures, median, p99 } from './benchmark.ts';

const RECORDS = 200_000;
const AT_ONCE = 2_000;
const OFFERED_PER_SECOND = 20_000;
const OFFER_MS = 5_000;
const TICK_MS = 5;
const SYNCS = 200;
const SECOND_MS = 1_000;

const STORED = 'events of 1 KB stored';
const WAITED = `at ${OFFERED_PER_SECOND} a second: p99 until on disk`;
const REPLAYED = 'events read again';
const SYNC = 'write and fdatasync of 1 KB, p50';

const event: NewRecord = {
  kind: 'event',
  name: 'message',
  session: 'main',
  key: 'false_12025550102@c.us_3EB0C767D82A44C5',
  text: JSON.stringify({ body: 'x'.repeat(900) }),
};

/** The journal alone. The other side: plain writes with fdatasync, one at a time. */
export const journal: Benchmark = {
  name: 'journal',
  rounds: 2,
  goals: [
    { figure: STORED, unit: '1/s', limit: () => 20_000, text: '≥ 20000', isMin: true },
    { figure: WAITED, unit: 'ms', limit: () => 10, text: '≤ 10' },
    { figure: REPLAYED, unit: '1/s', limit: () => 200_000, text: '≥ 200000', isMin: true },
    { figure: SYNC, unit: 'ms' },
  ],
  round: async () => {
    const dir = mkdtempSync(join(tmpdir(), 'chat-web-bench-'));
    try {
      return { ours: await measure(join(dir, 'journal')), bare: await measureBare(join(dir, 'bare')) };
    } finally {
      rmSync(dir, { recursive: true });
    }
  },
};

async function measure(dir: string): Promise<Figures> {
  const log = { info: () => {}, warn: console.error, error: console.error };
  const journal = await Journal.open({ dir, folds: [], maxBytes: 2e9, maxAgeMs: 1e9, log });
  const storedMs = await appendAll(journal);
  const waits: number[] = [];
  journal.onWrite((ms, count) => {
    for (let n = 0; n < count; n += 1) waits.push(ms);
  });
  const refused = await offer(journal);
  const cursor = journal.cursor(0, () => true);
  const [startedAt, last] = [performance.now(), journal.lastSeq];
  while (!cursor.isAtEnd) await cursor.read();
  const replayMs = performance.now() - startedAt;
  await journal.close();
  return {
    [STORED]: (RECORDS / storedMs) * SECOND_MS,
    [WAITED]: refused > 0 ? Number.POSITIVE_INFINITY : p99(waits),
    [REPLAYED]: (last / replayMs) * SECOND_MS,
  };
}

/** Appends with several in progress at once. Returns the duration in ms. */
async function appendAll(journal: Journal): Promise<number> {
  let left = RECORDS;
  const startedAt = performance.now();
  const append = async () => {
    while (left > 0) {
      left -= 1;
      await journal.append(event);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, append));
  return performance.now() - startedAt;
}

/** Appends at a steady pace, whatever the disk does. Returns how many the journal refused: the disk is too slow. */
async function offer(journal: Journal): Promise<number> {
  const startedAt = performance.now();
  const appended: Promise<boolean>[] = [];
  const append = () =>
    journal.append(event).then(
      () => true,
      () => false,
    );
  for (let elapsed = 0; elapsed < OFFER_MS; elapsed = performance.now() - startedAt) {
    while (appended.length < (elapsed / SECOND_MS) * OFFERED_PER_SECOND) appended.push(append());
    await delay(TICK_MS);
  }
  return (await Promise.all(appended)).filter((isStored) => !isStored).length;
}

async function measureBare(path: string): Promise<Figures> {
  const file = await open(path, 'w');
  const bytes = Buffer.alloc(1_024);
  const times: number[] = [];
  for (let n = 0; n < SYNCS; n += 1) {
    const startedAt = performance.now();
    await file.write(bytes);
    await file.datasync();
    times.push(performance.now() - startedAt);
  }
  await file.close();
  return { [SYNC]: median(times) };
}
