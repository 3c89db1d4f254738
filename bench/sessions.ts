import { type ChildProcess, fork } from 'node:child_process';
import { on } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Simulator, startSimulator } from '@chat-web/simulator';
import { findBrowser } from '@chat-web/worker/browser';
import { childrenOf } from './process-tree.ts';
import { FRIEND, link, withWorld } from './world.ts';

/** The headless shell of Debian; undefined where it is not installed. */
export const HEADLESS_SHELL = existsSync('/usr/bin/chromium-headless-shell')
  ? '/usr/bin/chromium-headless-shell'
  : undefined;

/** A page that syncs at once does so before the library listens, which then never becomes ready. */
const QUICK = { ackDelayMs: 0, pairDelayMs: 100, syncDelayMs: 500 };
const LINK_TIMEOUT_MS = 10_000;
const MOST_TRIES = 5;
const TEXT_INTERVAL_MS = 20;

/** Linked sessions that run side by side, each of an account of its own. */
export interface Sessions {
  /** The process that serves all of them, if there is one. */
  readonly frontPid: number | undefined;
  /** The process of each, parent of its browser. */
  readonly workerPids: readonly number[];
  readonly numbers: readonly string[];
  readonly simulator: Simulator;
}

/** How sessions are run. */
export interface Way {
  readonly name: string;
  run<T>(count: number, work: (sessions: Sessions) => Promise<T>): Promise<T>;
}

/** As the gateway runs them; `settings` are its environment. */
export function byGateway(name: string, settings: Readonly<Record<string, string>> = {}): Way {
  return {
    name,
    run: (count, work) =>
      withWorld(
        async (world) => {
          const numbers = await addAccounts(world.simulator, count);
          for (const number of numbers) await link(world, `session-${number}`, number);
          const frontPid = world.gateway.pid;
          return work({ frontPid, workerPids: childrenOf(frontPid), numbers, simulator: world.simulator });
        },
        QUICK,
        settings,
      ),
  };
}

/** As the library runs them alone: a process without flags for each. */
export function byLibrary(name: string, browserPath?: string): Way {
  return {
    name,
    run: async (count, work) => {
      const simulator = await startSimulator({ settings: QUICK });
      const children: ChildProcess[] = [];
      const folder = mkdtempSync(join(tmpdir(), 'chat-web-bench-'));
      try {
        const numbers = await addAccounts(simulator, count);
        const path = browserPath ?? findBrowser({ env: process.env });
        // One after the other: of many that start at once, most never become ready.
        for (const number of numbers) {
          children.push(await linkedLibrary(simulator, number, path, folder));
        }
        const workerPids = children.map(({ pid }) => pid ?? 0);
        return await work({ frontPid: undefined, workerPids, numbers, simulator });
      } finally {
        await Promise.all(children.map(end));
        await simulator.close();
        rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
      }
    },
  };
}

/** Runs sessions in several ways at the same time, so that the noise of the machine is the same for all. */
export function sideBySide<T>(
  ways: readonly Way[],
  count: number,
  work: (all: readonly { readonly name: string; readonly sessions: Sessions }[]) => Promise<T>,
): Promise<T> {
  const next = (left: readonly Way[], started: Parameters<typeof work>[0]): Promise<T> => {
    const [way, ...others] = left;
    if (!way) return work(started);
    return way.run(count, (sessions) => next(others, [...started, { name: way.name, sessions }]));
  };
  return next(ways, []);
}

/**
 * Has each session receive this many texts, fifty a second at most: of more at once, the library alone holds on to most of
 * its garbage for minutes. Resolves when the network has taken them.
 */
export async function receive({ simulator, numbers }: Sessions, texts: number): Promise<void> {
  await Promise.all(
    numbers.map(async (number) => {
      for (let n = 0; n < texts; n += 1) {
        const isDue = delay(TEXT_INTERVAL_MS);
        await simulator.phones.send(FRIEND, { to: number, body: `message ${n}` });
        await isDue;
      }
    }),
  );
}

async function addAccounts({ phones }: Simulator, count: number): Promise<string[]> {
  const numbers = Array.from({ length: count }, (_, n) => `120255502${String(n).padStart(2, '0')}`);
  for (const number of numbers) await phones.addAccount({ number, name: `Account ${number}` });
  return numbers;
}

/** Starts the library for an account, again if it has missed that it is ready. */
async function linkedLibrary(
  simulator: Simulator,
  number: string,
  browserPath: string,
  folder: string,
): Promise<ChildProcess> {
  for (let tries = 1; ; tries += 1) {
    const dataPath = join(folder, `${number}-${tries}`);
    const options = { dataPath, browserPath, browserArgs: simulator.browserArgs };
    const child = fork(new URL('./bare-client.js', import.meta.url), [JSON.stringify(options)]);
    try {
      await untilReady(child, simulator, number);
      return child;
    } catch (error) {
      await end(child);
      if (tries === MOST_TRIES) throw error;
    }
  }
}

async function untilReady(child: ChildProcess, { phones }: Simulator, number: string): Promise<void> {
  for await (const [message] of on(child, 'message', { signal: AbortSignal.timeout(LINK_TIMEOUT_MS) })) {
    const { qr, ready } = message as { qr?: string; ready?: boolean };
    if (qr && !qr.startsWith('undefined')) await phones.scan(number, qr);
    if (ready) return;
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.disconnect();
  await gone;
}
