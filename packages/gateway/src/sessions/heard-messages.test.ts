import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { HeardMessages } from './heard-messages.ts';

const log = pino({ enabled: false });
const now = () => Math.floor(Date.now() / 1_000);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'chat-web-heard-'));
});
const all: HeardMessages[] = [];
const heardIn = (path: string) => {
  const heard = new HeardMessages(path, log);
  all.push(heard);
  return heard;
};
afterAll(async () => {
  await Promise.all(all.map((heard) => heard.flush())); // Each would write a second after its last change.
  await rm(folder, { recursive: true });
});
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the messages that a session has heard', () => {
  it('are news once, also for the gateway that comes after', async () => {
    const path = join(folder, 'one.json');
    const heard = heardIn(path);
    heard.begin();
    expect(heard.isNews('a', now())).toBe(true);
    expect(heard.isNews('a', now())).toBe(false);
    await heard.flush();

    const after = heardIn(path);
    await after.load();
    expect(after.isNews('a', now())).toBe(false);
    expect(after.isNews('b', now())).toBe(true);
  });

  it('are as many as are kept, however long their ids are', async () => {
    const path = join(folder, 'long.json');
    const heard = heardIn(path);
    const ids = Array.from({ length: 10_000 }, (_, n) => `${n}`.padEnd(300, '\u4e2d'));
    for (const id of ids) heard.isNews(id, now());
    await heard.flush();
    const after = heardIn(path);
    await after.load();
    expect(ids.filter((id) => after.isNews(id, now()))).toEqual([]);
  });

  it('do not reach back behind the moment of the link, and some minutes behind the last one after that', () => {
    const heard = heardIn(join(folder, 'two.json'));
    heard.begin();
    const linkedAt = heard.from;
    heard.isNews('a', linkedAt + 60);
    expect(heard.from).toBe(linkedAt);
    vi.setSystemTime((linkedAt + 3_600) * 1_000);
    heard.isNews('b', linkedAt + 3_600);
    expect(heard.from).toBe(linkedAt + 3_480);
    heard.begin();
    expect(heard.from).toBe(linkedAt + 3_480);
  });

  it('make no history of what is still to come, where one has a time to come', async () => {
    const path = join(folder, 'future.json');
    const heard = heardIn(path);
    heard.begin();
    heard.isNews('a', 4_294_967_295);
    expect(heard.from).toBeLessThanOrEqual(now());
    await writeFile(path, '{"from": 4294967295, "ids": {}}');
    const after = heardIn(path);
    await after.load();
    expect(after.from).toBeLessThanOrEqual(now());
  });

  it('are not looked for behind a gap that was reported, also by the gateway that comes after', async () => {
    const path = join(folder, 'gap.json');
    const heard = heardIn(path);
    heard.isNews('a', 10_120);
    heard.skipTo(9_000);
    expect(heard.from).toBe(10_000);
    heard.skipTo(20_000);
    await heard.flush();

    const after = heardIn(path);
    await after.load();
    expect(after.from).toBe(20_000);
    expect(after.isNews('b', 20_060)).toBe(true);
    expect(after.from).toBe(20_000);
  });

  it('have no gap before the first link', () => {
    const heard = heardIn(join(folder, 'new.json'));
    heard.skipTo(20_000);
    expect(heard.from).toBeGreaterThan(now() - 5);
  });

  it('are kept as far back as is looked at again, however many they are', () => {
    const heard = heardIn(join(folder, 'many.json'));
    const startedAt = now();
    for (let n = 0; n < 6_000; n += 1) expect(heard.isNews(`${n}`, startedAt + Math.floor(n / 50))).toBe(true);
    for (let n = 0; n < 6_000; n += 1) expect(heard.isNews(`${n}`, startedAt + Math.floor(n / 50))).toBe(false);
    vi.setSystemTime((startedAt + 3_600) * 1_000);
    heard.isNews('later', startedAt + 3_600);
    expect(heard.isNews('0', startedAt)).toBe(true);
  });

  it('begin anew where the file is not legible, and after they were cleared', async () => {
    const path = join(folder, 'three.json');
    await writeFile(path, '{"from": "yest');
    const heard = heardIn(path);
    await heard.load();
    expect(heard.from).toBeGreaterThan(now() - 5);
    heard.isNews('a', now());
    heard.clear();
    await heard.flush();
    expect(heard.isNews('a', now())).toBe(true);
  });
});
