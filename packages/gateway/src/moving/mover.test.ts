import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { SavedSessions } from '../sessions/saved-sessions.ts';
import { temporaryFolder } from '../testing/fake-gateway.ts';
import { Lineages } from './lineages.ts';
import { Mover, type MoverParts } from './mover.ts';

const log = pino({ level: 'silent' });

async function arrivals() {
  const folder = temporaryFolder();
  const saved = new SavedSessions(folder.path, join(folder.path, 'pages'));
  const lineages = new Lineages(join(folder.path, 'moves'));
  await lineages.load(log);
  await saved.load(log);
  const parts = {
    ...{ saved, lineages, keepers: [], append: async () => {}, version: '1', log },
    config: { dataDir: folder.path, importMaxBytes: 1e9, minFreeDiskBytes: 0 },
    supervisor: { expect: () => {} },
    events: { isStoring: true, settled: async () => {}, resetDelivery: () => {} },
  } as unknown as MoverParts;
  const mover = new Mover(parts);
  const over = new AbortController();
  /** A sender that sends a byte now and then, until it is cut off. */
  async function* slowly() {
    for (;;) {
      yield Buffer.alloc(1);
      over.signal.throwIfAborted();
      await new Promise((resolve) => {
        setTimeout(resolve, 60_000);
        over.signal.addEventListener('abort', resolve);
      });
      over.signal.throwIfAborted();
    }
  }
  const begin = (id: string, keyId?: string) => mover.import(id, { archive: slowly() }, { keyId });
  async function* whole(bytes: Buffer) {
    yield* [bytes].filter(({ length }) => length > 0);
  }
  const send = (id: string, bytes: Buffer) => mover.import(id, { archive: whole(bytes) }, { keyId: undefined });
  return {
    mover,
    folder,
    send,
    begin,
    cut: () => over.abort(new Error('cut')),
    [Symbol.dispose]: folder[Symbol.dispose],
  };
}

it('one key imports two sessions at a time, and leaves the other places to others', async () => {
  using all = await arrivals();
  const under = [all.begin('a', 'key'), all.begin('b', 'key'), all.begin('c', 'another'), all.begin('d')];
  const outcomes = Promise.allSettled(under);
  await expect(all.begin('e', 'key')).rejects.toMatchObject({
    ...{ code: 'insufficient_resources', retryAfterSeconds: 10 },
    message: expect.stringContaining('with this key'),
  });
  all.cut();
  expect((await outcomes).map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => 'rejected'));
});

it('counts imports that are refused, and those that fail; who sends nothing only asks', async () => {
  using all = await arrivals();
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
  try {
    using all = await arrivals();
    let outcome: unknown;
    void all.begin('a').catch((error: unknown) => {
      outcome = error;
    });
    // It reads when the disk has its folder, however long that takes.
    while (outcome === undefined) {
      await vi.advanceTimersByTimeAsync(60_000);
      await new Promise(setImmediate);
    }
    expect(outcome).toMatchObject({ code: 'request_timeout' });
  } finally {
    vi.useRealTimers();
  }
});
