import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { WorkerEvent } from '@chat-web/protocol';
import { pino } from 'pino';
import { afterEach, expect, it, vi } from 'vitest';
import { emptyWorkerOptions } from '../../../../scripts/worker-options.ts';
import { Worker } from './worker.ts';

const log = pino({ enabled: false });
const workers: Worker[] = [];
afterEach(async () => {
  for (const worker of workers.splice(0)) {
    worker.kill();
    await worker.exited;
  }
});

function start(program: string) {
  const events: WorkerEvent[] = [];
  const broken: string[] = [];
  const worker = new Worker({ program, env: { PATH: process.env.PATH }, options: emptyWorkerOptions }, log, {
    onEvent: (event) => events.push(event),
    onSilent: () => {},
    onBroken: (did) => broken.push(did),
  });
  workers.push(worker);
  return { worker, events, broken };
}

const fixture = (name: string) => fileURLToPath(new URL(`../../../../test/fixtures/${name}.mjs`, import.meta.url));

it('loses no word of a worker that says 10,000 things and ends at once, whatever it has not read', async () => {
  const { worker, events, broken } = start(fixture('last-words-worker'));
  await vi.waitUntil(() => events.length > 0, 10_000);
  const calls = Array.from({ length: 5 }, () => worker.call('sendMessage', { body: 'x'.repeat(50_000) }));
  const settled = Promise.allSettled(calls);
  expect(await worker.exited).toBe('code 3');
  expect(events.slice(1).map((event) => (event.name === 'message_ack' ? event.id : ''))).toEqual(
    Array.from({ length: 10_000 }, (_, n) => `m${n}`),
  );
  expect(broken).toEqual([]);
  expect((await settled).map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
});

it('tells how a worker ended that could not even begin, and has no call wait for it', async () => {
  const { worker } = start('/nowhere/main.js');
  expect(await worker.exited).toBe('code 1');
  await expect(worker.call('listChats', {})).rejects.toMatchObject({ code: 'session_lost' });
});

it('gives a worker one channel, and opens none of its own to Node', async () => {
  const { worker } = start(fixture('hanging-worker'));
  const environment = execFileSync('cat', [`/proc/${worker.pid}/environ`], { encoding: 'utf8' });
  expect(environment).not.toContain('NODE_CHANNEL');
});
