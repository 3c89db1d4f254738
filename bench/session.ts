import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient, openEventStream } from '@chat-web/host';
import { startSimulator } from '@chat-web/simulator';
import { spawnGateway } from '#scripts/gateway-process.js';
import { type SessionMemory, sessionMemory } from './memory.ts';

/** How long one session takes to come up, what a send takes, and what the session holds, on the simulator. */

const ROUNDS = 5;
const SENDS = 50;
const SETTLE_MS = 5_000;
const [OWN_NUMBER, FRIEND] = ['12025550101', '12025550102'];

interface Round {
  readonly startToQrMs: number;
  readonly scanToReadyMs: number;
  readonly savedStartToReadyMs: number;
  readonly sendMs: number;
  readonly memory: SessionMemory;
}

const rounds: Round[] = [];
for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measure());
const median = (pick: (round: Round) => number) => rounds.map(pick).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? 0;
console.log(`one session on the simulator, medians of ${ROUNDS} rounds`);
console.table({
  'POST start to qr, s': fixed(median(({ startToQrMs }) => startToQrMs) / 1_000),
  'scan to ready, s': fixed(median(({ scanToReadyMs }) => scanToReadyMs) / 1_000),
  'start with saved auth to ready, s': fixed(median(({ savedStartToReadyMs }) => savedStartToReadyMs) / 1_000),
  [`a text, request to answer (ack 1), ms, median of ${SENDS}`]: fixed(median(({ sendMs }) => sendMs)),
  'worker, MB (USS)': fixed(median(({ memory }) => memory.workerMb)),
  'browser, MB (Pss_Anon + Pss_Shmem)': fixed(median(({ memory }) => memory.browserMb)),
  'browser processes': median(({ memory }) => memory.browserProcesses),
});

async function measure(): Promise<Round> {
  const dataDir = mkdtempSync(join(tmpdir(), 'chat-web-bench-'));
  const simulator = await startSimulator({ settings: { ackDelayMs: 0, pairDelayMs: 0, syncDelayMs: 0 } });
  const gateway = await spawnGateway({
    CHAT_WEB_PORT: '0',
    CHAT_WEB_DATA_DIR: dataDir,
    CHAT_WEB_BROWSER_ARGS: JSON.stringify(simulator.browserArgs),
  });
  const over = new AbortController();
  try {
    const client = createClient(gateway);
    const startedAt = performance.now();
    const { qr } = await client.startSession({ id: 'bench' });
    const startToQrMs = performance.now() - startedAt;

    const isReady = nextReady(gateway, over.signal);
    await delay(500);
    const scannedAt = performance.now();
    await simulator.phones.scan(OWN_NUMBER, qr ?? '');
    await isReady;
    const scanToReadyMs = performance.now() - scannedAt;

    await client.stopSession({ id: 'bench' });
    const isReadyAgain = nextReady(gateway, over.signal);
    const restartedAt = performance.now();
    await client.startSession({ id: 'bench' });
    await isReadyAgain;
    const savedStartToReadyMs = performance.now() - restartedAt;

    const times: number[] = [];
    for (let n = 0; n < SENDS; n += 1) {
      const sentAt = performance.now();
      await client.sendMessage({ id: 'bench', type: 'text', to: FRIEND, body: `text ${n}` });
      times.push(performance.now() - sentAt);
    }
    const sendMs = times.sort((a, b) => a - b)[SENDS / 2] ?? 0;
    await delay(SETTLE_MS);
    return { startToQrMs, scanToReadyMs, savedStartToReadyMs, sendMs, memory: sessionMemory(gateway.pid) };
  } finally {
    over.abort();
    await gateway.end();
    await simulator.close();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function nextReady(gateway: { readonly url: string }, signal: AbortSignal): Promise<void> {
  for await (const { name } of await openEventStream(gateway, 'bench', signal)) if (name === 'ready') return;
  throw new Error('the stream ended before the session was ready');
}

function fixed(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0);
}
