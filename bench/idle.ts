import { setTimeout as delay } from 'node:timers/promises';
import { childrenOf, descendantsOf } from '@chat-web/testing';
import type { Stack } from '@chat-web/testing/stack';
import { type BareWorld, withBare } from './bare.ts';
import type { Benchmark } from './benchmark.ts';
import { type Share, shareOf } from './processes.ts';
import { sessionSeeds, withStack } from './stack.ts';

const SESSIONS = 8;
/** A browser is busy with its own start for most of its first minute. */
const SETTLE_MS = 50_000;
const IDLE_MS = 30_000;

const ALL = `${SESSIONS} idle sessions, share of a core for each`;
const NODE = "Node's part of it";

/** The processor use of idle sessions: both sides in the same half minute, on the same machine. */
export const idle: Benchmark = {
  name: 'idle',
  rounds: 2,
  goals: [
    { figure: ALL, unit: '%', limit: () => 0.3, text: '≤ 0.3' },
    { figure: NODE, unit: '%', limit: () => 0.06, text: '≤ 0.06' },
  ],
  round: () => {
    const seeds = sessionSeeds(SESSIONS);
    return withStack(
      async (stack) => {
        for (const { id, number } of seeds) await stack.link(id, number);
        return withBare(seeds, async (bare) => {
          for (const { id } of seeds) await bare.call('start', { ids: [id] });
          await delay(SETTLE_MS);
          const [ours, others] = await Promise.all([ownShare(stack), bareShare(bare)]);
          return { ours: figuresOf(ours), bare: figuresOf(others) };
        });
      },
      { sessions: seeds },
    );
  },
};

function ownShare({ gateway: { pid } }: Stack): Promise<Share> {
  const workers = childrenOf(pid);
  return shareOf([pid, ...workers], workers.flatMap(browserOf), IDLE_MS);
}

function bareShare({ pid }: BareWorld): Promise<Share> {
  return shareOf([pid], browserOf(pid), IDLE_MS);
}

function browserOf(pid: number): number[] {
  return descendantsOf(pid).map((one) => one.pid);
}

function figuresOf({ node, browser }: Share) {
  return { [ALL]: (node + browser) / SESSIONS, [NODE]: node / SESSIONS };
}
