import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, openEventStream } from '@chat-web/host';
import { type AccountSeed, type Simulator, type SimulatorSettings, startSimulator } from '@chat-web/simulator';
import { type GatewayProcess, spawnGateway } from '#scripts/gateway-process.js';

/** Numbers of accounts in the simulator. */
export const [OWN_NUMBER, FRIEND] = ['12025550101', '12025550102'];

/** A simulator that adds no delays of its own, with the newest build of the page on which all of the library works. */
export const QUICK: Partial<SimulatorSettings> = {
  build: '2026-01',
  ackDelayMs: 0,
  pairDelayMs: 0,
  syncDelayMs: 0,
};

/** How long a session may take to become ready, for each that is started at once. */
const READY_TIMEOUT_MS = 30_000;
const POLL_MS = 20;

/** A session, and the account that it is linked to. */
export interface SessionSeed {
  readonly id: string;
  readonly number: string;
}

/** Several sessions; the first is of `OWN_NUMBER`. */
export function sessionSeeds(count: number): SessionSeed[] {
  return Array.from({ length: count }, (_, n) => ({
    id: `s${String(n).padStart(2, '0')}`,
    number: n === 0 ? OWN_NUMBER : `120255502${String(n).padStart(2, '0')}`,
  }));
}

/** The accounts of some sessions, and `FRIEND`. */
export function accountsOf(sessions: readonly SessionSeed[]): AccountSeed[] {
  return [{ id: '', number: FRIEND }, ...sessions].map(({ number }) => ({
    number,
    name: `Person ${number.slice(-3)}`,
  }));
}

/** A simulator and a gateway to measure. */
export interface World {
  readonly simulator: Simulator;
  readonly gateway: GatewayProcess;
  readonly dataDir: string;
  readonly client: ReturnType<typeof createClient>;
  /** Ends the gateway, does some work, and starts it again on its data. */
  restartGateway(between?: () => void, signal?: NodeJS.Signals): Promise<void>;
}

/** Runs some work in a new world, and removes the world afterwards. */
export async function withWorld<T>(
  work: (world: World) => Promise<T>,
  simulated: Partial<SimulatorSettings> = QUICK,
  settings: Readonly<Record<string, string>> = {},
  accounts?: readonly AccountSeed[],
): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'chat-web-bench-'));
  const simulator = await startSimulator({ settings: simulated, ...(accounts && { accounts }) });
  const spawn = () =>
    spawnGateway({
      CHAT_WEB_PORT: '0',
      CHAT_WEB_DATA_DIR: dataDir,
      CHAT_WEB_BROWSER_ARGS: JSON.stringify(simulator.browserArgs),
      ...settings,
    });
  let gateway = await spawn();
  let client = createClient(gateway, { retries: 0 });
  const world: World = {
    simulator,
    dataDir,
    get gateway() {
      return gateway;
    },
    get client() {
      return client;
    },
    restartGateway: async (between = () => {}, signal = 'SIGTERM') => {
      await gateway.end(signal);
      between();
      gateway = await spawn();
      client = createClient(gateway, { retries: 0 });
    },
  };
  try {
    return await work(world);
  } finally {
    await gateway.end();
    await simulator.close();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Links a session to an account, and waits until it is ready. */
export async function link({ client, simulator }: World, id: string, number = OWN_NUMBER): Promise<void> {
  const { qr } = await client.startSession({ id });
  await simulator.phones.scan(number, qr ?? '');
  const lastAt = performance.now() + READY_TIMEOUT_MS;
  while ((await client.getSessionStatus({ id })).status !== 'ready') {
    if (performance.now() > lastAt) throw new Error(`session ${id} did not become ready`);
    await delay(POLL_MS);
  }
}

/** Waits until sessions of a gateway are ready. Returns when each was, in ms since `startedAt` (`performance.now()`), in that order. */
export async function untilReady({ client }: World, count: number, startedAt: number): Promise<number[]> {
  const readyAt: number[] = [];
  const lastAt = performance.now() + count * READY_TIMEOUT_MS;
  while (readyAt.length < count) {
    const { sessions } = await client.listSessions();
    const ready = sessions.filter(({ status }) => status === 'ready').length;
    const now = performance.now();
    while (readyAt.length < ready) readyAt.push(now - startedAt);
    if (now > lastAt) throw new Error(`${count - ready} of ${count} sessions did not become ready`);
    await delay(POLL_MS);
  }
  return readyAt;
}

/** Watches sessions that are not ready. `times` resolves when all are, with when each was (`performance.now()`), in that order. */
export async function watchReady({ gateway }: World, ids: readonly string[]): Promise<{ times: Promise<number[]> }> {
  const over = new AbortController();
  const streams = await Promise.all(ids.map((id) => openEventStream(gateway, id, over.signal)));
  const readyAt = streams.map(async (events) => {
    for await (const { name } of events) if (name === 'ready') return performance.now();
    throw new Error('a stream ended before its session was ready');
  });
  const times = Promise.all(readyAt).then((all) => all.sort((one, other) => one - other));
  return { times: times.finally(() => over.abort()) };
}
