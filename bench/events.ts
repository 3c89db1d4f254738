import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Journal } from '@chat-web/gateway/tools';
import { createClient } from '@chat-web/host';
import { listening } from '@chat-web/testing';
import { type Benchmark, type Figures, median, p99 } from './benchmark.ts';
import { type FrontServer, frontSessions, startFrontGateway, TOKEN } from './front.ts';
import { openStream } from './raw-client.ts';

const SESSIONS = 7;
const READERS_OF_A_SESSION = 14;
const OF_ALL = 2;
export const KEPT = 100_000;
const MEMORY_FOLDER = '/dev/shm';
const AT_ONCE = 1_000;
/** What a reader may notice of another one that stalls. */
const MAX_LAG_MS = 100;
const MAX_STALLED_MB = 20;
const TO_POST = 5_000;
const HOSE_SESSIONS = 4;
const HOSE_EVENTS = 20_000;
const US_PER_MS = 1_000;
const SECOND_MS = 1_000;

const LATENCY = 'from worker to consumer, 20 a second, p50';
const FAN_OUT = `${SESSIONS * READERS_OF_A_SESSION + OF_ALL} readers, 30 a second in each of ${SESSIONS} sessions: p99`;
const POSTED_LATENCY = 'from worker to the endpoint of a webhook, 20 a second, p50';
const POSTED = 'events of one session posted to a webhook, as fast as it answers';
const RESUMED = `${KEPT} events read again over HTTP`;
const BESIDE_STALLED = `a reader of ${HOSE_SESSIONS} sessions with 4,000 events a second in all, beside a stalled one: p99`;
const HOSE_RATE = 'of it: events a second';
const HOSE_MB = 'of it: memory of the front process after 20 s';
const BOOT = `start of the front process with ${KEPT} events of 1 KB`;

/**
 * Events through the front process, from workers without browsers that report the time in each event. The other side:
 * the same with the journal in memory, without a stalled reader, and a start with an empty journal.
 */
export const events: Benchmark = {
  name: 'events',
  rounds: 2,
  goals: [
    { figure: LATENCY, unit: 'ms' },
    { figure: FAN_OUT, unit: 'ms' },
    { figure: POSTED_LATENCY, unit: 'ms' },
    { figure: POSTED, unit: '1/s' },
    { figure: RESUMED, unit: '1/s' },
    { figure: BESIDE_STALLED, unit: 'ms', limit: () => MAX_LAG_MS, text: `≤ ${MAX_LAG_MS}` },
    { figure: HOSE_RATE, unit: '1/s' },
    {
      figure: HOSE_MB,
      unit: 'MB',
      limit: (bare) => (bare[HOSE_MB] ?? 0) + MAX_STALLED_MB,
      text: `≤ bare + ${MAX_STALLED_MB}`,
    },
    { figure: BOOT, unit: 'ms' },
  ],
  round: async () => ({
    ours: { ...(await live()), ...(await hose(true)), ...(await past()) },
    bare: { ...(await inMemory()), ...(await hose(false)), ...(await bareBoot()) },
  }),
};

async function live(): Promise<Figures> {
  const gateway = await startFrontGateway(SESSIONS);
  try {
    const latency = await paced(gateway);
    const posted = await postedLatency(gateway);
    const paths = frontSessions(SESSIONS).flatMap((id) => Array<string>(READERS_OF_A_SESSION).fill(streamOf(id)));
    const readers = await Promise.all(['/events', '/events', ...paths].map((path) => follow(gateway, path)));
    await Promise.all(frontSessions(SESSIONS).map((id) => emit(gateway, id, 150, 33)));
    return { [LATENCY]: latency, [POSTED_LATENCY]: posted, [FAN_OUT]: p99(readers.flatMap((end) => end())) };
  } finally {
    await gateway.end();
  }
}

/** One reader of all sessions, with another one beside it that reads nothing. */
async function hose(withStalled: boolean): Promise<Figures> {
  const gateway = await startFrontGateway(HOSE_SESSIONS);
  try {
    const reader = await follow(gateway, '/events');
    const leaveStalled = withStalled ? await openStream(gateway.url, get('/events'), null) : undefined;
    const startedAt = performance.now();
    await Promise.all(frontSessions(HOSE_SESSIONS).map((id) => emit(gateway, id, HOSE_EVENTS, 1)));
    const tookMs = performance.now() - startedAt;
    const { residentMb } = await gateway.usage();
    leaveStalled?.();
    const lags = reader();
    return {
      [BESIDE_STALLED]: p99(lags),
      [HOSE_RATE]: (lags.length / tookMs) * SECOND_MS,
      [HOSE_MB]: residentMb,
    };
  } finally {
    await gateway.end();
  }
}

