import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { ADA, BEN, fixture, listening, peakMb, resetPeak } from '@chat-web/testing';
import { Stack } from '@chat-web/testing/stack';
import { p99 } from '../benchmark.ts';
import { pssMb } from '../processes.ts';
import { SoakAccount } from '../soak/account.ts';
import { judgeTraffic, openFiles } from '../soak/verdict.ts';
import type { AttackerName, Outcomes } from './attacker.ts';
import type { Position } from './attacks.ts';

/**
 * Attackers do their worst for some minutes each, while another session exchanges messages. Prints what the other
 * session, /health and the gateway's memory suffer. Exits with 1 if one of its messages was lost, doubled or refused.
 */

const MINUTE_MS = 60_000;
const EXCHANGE_EVERY_MS = 500;
const SETTLE_MS = 5_000;
const OTHER = '12025550181';
const TOKEN = 'siege-token-0123456789abcdef';
const NAMES: readonly AttackerName[] = ['send-key', 'manage-key', 'stranger', 'worker'];
const USAGE = `Usage: npm run siege -- [--minutes <of each, default 10>] [--only ${NAMES.join(',')}]\n`;

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, only: { type: 'string' } } });
const minutes = Number(values.minutes);
const wanted = values.only?.split(',') ?? NAMES;
if (!(minutes > 0) || wanted.some((name) => !NAMES.includes(name as AttackerName))) {
  process.stderr.write(USAGE);
  process.exit(64);
}
for (const name of NAMES.filter((name) => wanted.includes(name))) {
  const isHeld = await siege(name);
  if (!isHeld) process.exitCode = 1;
}

async function siege(name: AttackerName): Promise<boolean> {
  await using stack = await Stack.start({
    main: fixture('worker-gateway.mjs'),
    settings: {
      CHAT_WEB_LOG_LEVEL: 'info',
      CHAT_WEB_TOKEN: TOKEN,
      CHAT_WEB_JOURNAL_MAX_MB: '64',
      CHAT_WEB_WEBHOOK_HOSTS: '127.0.0.1',
    },
  });
  await using silent = await silentServer();
  const account = new SoakAccount('main', ADA);
  await stack.phones.addAccount({ number: OTHER, name: 'Shop' });
  await stack.link(account.id, account.number);
  await stack.link('shop-1', OTHER);
  const over = new AbortController();
  const listen = account.listen(() => stack.address, over.signal);
  await delay(SETTLE_MS);

  const quiet = await exchange(stack, account, MINUTE_MS / 2);
  const key = await keyOf(stack, name);
  const attacker = new Worker(new URL('./attacker.js', import.meta.url), {
    workerData: { name, position: { url: stack.gateway.url, key, silentUrl: silent.url } satisfies Position },
  });
  const { pid } = stack.gateway;
  const before = { mb: pssMb(pid), files: openFiles(stack) };
  resetPeak(pid);
  const besieged = await exchange(stack, account, minutes * MINUTE_MS);
  const peak = peakMb(pid);
  attacker.postMessage('stop');
  const [outcomes] = (await once(attacker, 'message')) as [Outcomes];
  await delay(SETTLE_MS);
  const after = { mb: pssMb(pid), files: openFiles(stack) };
  over.abort();
  await listen;

  console.log(`\n${name}, ${minutes} minutes`);
  console.table({ before: quiet, meanwhile: besieged });
  console.log(
    `memory of the gateway: ${before.mb.toFixed(0)} MB before, peak ${peak.toFixed(0)}, then ${after.mb.toFixed(0)}`,
  );
  console.log(`open files: ${before.files} before, then ${after.files}`);
  console.table(
    Object.fromEntries(Object.entries(outcomes).map(([what, counts]) => [what, { outcomes: written(counts) }])),
  );
  const findings = judgeTraffic([account], await stack.phones.messages(BEN)); // The attackers write to others.
  for (const { what, seen, isFine } of findings) console.log(`${isFine ? '  ' : '! '}${what}: ${seen}`);
  return findings.every(({ isFine }) => isFine);
}

/** The attacker's key. The compromised workers are started with the operator's token. */
async function keyOf({ client }: Stack, name: AttackerName): Promise<string> {
  if (name === 'stranger') return '';
  if (name === 'worker') return TOKEN;
  const scope = name === 'send-key' ? 'send' : 'manage';
  return (await client.createKey({ name, sessions: ['shop-*'], scope })).key;
}

/** Messages both ways, and GET /health, at a steady rate. Times in ms. */
async function exchange(stack: Stack, account: SoakAccount, forMs: number) {
  const sends: number[] = [];
  const health: number[] = [];
  const received = account.lags.length;
  const running: Promise<unknown>[] = [];
  for (const endsAt = Date.now() + forMs; Date.now() < endsAt; ) {
    running.push(
      timed(() => account.send(() => stack.client, BEN)).then((ms) => sends.push(ms)),
      timed(() => fetch(`${stack.gateway.url}/health`).then((response) => response.text())).then((ms) =>
        health.push(ms),
      ),
    );
    await account.receive(stack.phones, BEN);
    await delay(EXCHANGE_EVERY_MS);
  }
  await Promise.all(running);
  await delay(SETTLE_MS);
  return {
    'receive p99': Math.round(p99(account.lags.slice(received))),
    'send p99': Math.round(p99(sends)),
    '/health p99': Math.round(p99(health)),
    '/health worst': Math.round(Math.max(...health)),
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function silentServer(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((socket) => socket.on('error', () => {}));
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => void server.close(),
  };
}

function written(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([outcome, count]) => `${outcome} ×${count}`)
    .join(', ');
}
