import { setTimeout as delay } from 'node:timers/promises';
import { openEventStream } from '@chat-web/host';
import { type SessionMemory, sessionMemory } from './memory.ts';
import { FRIEND, OWN_NUMBER, withWorld } from './world.ts';

/** How long one session takes to start and to send, and how much memory it takes, on the simulator. */

const ROUNDS = 5;
const SENDS = 50;
const SETTLE_MS = 5_000;

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
  return withWorld(async ({ simulator, gateway, client }) => {
    const over = new AbortController();
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
    over.abort();
    return { startToQrMs, scanToReadyMs, savedStartToReadyMs, sendMs, memory: sessionMemory(gateway.pid) };
  });
}

async function nextReady(gateway: { readonly url: string }, signal: AbortSignal): Promise<void> {
  for await (const { name } of await openEventStream(gateway, 'bench', signal)) if (name === 'ready') return;
  throw new Error('the stream ended before the session was ready');
}

function fixed(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0);
}
