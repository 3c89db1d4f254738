import { setTimeout as delay } from 'node:timers/promises';
import { BEN, childrenOf } from '@chat-web/testing';
import { withBare } from './bare.ts';
import { type Benchmark, burstOf, type Figures, inTurns, median, p99 } from './benchmark.ts';
import { Poster } from './poster.ts';
import { cpuMs, treeCpuMs } from './processes.ts';
import { sessionSeeds, withStack } from './stack.ts';

const LATENCY_SENDS = 200;
const IN_FLIGHT = 16;
const BURST_SENDS = 800;
const SESSIONS = 4;
const ALL_BURST_SENDS = 300;
/** For each session. A gateway runs for months: V8 has compiled its hot code. */
const WARM_UP = 200;
const TO = `${BEN}@c.us`;
const SECOND_MS = 1_000;
/** After a burst, acks still arrive: they are part of its cost. */
const SETTLE_MS = 1_500;

const ANSWERED = 'a send, until the network has it, p50';
const ONE = `sends/s, ${IN_FLIGHT} at once, one session`;
const ONE_ACKED = 'the same, until the network has all of them';
const ALL = `sends/s, ${IN_FLIGHT} at once in each of ${SESSIONS} sessions`;
const IN_ALL = `processor time of a send, ${IN_FLIGHT} at once`;

export const sends: Benchmark = {
  name: 'sends',
  rounds: 3,
  goals: [
    { figure: ANSWERED, unit: 'ms', limit: (bare) => (bare[ANSWERED] ?? 0) + 1, text: '≤ bare + 1 ms' },
    { figure: 'the same, p99', unit: 'ms' },
    { figure: ONE, unit: '1/s', limit: (bare) => 0.95 * (bare[ONE] ?? 0), text: '≥ 0.95 × bare', isMin: true },
    { figure: ONE_ACKED, unit: '1/s' },
    { figure: ALL, unit: '1/s', limit: (bare) => 0.95 * (bare[ALL] ?? 0), text: '≥ 0.95 × bare', isMin: true },
    { figure: IN_ALL, unit: 'ms', limit: (bare) => 1.15 * (bare[IN_ALL] ?? 0), text: '≤ 1.15 × bare' },
    { figure: 'of it: front process', unit: 'ms' },
    { figure: 'of it: worker, or Node', unit: 'ms' },
    { figure: 'of it: browser', unit: 'ms' },
  ],

  round: inTurns(
    () => {
      const seeds = sessionSeeds(SESSIONS);
      return withStack(
        async (stack) => {
          for (const { id, number } of seeds) await stack.link(id, number);
          const poster = new Poster(stack.address);
          const send = (id: string, body: string) => poster.send(id, body);
          for (const { id } of seeds) for (let n = 0; n < WARM_UP; n += 1) await send(id, `warm ${n}`);
          const times: number[] = [];
          for (let n = 0; n < LATENCY_SENDS; n += 1) {
            times.push(await poster.timed('s00', `text ${n}`));
          }
          const workers = childrenOf(stack.gateway.pid);
          const burst = (ids: readonly string[], count: number) =>
            burstOf(ids, count, IN_FLIGHT, (id, n) => send(id, `text ${n}`));
          const spent = () => ({
            front: cpuMs(stack.gateway.pid),
            worker: workers.reduce((sum, pid) => sum + cpuMs(pid), 0),
            browser: treeCpuMs(workers),
          });
          const figures = await figuresOf(times, seeds, spent, burst);
          poster.close();
          return figures;
        },
        { sessions: seeds },
      );
    },
    () => {
      const seeds = sessionSeeds(SESSIONS);
      return withBare(seeds, async ({ call, pid }) => {
        const ids = seeds.map(({ id }) => id);
        for (const id of ids) await call('start', { ids: [id] });
        for (const id of ids) await call('latencies', { id, to: TO, count: WARM_UP, acked: false });
        const times = await call('latencies', { id: 's00', to: TO, count: LATENCY_SENDS, acked: true });
        const burst =
          (acked: boolean) =>
          (some: readonly string[], count: number): Promise<number> =>
            call('burst', { ids: [...some], to: TO, count, inFlight: IN_FLIGHT, acked });
        const spent = () => ({ front: 0, worker: cpuMs(pid), browser: treeCpuMs([pid]) });
        const ackedMs = await burst(true)(['s00'], BURST_SENDS);
        const figures = await figuresOf(times, seeds, spent, burst(false));
        return { ...figures, [ONE_ACKED]: (BURST_SENDS / ackedMs) * SECOND_MS };
      });
    },
  ),
};

interface Spent {
  readonly front: number;
  readonly worker: number;
  readonly browser: number;
}

async function figuresOf(
  times: readonly number[],
  seeds: readonly { readonly id: string }[],
  spent: () => Spent,
  burst: (ids: readonly string[], count: number) => Promise<number>,
): Promise<Figures> {
  const before = spent();
  const oneMs = await burst(['s00'], BURST_SENDS);
  await delay(SETTLE_MS);
  const after = spent();
  const each = (part: keyof Spent) => (after[part] - before[part]) / BURST_SENDS;
  const allMs = await burst(
    seeds.map(({ id }) => id),
    ALL_BURST_SENDS,
  );
  return {
    [ANSWERED]: median(times),
    'the same, p99': p99(times),
    [ONE]: (BURST_SENDS / oneMs) * SECOND_MS,
    [ONE_ACKED]: (BURST_SENDS / oneMs) * SECOND_MS,
    [ALL]: ((ALL_BURST_SENDS * seeds.length) / allMs) * SECOND_MS,
    [IN_ALL]: each('front') + each('worker') + each('browser'),
    'of it: front process': each('front'),
    'of it: worker, or Node': each('worker'),
    'of it: browser': each('browser'),
  };
}
