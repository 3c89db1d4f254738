import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { WorkerLink } from '@chat-web/gateway/sessions/worker-link';
import { startWorker } from '@chat-web/gateway/sessions/worker-process';
import { workerMessage } from '@chat-web/protocol';
import { pino } from 'pino';
import * as v from 'valibot';
import { emptyWorkerOptions } from '#scripts/worker-options.js';

/** The cost of the channel to a worker for the gateway, compared with Node's own: events of 1 KB, and calls. */

const EVENTS = 10_000;
const CALLS = 2_000;
const ROUNDS = 5;

const PROGRAM = fileURLToPath(new URL('./channel-worker.js', import.meta.url));

/** One side of a comparison, ready to be measured. */
interface Subject {
  /** Resolves when this many messages have arrived. */
  events(messages: number): Promise<void>;
  call(): Promise<unknown>;
  end(): void;
}

async function ours(): Promise<Subject> {
  const { child, channel } = startWorker(PROGRAM, process.env, pino({ enabled: false }));
  let left = 0;
  let done = () => {};
  const link = await new Promise<WorkerLink>((resolve) => {
    const made: WorkerLink = new WorkerLink(channel, 'main', pino({ enabled: false }), {
      onEvent: () => {
        left -= 1;
        if (left === 0) done();
      },
      onMessage: () => resolve(made),
      onBroken: (did) => {
        throw new Error(`the worker ${did}`);
      },
    });
    made.start(emptyWorkerOptions);
  });
  return {
    events: (messages) =>
      new Promise((resolve) => {
        left = messages;
        done = resolve;
        link.call('listChats', { messages }).catch(() => {}); // It is answered with events only.
      }),
    call: () => link.call('listChats', { messages: 0 }),
    end: () => {
      child.kill('SIGKILL');
      link.close('ended');
    },
  };
}

async function nodes(): Promise<Subject> {
  const child = fork(PROGRAM, { serialization: 'json' });
  await once(child, 'message');
  let left = 0;
  let done = (_: unknown) => {};
  child.on('message', (raw) => {
    const { type } = v.parse(workerMessage, raw);
    if (type === 'event') left -= 1;
    if (type === 'answer' || left === 0) done(undefined);
  });
  const ask = (messages: number) =>
    new Promise<unknown>((resolve) => {
      left = messages;
      done = resolve;
      child.send({ type: 'call', callId: 1, operation: 'listChats', input: { messages } });
    });
  return {
    events: async (messages) => void (await ask(messages)),
    call: () => ask(0),
    end: () => child.kill('SIGKILL'),
  };
}

/** Wall and processor time of this process, in milliseconds. */
async function timed(work: () => Promise<unknown>): Promise<{ wallMs: number; cpuMs: number }> {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wallMs: performance.now() - startedAt, cpuMs: (user + system) / 1_000 };
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const kinds = { "Node's own": nodes, ours };
const found: Record<string, Record<string, number[]>> = {};
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, make] of Object.entries(kinds)) {
    const subject = await make();
    await subject.events(1_000); // Warm-up.
    const events = await timed(() => subject.events(EVENTS));
    const calls = await timed(async () => {
      for (let call = 0; call < CALLS; call += 1) await subject.call();
    });
    subject.end();
    const row = {
      'events: processor, ms': events.cpuMs,
      'events per second': (EVENTS * 1_000) / events.wallMs,
      'calls: processor, ms': calls.cpuMs,
      'calls per second': (CALLS * 1_000) / calls.wallMs,
    };
    found[name] ??= {};
    for (const [what, value] of Object.entries(row)) found[name][what] = [...(found[name][what] ?? []), value];
  }
}
const rows = Object.fromEntries(
  Object.entries(found).map(([name, of]) => [
    name,
    Object.fromEntries(Object.entries(of).map(([what, values]) => [what, Math.round(median(values))])),
  ]),
);
const [own = {}, other = {}] = [rows.ours, rows["Node's own"]];
const ratio = Object.fromEntries(
  Object.keys(own).map((what) => [what, Math.round((100 * (own[what] ?? 0)) / (other[what] ?? 1)) / 100]),
);
console.log(`${EVENTS} events of 1 KB, ${CALLS} calls one after the other; medians of ${ROUNDS}`);
console.table({ ...rows, "ours / Node's": ratio });
process.exit();
