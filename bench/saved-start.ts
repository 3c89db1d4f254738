import { type GatewayAddress, openEventStream } from '@chat-web/host';
import { ADA } from '@chat-web/testing';
import { withBare } from './bare.ts';
import { type Benchmark, inTurns } from './benchmark.ts';
import { sessionSeeds, withStack } from './stack.ts';

const READY = 'start with saved auth, until ready';
const SESSIONS = sessionSeeds(1);
const ID = 's00';

export const savedStart: Benchmark = {
  name: 'saved-start',
  rounds: 3,
  goals: [{ figure: READY, unit: 'ms', limit: (bare) => bare[READY] ?? 0, text: '≤ bare' }],

  round: inTurns(
    () =>
      withStack(
        async (stack) => {
          await stack.link(ID, ADA);
          await stack.client.stopSession({ id: ID });
          const isReady = await watchReady(stack.gateway);
          const startedAt = performance.now();
          await stack.client.startSession({ id: ID });
          return { [READY]: (await isReady()) - startedAt };
        },
        { sessions: SESSIONS },
      ),
    () =>
      withBare(SESSIONS, async ({ call }) => {
        await call('start', { ids: [ID] });
        await call('stop', { ids: [ID] });
        const startedAt = Date.now();
        const [readyAt = Number.NaN] = await call('start', { ids: [ID] });
        return { [READY]: readyAt - startedAt };
      }),
  ),
};

/** Resolves once the stream is open, with a function that resolves with when the session was ready. */
async function watchReady(gateway: GatewayAddress): Promise<() => Promise<number>> {
  const over = new AbortController();
  const events = await openEventStream(gateway, ID, over.signal);
  const read = async () => {
    for await (const { name } of events) if (name === 'ready') return performance.now();
    throw new Error('the stream ended before the session was ready');
  };
  const readyAt = read().finally(() => over.abort());
  return () => readyAt;
}
