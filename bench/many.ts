import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { childrenOf, descendantsOf } from '@chat-web/testing';
import type { Stack } from '@chat-web/testing/stack';
import { median, p99 } from './benchmark.ts';
import { Poster } from './poster.ts';
import { memoryOf, shareOf } from './processes.ts';
import { sessionSeeds, untilReady, withStack } from './stack.ts';

/** Many sessions on one host: how soon they boot, what they use, and how the gateway answers meanwhile. */

const AT_ONCE = 2;
const SETTLE_MS = 15_000;
const IDLE_MS = 60_000;
const SENDS = 100;
const BUSY = 10;
const BUSY_MS = 20_000;
const SECOND_MS = 1_000;

const { values } = parseArgs({ options: { sessions: { type: 'string', default: '50' } } });
const count = Number(values.sessions);
const seeds = sessionSeeds(count);
await withStack(measure, { sessions: seeds });

async function measure(stack: Stack): Promise<void> {
  for (let n = 0; n < count; n += AT_ONCE)
    await Promise.all(seeds.slice(n, n + AT_ONCE).map(({ id, number }) => stack.link(id, number)));

  await stack.gateway.end();
  const startedAt = performance.now();
  await stack.restartGateway();
  let readyAt: number[] = [];
  const bootHealth = await whileProbing(stack.gateway.url, async () => {
    readyAt = await untilReady(stack, count, startedAt);
  });
  const seconds = (at = Number.NaN) => at / SECOND_MS;
  print(`boot of ${count} saved sessions`, {
    'first ready, s': seconds(readyAt[0]),
    'half of them, s': seconds(readyAt[Math.floor(count / 2)]),
    'all, s': seconds(readyAt.at(-1)),
    '/health p99 meanwhile, ms': p99(bootHealth),
  });

  await delay(SETTLE_MS);
  const { pid } = stack.gateway;
  const workers = childrenOf(pid);
  const node = [pid, ...workers];
  const browsers = workers.flatMap((worker) => descendantsOf(worker).map((one) => one.pid));
  const { nodeMb, browserMb } = memoryOf(node, browsers);
  const front = memoryOf([pid], []).nodeMb;
  const idle = await shareOf(node, browsers, IDLE_MS);
  print('idle', {
    'memory in all, MB': nodeMb + browserMb,
    'for each session, MB': (nodeMb + browserMb) / count,
    'front process, MB': front,
    processes: node.length + browsers.length,
    'open files of the front process': openFiles(pid),
    'open files in all': [...node, ...browsers].reduce((sum, one) => sum + openFiles(one), 0),
    'idle, share of a core in all, %': idle.node + idle.browser,
    'for each session, %': (idle.node + idle.browser) / count,
  });

  const poster = new Poster(stack.address);
  const latencies: number[] = [];
  const idleHealth = await whileProbing(stack.gateway.url, async () => {
    for (let n = 0; n < SENDS; n += 1) latencies.push(await poster.timed(seeds[n % count]?.id ?? '', `idle ${n}`));
  });
  print('a send, while all others are idle', {
    'p50, ms': median(latencies),
    'p99, ms': p99(latencies),
    '/health p99, ms': p99(idleHealth),
  });

  const busy = seeds.slice(0, BUSY);
  const [quiet] = seeds.slice(BUSY);
  const busyLatencies: number[] = [];
  const quietLatencies: number[] = [];
  const until = performance.now() + BUSY_MS;
  const sendOn = async (id: string, times: number[], pauseMs: number) => {
    while (performance.now() < until) {
      times.push(await poster.timed(id, 'busy'));
      await delay(pauseMs);
    }
  };
  const busyHealth = await whileProbing(stack.gateway.url, () =>
    Promise.all([
      ...busy.map(({ id }) => sendOn(id, busyLatencies, 0)),
      ...(quiet ? [sendOn(quiet.id, quietLatencies, 200)] : []),
    ]),
  );
  print(`while ${BUSY} sessions send without a pause`, {
    'their sends, 1/s': busyLatencies.length / (BUSY_MS / SECOND_MS),
    'their p50, ms': median(busyLatencies),
    'their p99, ms': p99(busyLatencies),
    'a send of another session, p50, ms': median(quietLatencies),
    'p99, ms': p99(quietLatencies),
    '/health p99, ms': p99(busyHealth),
  });
  poster.close();
}

function openFiles(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0; // It has exited.
  }
}

function print(title: string, figures: Readonly<Record<string, number | undefined>>): void {
  console.log(title);
  console.table(
    Object.fromEntries(
      Object.entries(figures).map(([name, value = Number.NaN]) => [
        name,
        value < 10 ? value.toFixed(2) : value.toFixed(0),
      ]),
    ),
  );
}

/** How long each GET /health took during some work, in ms. Measured from another thread, because this one is busy. */
async function whileProbing(url: string, work: () => Promise<unknown>): Promise<number[]> {
  const probe = new Worker(new URL('./health-probe.js', import.meta.url), { workerData: url });
  await once(probe, 'online');
  await delay(300);
  await work();
  probe.postMessage('stop');
  const [times] = await once(probe, 'message');
  return times as number[];
}
