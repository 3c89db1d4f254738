import { setTimeout as delay } from 'node:timers/promises';
import type { SimulatorClient } from '@chat-web/simulator';
import { BEN, childrenOf, descendantsOf } from '@chat-web/testing';
import { withBare } from './bare.ts';
import { type Benchmark, type Figures, type Goal, inTurns } from './benchmark.ts';
import { memoryOf } from './processes.ts';
import { type SessionSeed, sessionSeeds, untilReady, withStack } from './stack.ts';

const SESSIONS = 8;
const MESSAGES = 1_000;
const AT_ONCE = 8;
const SETTLE_MS = 5_000;
const SECOND_MS = 1_000;

const FIRST = `${SESSIONS} saved sessions, from the start of the process: first ready`;
const ALL = 'all ready';
const READY_MB = 'memory of each, when ready';
const LATER_MB = `after ${MESSAGES} messages each`;

/** Eight sessions: the time until they are back, and their memory. */
export const eight = benchmarkOf('eight', false, 0.6);
/** The same with the headless shell, if it is installed. */
export const eightShell = benchmarkOf('eight-shell', true, 0.45);

function benchmarkOf(name: string, headlessShell: boolean, share: number): Benchmark {
  const seeds = sessionSeeds(SESSIONS);
  const max = (figure: string, factor: number): Pick<Goal, 'figure' | 'limit' | 'text'> => ({
    figure,
    limit: (bare) => factor * (bare[figure] ?? 0),
    text: factor === 1 ? '≤ bare' : `≤ ${factor} × bare`,
  });
  return {
    name,
    rounds: 2,
    goals: [
      { ...max(FIRST, 1), unit: 's' },
      { ...max(ALL, 0.75), unit: 's' },
      { ...max(READY_MB, share), unit: 'MB' },
      { figure: 'of it: front and worker, or Node', unit: 'MB' },
      { ...max(LATER_MB, share), unit: 'MB' },
    ],

    round: inTurns(
      () =>
        withStack(
          async (stack) => {
            for (const { id, number } of seeds) await stack.link(id, number);
            await stack.gateway.end();
            const startedAt = performance.now();
            await stack.restartGateway();
            const readyAt = await untilReady(stack, SESSIONS, startedAt);
            const { pid } = stack.gateway;
            const node = () => [pid, ...childrenOf(pid)];
            return { ...bootFigures(readyAt), ...(await rest(stack.phones, seeds, node)) };
          },
          { sessions: seeds, settings: headlessShell ? { CHAT_WEB_HEADLESS_SHELL: 'true' } : {} },
        ),
      () =>
        withBare(
          seeds,
          async (world) => {
            const ids = seeds.map(({ id }) => id);
            for (const id of ids) await world.call('start', { ids: [id] });
            await world.call('stop', { ids });
            let startedAt = 0;
            await world.restart(() => {
              startedAt = Date.now();
            });
            const readyAt = (await world.call('start', { ids })).map((at) => at - startedAt);
            return { ...bootFigures(readyAt), ...(await rest(world.simulator.phones, seeds, () => [world.pid])) };
          },
          { headlessShell },
        ),
    ),
  };
}

function bootFigures(readyAt: readonly number[]): Figures {
  return {
    [FIRST]: (readyAt[0] ?? Number.NaN) / SECOND_MS,
    [ALL]: (readyAt.at(-1) ?? Number.NaN) / SECOND_MS,
  };
}

async function rest(phones: SimulatorClient, seeds: readonly SessionSeed[], node: () => number[]): Promise<Figures> {
  await delay(SETTLE_MS);
  const pids = node();
  const browsers = pids.flatMap((pid) => descendantsOf(pid).map((one) => one.pid)).filter((pid) => !pids.includes(pid));
  const all = [...new Set(browsers)];
  const memory = () => memoryOf(pids, all);
  const ready = memory();
  await Promise.all(seeds.map(({ number }) => flood(phones, number)));
  await delay(SETTLE_MS);
  const later = memory();
  return {
    [READY_MB]: (ready.nodeMb + ready.browserMb) / SESSIONS,
    'of it: front and worker, or Node': ready.nodeMb / SESSIONS,
    [LATER_MB]: (later.nodeMb + later.browserMb) / SESSIONS,
  };
}

async function flood(phones: SimulatorClient, to: string): Promise<void> {
  for (let n = 0; n < MESSAGES; n += AT_ONCE)
    await Promise.all(Array.from({ length: AT_ONCE }, (_, k) => phones.send(BEN, { to, body: `message ${n + k}` })));
}
