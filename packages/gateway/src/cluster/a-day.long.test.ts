import { setTimeout as delay } from 'node:timers/promises';
import { collectGarbage, figure, Postgres, postgresPrograms } from '@chat-web/testing';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { LogHost } from '../testing/log-host.ts';
import { initCluster } from './administration.ts';
import { Engine } from './engine.ts';

const HOSTS = 5;
const SESSIONS_PER_HOST = 50;
const EVENTS_PER_SESSION = 5_000;
const EVENTS_PER_HOST = SESSIONS_PER_HOST * EVENTS_PER_SESSION;
const EVENTS = HOSTS * EVENTS_PER_HOST;
/** With its fields, 1 KB. */
const TEXT_LENGTH = 1_000;
const AT_ONCE = 500;
const MAX_BEHIND = 100_000;
/** Less than a day needs, so that parts are dropped. */
const MAX_BYTES = 500_000_000;
const TEND_EVERY = 50_000;
const MB = 1_000_000;
const MAX_GROWTH_BYTES = 30 * MB;

const sessionOf = (host: number, n: number) => `s-${host}-${n % SESSIONS_PER_HOST}`;

/** Of this process: five gateways without their browsers, and one reader. */
function usedBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it.runIf(postgresPrograms())(
  `a day of ${HOSTS * SESSIONS_PER_HOST} accounts goes through the database`,
  async () => {
    await using postgres = await Postgres.start();
    await initCluster(postgres.url());
    const admin = await Engine.open([postgres.url()], pino({ level: 'silent' }));
    const hosts: LogHost[] = [];
    for (const name of ['a', 'b', 'c', 'd', 'e']) hosts.push(await LogHost.start(postgres, name));
    const [reader] = hosts as [LogHost];
    const feed = reader.events.feed({ after: 'oldest', session: undefined, takes: () => true });
    const last = new Map<string, number>();
    let [written, read, disordered, dropped, maxLagMs] = [0, 0, 0, 0, 0];
    const memory: number[] = [];

    async function readOn(): Promise<void> {
      while (!feed.isAtEnd)
        for (const { session = '', event, text } of await feed.read()) {
          if (event === 'gap') throw new Error('the reader is behind the retention');
          const n = Number(JSON.parse(text).text.slice(0, 10));
          if (n !== (last.get(session) ?? -1) + 1) disordered += 1;
          last.set(session, n);
          read += 1;
          if (read % TEND_EVERY === 0) await tend();
        }
    }
    async function tend(): Promise<void> {
      memory.push(usedBytes());
      const [row] = await reader.engine.query<{ is_dropped: boolean }>(
        'SELECT chat_web.tend_log($1, $2) AS is_dropped',
        [MAX_BYTES, 1e12],
      );
      if (row?.is_dropped) dropped += 1;
    }
    async function write(host: LogHost, at: number): Promise<void> {
      for (let n = 0; n < EVENTS_PER_HOST; n += AT_ONCE) {
        const bySession = new Map<string, string[]>();
        for (let one = n; one < n + AT_ONCE; one += 1) {
          const number = String(Math.floor(one / SESSIONS_PER_HOST)).padStart(10, '0');
          const session = sessionOf(at, one);
          bySession.set(session, [...(bySession.get(session) ?? []), number.padEnd(TEXT_LENGTH, ' text')]);
        }
        await Promise.all([...bySession].map(([session, texts]) => host.write(session, texts)));
        maxLagMs = Math.max(maxLagMs, host.shipper.lagMs);
        written += AT_ONCE;
        // Slower than it is shipped and read: a day has time.
        while (host.shipper.lag > 4 * AT_ONCE || written - read > MAX_BEHIND) await delay(5);
      }
    }

    const startedAt = performance.now();
    let isWritten = false;
    const writing = Promise.all(hosts.map(write)).then(() => {
      isWritten = true;
    });
    while (read < EVENTS) {
      await reader.refresh();
      await readOn();
      if (isWritten && read < EVENTS) await delay(50);
    }
    await writing;
    const seconds = (performance.now() - startedAt) / 1_000;
    const [size] = await admin.query<{ bytes: string; rows: string }>(
      'SELECT sum(bytes) AS bytes, (SELECT count(*) FROM chat_web.events) AS rows FROM chat_web.parts()',
    );
    const perEvent = Number(size?.bytes) / Number(size?.rows);
    const growth = (memory.at(-1) ?? 0) - (memory[Math.floor(memory.length / 4)] ?? 0);
    figure(
      'a day',
      `${EVENTS} events of ${HOSTS * SESSIONS_PER_HOST} accounts in ${seconds.toFixed(0)} s (${Math.round(EVENTS / seconds)} a second), largest lag ${maxLagMs.toFixed(0)} ms; ${perEvent.toFixed(0)} bytes an event in the database, ${((perEvent * EVENTS) / MB / 1_000).toFixed(1)} GB a day; ${dropped} parts dropped; memory ${(growth / MB).toFixed(1)} MB larger than after a quarter`,
    );
    expect(disordered).toBe(0);
    expect(read).toBe(EVENTS);
    expect(dropped).toBeGreaterThan(3);
    expect(Number(size?.bytes)).toBeLessThan(MAX_BYTES + 200 * MB);
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
    for (const host of hosts) await host.stop();
    await admin.close();
  },
  900_000,
);
