import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { addHost, initCluster, joinCluster } from '@chat-web/gateway/tools';
import { Postgres, postgresPrograms } from '@chat-web/testing';
import { type Benchmark, type Figures, inTurns, median, p99 } from './benchmark.ts';
import { emit, fill, follow, KEPT, streamOf } from './events.ts';
import { type FrontServer, startFrontGateway, TOKEN } from './front.ts';

const READERS = 10;
const OF_A_SESSION = 2;
const EVENTS = 1_000;
const EVERY_MS = 5;
const POLL_MS = 20;
const SECOND_MS = 1_000;

const P50 = `from worker to ${READERS} readers at another host, 200 a second: p50`;
const P99 = 'of it: p99';
const SHIPPED = `${KEPT} events of 1 KB copied to the database: events a second`;

/** Events through the database of a cluster. The other side: the same readers at a gateway on its own. */
export const hosts: Benchmark = {
  name: 'hosts',
  rounds: 2,
  goals: [
    { figure: P50, unit: 'ms', limit: () => 6, text: '≤ 6' },
    { figure: P99, unit: 'ms', limit: () => 30, text: '≤ 30' },
    { figure: SHIPPED, unit: '1/s', limit: () => 20_000, text: '≥ 20,000', isMin: true },
  ],
  round: (turn) => (postgresPrograms() ? inTurns(inCluster, alone)(turn) : Promise.resolve({ ours: {}, bare: {} })),
};

async function inCluster(): Promise<Figures> {
  await using postgres = await Postgres.start();
  await initCluster(postgres.url());
  const folders = ['a', 'b'].map((name) => mkdtempSync(join(tmpdir(), `chat-web-bench-${name}-`)));
  const [first = '', second = ''] = folders;
  const urls = await Promise.all(['a', 'b'].map((name) => addHost(postgres.url(), name)));
  const settings = urls.map((url) => ({ CHAT_WEB_CLUSTER_URL: url, CHAT_WEB_CLUSTER_SESSIONS: '10' }));
  const servers: FrontServer[] = [];
  try {
    await joinCluster(urls[0] ?? '', first);
    await joinCluster(urls[1] ?? '', second);
    await fill(join(first, 'journal'));
    const owner = await startFrontGateway(1, first, settings[0]);
    servers.push(owner);
    const shipped = await shippingRate(owner);
    const other = await startFrontGateway(0, second, settings[1]);
    servers.push(other);
    return { ...(await latency(owner, other)), [SHIPPED]: shipped };
  } finally {
    for (const server of servers) await server.end();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}

async function alone(): Promise<Figures> {
  const gateway = await startFrontGateway();
  try {
    return await latency(gateway, gateway);
  } finally {
    await gateway.end();
  }
}

/** The latency of events of a session at one gateway to readers at another one. */
async function latency(owner: FrontServer, readersAt: FrontServer): Promise<Figures> {
  const ofSession = Array<string>(OF_A_SESSION).fill(streamOf('main'));
  const ofAll = Array<string>(READERS - OF_A_SESSION).fill('/events');
  const readers = await Promise.all([...ofSession, ...ofAll].map((path) => follow(readersAt, path)));
  await emit(owner, 'main', EVENTS, EVERY_MS);
  await delay(SECOND_MS);
  const lags = readers.flatMap((end) => end());
  if (lags.length < EVENTS * READERS) throw new Error(`${lags.length} of ${EVENTS * READERS} events arrived`);
  return { [P50]: median(lags), [P99]: p99(lags) };
}

/** Waits until the journal of a gateway is in the database. Resolves with how many of its records a second got there. */
async function shippingRate(server: FrontServer): Promise<number> {
  const [startedAt, waiting] = [performance.now(), await unshipped(server)];
  if (waiting < KEPT / 2) throw new Error(`only ${waiting} records were left when the gateway had started`);
  while ((await unshipped(server)) > 0) await delay(POLL_MS);
  return (waiting / (performance.now() - startedAt)) * SECOND_MS;
}

async function unshipped({ url }: FrontServer): Promise<number> {
  const metrics = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${TOKEN}` } });
  return Number(/^chat_web_cluster_unshipped_records (\d+)$/m.exec(await metrics.text())?.[1]);
}
