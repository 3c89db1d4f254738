import { eventually, Postgres, postgresPrograms } from '@chat-web/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Entry, Feed, FeedOptions } from '../events/feed.ts';
import { LogHost } from '../testing/log-host.ts';
import { initCluster } from './administration.ts';
import type { Engine } from './engine.ts';
import { SharedLog } from './shared-log.ts';

const ALL = { after: undefined, session: undefined, takes: () => true };

let postgres: Postgres;
let hosts: LogHost[];

const texts = (count: number, name = '') => Array.from({ length: count }, (_, n) => `${name}${n}`);
const textOf = ({ event, text }: Entry) => (event === 'gap' ? `gap ${JSON.parse(text).reason}` : JSON.parse(text).text);

/** Reads a feed to its end. */
async function readAll(feed: Feed): Promise<Entry[]> {
  const all: Entry[] = [];
  while (!feed.isAtEnd) all.push(...(await feed.read()));
  return all;
}

/** What a reader at a host gets now. */
async function readAt(host: LogHost | undefined, options: Partial<FeedOptions> = {}): Promise<Entry[]> {
  if (!host) throw new Error('there is no such host');
  await host.refresh();
  return readAll(host.events.feed({ ...ALL, after: 'oldest', ...options }));
}

describe.runIf(postgresPrograms())('the events of all hosts', () => {
  beforeAll(async () => {
    postgres = await Postgres.start();
    await initCluster(postgres.url());
  });
  afterAll(() => postgres?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    LogHost.removeAll(postgres);
    hosts = [await LogHost.start(postgres, 'a'), await LogHost.start(postgres, 'b')];
  });
  afterEach(async () => {
    for (const host of hosts) await host.stop();
  });

  it('are in one order for all readers, each once and in the order of its journal, with the ids of that', async () => {
    const [a, b] = hosts;
    if (!a || !b) return;
    for (let round = 0; round < 5; round += 1) {
      a.lostAnswers = b.lostAnswers = round % 2;
      await Promise.all([a.write('one', texts(300, `a${round} `)), b.write('two', texts(300, `b${round} `))]);
    }
    await eventually(async () => expect(await a.shipped()).toBe(true));
    await eventually(async () => expect(await b.shipped()).toBe(true));
    const [atA, atB] = [await readAt(a), await readAt(b)];
    expect(atA).toEqual(atB);
    const of = (session: string) => atA.filter((entry) => entry.session === session).map(textOf);
    expect(of('one')).toEqual([0, 1, 2, 3, 4].flatMap((round) => texts(300, `a${round} `)));
    expect(of('two')).toEqual([0, 1, 2, 3, 4].flatMap((round) => texts(300, `b${round} `)));
    expect(atA.filter(({ session }) => session === 'one').map(({ id }) => id)).toEqual(
      (await readJournal(a)).map(({ id }) => id),
    );
  });

  it('are read from any position, in memory or in the database, of all sessions or of one', async () => {
    const [a, b] = hosts;
    await a?.write('one', texts(50));
    await a?.shipped();
    await b?.write('two', texts(50));
    await b?.shipped();
    const all = await readAt(a);
    for (const [at, { id, session }] of all.entries()) {
      const rest = all.slice(at + 1);
      expect((await readAt(a, { after: id })).map(({ id }) => id)).toEqual(rest.map(({ id }) => id));
      const ofOne = rest.filter((entry) => entry.session === session).map(({ id }) => id);
      expect((await readAt(b, { after: id, session })).map(({ id }) => id)).toEqual(ofOne);
    }
    expect(await readAt(a, { after: all.at(-1)?.id })).toEqual([]);
    expect(await readAt(a, { after: '2020-01-01T00:00:00Z' })).toHaveLength(100);
    expect(await readAt(a, { after: new Date(Date.now() + 1_000).toISOString() })).toEqual([]);
    const feed = a?.events.feed(ALL);
    expect(feed?.position).toBe(all.at(-1)?.id);
    await b?.write('two', ['later']);
    await b?.shipped();
    await a?.events.follow();
    expect((await readAll(feed as Feed)).map(textOf)).toEqual(['later']);
  });

  it('begin with a gap for a position that is unknown or has expired', async () => {
    const [a] = hosts;
    await a?.write('one', texts(10));
    await a?.shipped();
    const [first] = await readAt(a);
    expect((await readAt(a, { after: 'ffffffffffff-7' })).map(textOf)).toEqual(['gap unknown_position', ...texts(10)]);
    postgres.execute('DELETE FROM chat_web.events WHERE n <= 5');
    expect((await readAt(a, { after: first?.id })).map(textOf)).toEqual(['gap expired', '5', '6', '7', '8', '9']);
    const [sixth] = await readAt(a);
    const feed = a?.events.feed({ ...ALL, after: sixth?.id }) as Feed;
    await feed.read(); // It begins.
    expect(feed.isAtEnd).toBe(true);
    postgres.execute('DELETE FROM chat_web.events WHERE n = 8');
    // Of a session that was deleted: nothing is missing.
    expect(
      (await readAt(a, { after: sixth?.id?.replace(/\d+$/, (seq) => String(Number(seq) + 2)) })).map(textOf),
    ).toEqual(['8', '9']);
  });

  it('that expired before a reader got them are a gap, also those of other hosts', async () => {
    const [a, b] = hosts;
    await a?.write('one', ['first']);
    await a?.shipped();
    await b?.write('two', ['second', 'third']);
    await b?.shipped();
    await a?.write('one', ['fourth']);
    await a?.shipped();
    const [first, second] = await readAt(b);
    postgres.execute('DELETE FROM chat_web.events WHERE n <= 2');
    for (const { id } of [first, second] as Entry[])
      expect((await readAt(a, { after: id })).map(textOf)).toEqual(['gap expired', 'third', 'fourth']);
  });

  it('that expire while a reader is behind are a gap, even if its gateway has not heard of that', async () => {
    const [a] = hosts;
    await a?.write('one', texts(4));
    await a?.shipped();
    const events = new SharedLog(a?.engine as Engine);
    await events.refresh();
    const feed = events.feed({ ...ALL, after: 'log-0' });
    postgres.execute('DELETE FROM chat_web.events WHERE n <= 2');
    expect((await readAll(feed)).map(textOf)).toEqual(['gap expired', '2', '3']);
  });

  it('end with their session when it is deleted, everywhere', async () => {
    const [a, b] = hosts;
    await a?.write('one', texts(5));
    await a?.write('two', ['stays']);
    await a?.shipped();
    await b?.events.refresh();
    const [first] = await readAt(b);
    const feed = b?.events.feed({ ...ALL, after: 'oldest' }) as Feed;
    await a?.journal.append({ kind: 'forget', name: '', session: 'one', key: '', text: '' });
    await a?.write('one', ['of its successor']);
    await a?.shipped();
    expect((await readAt(b)).map(textOf)).toEqual(['stays', 'of its successor']);
    expect((await readAll(feed)).map(textOf)).toEqual(['stays', 'of its successor']);
    for (let n = 0; n < 3; n += 1) await b?.refresh();
    const rows = await b?.engine.query("SELECT * FROM chat_web.read_events(0, 1000, 'one')");
    expect(rows?.map(({ name, data }) => name && data)).toEqual([
      '',
      '',
      '',
      '',
      '',
      null,
      '{"text":"of its successor"}',
    ]);
    // An event of it stays a position.
    expect((await readAt(a, { after: first?.id })).map(textOf)).toEqual(['stays', 'of its successor']);
  });

  it('stay if a host deletes a session that another one has', async () => {
    const [a, b] = hosts;
    await a?.write('one', texts(3));
    await a?.shipped();
    postgres.execute(`INSERT INTO chat_web.sessions (id, host, change)
      SELECT 'one', id, 1 FROM chat_web.hosts WHERE name = 'a'`);
    for (const host of hosts) await host.refresh();
    await b?.journal.append({ kind: 'forget', name: '', session: 'one', key: '', text: '' });
    await b?.shipped();
    for (const host of hosts) {
      await host.refresh();
      expect((await readAt(host)).map(textOf)).toEqual(texts(3));
    }
  });

  it('are shipped again if a promoted standby lacks them: repeats have the same ids, and none is lost', async () => {
    const [a, b] = hosts;
    await a?.write('one', texts(20));
    await a?.shipped();
    await b?.events.refresh();
    const feed = b?.events.feed({ ...ALL, after: 'oldest' }) as Feed;
    const before = await readAll(feed);
    // It has what was shipped up to the tenth.
    const seq = Number(before[9]?.id?.split('-')[1]);
    postgres.execute(`BEGIN; DELETE FROM chat_web.events WHERE n > 10; UPDATE chat_web.log_head SET n = 10;
      UPDATE chat_web.hosts SET shipped = ${seq} WHERE name = 'a';
      CREATE OR REPLACE FUNCTION chat_web.timeline() RETURNS text LANGUAGE sql AS $$ SELECT 'promoted' $$; COMMIT`);
    await b?.write('two', ['meanwhile']);
    await b?.shipped();
    // It has nothing new itself.
    const after: Entry[] = [];
    await eventually(async () => {
      await a?.refresh();
      await b?.refresh();
      after.push(...(await readAll(feed)));
      expect(after).toHaveLength(11);
    });
    expect(after.map(textOf)).toEqual(['meanwhile', ...texts(20).slice(10)]);
    expect(after.slice(1, 11).map(({ id }) => id)).toEqual(before.slice(10).map(({ id }) => id));
  });

  it('are not lost because own ones are added while the database says where the end is', async () => {
    const [a] = hosts;
    if (!a) return;
    await a.write('one', texts(5));
    await a.shipped();
    await a.refresh();
    const query = a.engine.query.bind(a.engine);
    const slow = vi.spyOn(a.engine, 'query').mockImplementation(async (text, values) => {
      const rows = await query(text, values);
      if (text.includes('log_ends'))
        a.events.add([{ id: 'x-1', name: 'message', session: 'one', at: 0, text: '{}' }], 6);
      return rows as never;
    });
    expect([await a.events.refresh(), a.events.losses]).toEqual([false, 0]);
    slow.mockRestore();
  });

  it('are shipped again after a loss, also if the reading that has noticed it fails', async () => {
    const [a] = hosts;
    if (!a) return;
    await a.write('one', texts(5));
    await a.shipped();
    await a.refresh();
    postgres.execute('BEGIN; DELETE FROM chat_web.events WHERE n > 2; UPDATE chat_web.log_head SET n = 2; COMMIT');
    const query = a.engine.query.bind(a.engine);
    let reads = 0;
    const failing = vi.spyOn(a.engine, 'query').mockImplementation(async (text, values) => {
      if (text.includes('read_events') && ++reads === 2) throw new Error('it fails once');
      return query(text, values) as never;
    });
    await expect(a.events.refresh()).rejects.toThrow('it fails once');
    failing.mockRestore();
    expect([await a.events.refresh(), await a.events.refresh()]).toEqual([true, false]);
  });

  it('are dropped by size and age, the oldest first, and never those that are appended to', async () => {
    const [a] = hosts;
    if (!a) return;
    postgres.execute('UPDATE chat_web.log_head SET n = 99990');
    await a.write('one', texts(30));
    await a.shipped();
    const tend = async (maxBytes: number, maxAge: number) =>
      (await a.engine.query<{ is_done: boolean }>('SELECT chat_web.tend_log($1, $2) AS is_done', [maxBytes, maxAge]))[0]
        ?.is_done;
    expect(await tend(1e12, 1e9)).toBe(false);
    expect(await tend(1e12, -1_000)).toBe(true);
    expect((await readAt(a)).map(textOf)).toEqual(texts(30).slice(10));
    expect(await tend(0, -1_000)).toBe(false);
  });
});

async function readJournal(host: LogHost) {
  const cursor = host.journal.cursor(0, () => true);
  const all: { readonly id: string }[] = [];
  while (!cursor.isAtEnd)
    for (const record of await cursor.read())
      if (record.kind !== 'gap') all.push({ id: host.journal.idOf(record.seq) });
  return all;
}
