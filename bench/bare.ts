import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Deferred, deferred, withDeadline } from '@chat-web/protocol';
import { type Simulator, startSimulator } from '@chat-web/simulator';
import { findBrowser } from '@chat-web/worker/browser';
import type { BareCalls } from './bare-process.ts';
import { accountsOf, QUICK, type SessionSeed } from './stack.ts';

const END_TIMEOUT_MS = 20_000;
/** The library waits without a limit, and sometimes misses that a session is ready. */
const CALL_TIMEOUT_MS = 60_000;

export interface BareWorld {
  readonly simulator: Simulator;
  readonly pid: number;
  readonly dataPath: string;
  /** Stops the process, does some work, and starts it again with its data. */
  restart(between?: () => void): Promise<void>;
  call<N extends keyof BareCalls>(
    name: N,
    input: Parameters<BareCalls[N]>[0],
  ): Promise<Awaited<ReturnType<BareCalls[N]>>>;
}

/** Runs some work with a process of the library, whose sessions are linked as soon as they show a QR. */
export async function withBare<T>(
  sessions: readonly SessionSeed[],
  work: (world: BareWorld) => Promise<T>,
  { headlessShell = false } = {},
): Promise<T> {
  const dataPath = mkdtempSync(join(tmpdir(), 'chat-web-bench-'));
  const simulator = await startSimulator({ settings: QUICK, accounts: accountsOf(sessions) });
  const browserPath = findBrowser({ headlessShell, env: process.env });
  const options = { dataPath, browserPath, browserArgs: simulator.browserArgs, headlessShell };
  const start = () => {
    const child = fork(new URL('./bare-process.js', import.meta.url), [JSON.stringify(options)]);
    const call = caller(child, (id, qr) => {
      const seed = sessions.find((one) => one.id === id);
      if (seed && !qr.startsWith('undefined')) simulator.phones.scan(seed.number, qr).catch(() => {});
    });
    return { child, call };
  };
  let running = start();
  const world: BareWorld = {
    simulator,
    dataPath,
    get pid() {
      return running.child.pid ?? 0;
    },
    get call() {
      return running.call;
    },
    restart: async (between = () => {}) => {
      await end(running.child);
      between();
      running = start();
    },
  };
  try {
    return await work(world);
  } finally {
    await end(running.child);
    await simulator.close();
    rmSync(dataPath, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  if (child.connected) child.disconnect();
  await withDeadline(gone, END_TIMEOUT_MS, () => child.kill('SIGKILL'));
  await gone;
}

type Message =
  | { readonly qr: string; readonly id: string }
  | { readonly call: number; readonly answer?: unknown; readonly error?: string };

function caller(child: ChildProcess, onQr: (id: string, qr: string) => void): BareWorld['call'] {
  const pending = new Map<number, Deferred<never>>();
  let last = 0;
  child.on('message', (message: Message) => {
    if ('qr' in message) {
      onQr(message.id, message.qr);
      return;
    }
    const waiting = pending.get(message.call);
    pending.delete(message.call);
    if (message.error) waiting?.reject(new Error(message.error));
    else waiting?.resolve(message.answer as never);
  });
  child.once('exit', () => {
    for (const { reject } of pending.values()) reject(new Error('the library’s process has exited'));
  });
  return (name, input) => {
    last += 1;
    const answer = deferred<never>();
    pending.set(last, answer);
    child.send({ call: last, name, input });
    return withDeadline<never, never>(answer.promise, CALL_TIMEOUT_MS, () => {
      throw new Error(`the library did not answer ${name} within ${CALL_TIMEOUT_MS / 1_000} s`);
    });
  };
}