/** The difference is the cost of the disk. */
async function inMemory(): Promise<Figures> {
  if (!existsSync(MEMORY_FOLDER)) return {};
  const dataDir = mkdtempSync(join(MEMORY_FOLDER, 'chat-web-bench-'));
  try {
    const gateway = await startFrontGateway(1, dataDir);
    return { [LATENCY]: await paced(gateway).finally(() => gateway.end()) };
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The median latency of events, at 20 a second; in ms. */
async function paced(gateway: FrontServer): Promise<number> {
  const reader = await follow(gateway, streamOf('main'));
  await emit(gateway, 'main', 100, 50);
  return median(reader());
}

/** An existing journal: how soon a gateway starts with it, and how fast it is read again. */
async function past(): Promise<Figures> {
  const dataDir = mkdtempSync(join(tmpdir(), 'chat-web-bench-'));
  try {
    await fill(join(dataDir, 'journal'));
    const bootedAt = performance.now();
    const gateway = await startFrontGateway(1, dataDir);
    const bootMs = performance.now() - bootedAt;
    try {
      const readMs = await readAll(gateway);
      const postedMs = await postAll(gateway);
      return {
        [RESUMED]: (KEPT / readMs) * SECOND_MS,
        [BOOT]: bootMs,
        [POSTED]: (TO_POST / postedMs) * SECOND_MS,
      };
    } finally {
      await gateway.end();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function bareBoot(): Promise<Figures> {
  const startedAt = performance.now();
  const gateway = await startFrontGateway();
  const bootMs = performance.now() - startedAt;
  await gateway.end();
  return { [BOOT]: bootMs };
}

export async function fill(dir: string): Promise<void> {
  const log = { info: () => {}, warn: console.error, error: console.error };
  const journal = await Journal.open({ dir, folds: [], maxBytes: 1e9, maxAgeMs: 1e9, log });
  const text = JSON.stringify({ reason: 'STOPPED', message: 'x'.repeat(900) });
  const append = () => journal.append({ kind: 'event', name: 'disconnected', session: 'main', key: '', text });
  for (let n = 0; n < KEPT; n += AT_ONCE) await Promise.all(Array.from({ length: AT_ONCE }, append));
  await journal.close();
}

/** Returns how many ms it took until the last event arrived. */
async function readAll({ url }: FrontServer): Promise<number> {
  const startedAt = performance.now();
  let [count, rest] = [0, ''];
  let close = () => {};
  await new Promise<void>((resolve, reject) => {
    const onText = (text: string) => {
      const pieces = (rest + text).split('event: disconnected');
      rest = pieces.at(-1)?.slice(-20) ?? '';
      count += pieces.length - 1;
      if (count >= KEPT) resolve();
    };
    openStream(url, get(`${streamOf('main')}?after=oldest`), onText).then((end) => {
      close = end;
    }, reject);
  });
  close();
  return performance.now() - startedAt;
}

/** Reads a stream. Returns a function that closes it, and returns the latency of each event, in ms. */
export async function follow({ url }: FrontServer, path: string): Promise<() => number[]> {
  const lags: number[] = [];
  const close = await openStream(url, get(path), (text) => {
    const nowUs = (performance.timeOrigin + performance.now()) * US_PER_MS;
    for (const [, sentUs] of text.matchAll(/true_1@c\.us_(\d+)/g)) lags.push((nowUs - Number(sentUs)) / US_PER_MS);
  });
  return () => {
    close();
    return lags;
  };
}

/** The median latency of events to the endpoint of a webhook, at 20 a second; in ms. */
async function postedLatency(gateway: FrontServer): Promise<number> {
  const lags: number[] = [];
  await using hook = await webhook(gateway, {}, (text) => {
    const nowUs = (performance.timeOrigin + performance.now()) * US_PER_MS;
    const [, sentUs] = /true_1@c\.us_(\d+)/.exec(text) ?? [];
    if (sentUs !== undefined) lags.push((nowUs - Number(sentUs)) / US_PER_MS);
  });
  await emit(gateway, 'main', 100, 50);
  await hook.received(100);
  return median(lags);
}

/** Returns how many ms it took to post this many events. */
async function postAll(gateway: FrontServer): Promise<number> {
  const startedAt = performance.now();
  await using hook = await webhook(gateway, { after: 'oldest' }, () => {});
  await hook.received(TO_POST);
  return performance.now() - startedAt;
}

/** A webhook with an endpoint that answers at once; deleted at the end. */
async function webhook({ url }: FrontServer, options: { readonly after?: string }, onText: (text: string) => void) {
  let count = 0;
  let wanted = Number.POSITIVE_INFINITY;
  let arrived = () => {};
  const server = createServer(async (request, response) => {
    onText(await text(request));
    response.writeHead(204).end();
    count += 1;
    if (count >= wanted) arrived();
  });
  const port = await listening(server);
  const client = createClient({ url, token: TOKEN });
  const { id: webhookId } = await client.createWebhook({ url: `http://127.0.0.1:${port}/`, ...options });
  return {
    received: (max: number) =>
      new Promise<void>((resolve) => {
        [wanted, arrived] = [max, resolve];
        if (count >= wanted) resolve();
      }),
    [Symbol.asyncDispose]: async () => {
      await client.deleteWebhook({ webhookId });
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Makes a worker report acks; resolves when all were reported. */
export async function emit({ url }: FrontServer, id: string, count: number, everyMs: number): Promise<void> {
  const body = `emit ${count} every ${everyMs} ms`;
  await createClient({ url, token: TOKEN }, { retries: 0 }).sendMessage({ id, type: 'text', to: '+12025550102', body });
}

function get(path: string) {
  return { method: 'GET', path, token: TOKEN } as const;
}

export function streamOf(id: string): string {
  return `/sessions/${id}/events`;
}
