import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { NewRecord } from '@chat-web/gateway/journal/frame';
import { Journal } from '@chat-web/gateway/journal/journal';
import { type Benchmark, type Figures, median, p99 } from './benchmark.ts';

const RECORDS = 200_000;
const AT_ONCE = 2_000;
const OFFERED_PER_SECOND = 20_000;
const OFFER_MS = 5_000;
const TICK_MS = 5;
const SYNCS = 200;
const NS_PER_MS = 1e6;
const SECOND_MS = 1_000;

const STORED = 'events of 1 KB stored';
const WAITED = `at ${OFFERED_PER_SECOND} a second: p99 until on disk`;
const HELD = 'event loop held at most';
const REPLAYED = 'events read again';
const OPENED = 'start with that journal';
const SYNC = 'write and fdatasync of 1 KB, p50';

const event: NewRecord = {
  ...{ kind: 'event', name: 'message', session: 'main', key: 'false_12025550102@c.us_3EB0C767D82A44C5' },
  text: JSON.stringify({ body: 'x'.repeat(900) }),
};

/** The journal alone. The other side: plain writes with fdatasync, one at a time. */
export const journal: Benchmark = {
  name: 'journal',
  rounds: 2,
  goals: [
    { figure: STORED, unit: '1/s', limit: () => 20_000, text: '≥ 20000', isLeast: true },
    { figure: WAITED, unit: 'ms', limit: () => 10, text: '≤ 10' },
    { figure: HELD, unit: 'ms', limit: () => 20, text: '≤ 20' },
    { figure: REPLAYED, unit: '1/s', limit: () => 200_000, text: '≥ 200000', isLeast: true },
    { figure: OPENED, unit: 'ms' },
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
  const options = { dir, folds: [], maxBytes: 2e9, maxAgeMs: 1e9, log };
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const first = await Journal.open(options);
  const storedMs = await appendAll(first);
  const waits: number[] = [];
  first.onWrite((ms, count) => {
    for (let n = 0; n < count; n += 1) waits.push(ms);
  });
  await offer(first);
  const cursor = first.cursor(0, () => true);
  const [startedAt, last] = [performance.now(), first.lastSeq];
  while (!cursor.isAtEnd) await cursor.read();
  const replayMs = performance.now() - startedAt;
  loop.disable();
  await first.close();
  const openedAt = performance.now();
  const again = await Journal.open(options);
  const openMs = performance.now() - openedAt;
  await again.close();
  return {
    [STORED]: (RECORDS / storedMs) * SECOND_MS,
    [WAITED]: p99(waits),
    [HELD]: loop.max / NS_PER_MS,
    [REPLAYED]: (last / replayMs) * SECOND_MS,
    [OPENED]: openMs,
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

/** Appends at a steady pace, whatever the disk does. */
async function offer(journal: Journal): Promise<void> {
  const startedAt = performance.now();
  const appended: Promise<void>[] = [];
  for (let elapsed = 0; elapsed < OFFER_MS; elapsed = performance.now() - startedAt) {
    while (appended.length < (elapsed / SECOND_MS) * OFFERED_PER_SECOND) appended.push(journal.append(event));
    await delay(TICK_MS);
  }
  await Promise.all(appended);
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
