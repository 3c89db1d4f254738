import { withBare } from './bare.ts';
import { type Benchmark, inTurns } from './benchmark.ts';
import { accountsOf, link, QUICK, sessionSeeds, watchReady, withWorld } from './world.ts';

const READY = 'start with saved auth, until ready';
const SECOND = 'the same again';

/** How soon a linked session is ready again. */
export const savedStart: Benchmark = {
  name: 'saved-start',
  rounds: 3,
  goals: [
    { figure: READY, unit: 'ms', limit: (bare) => bare[READY] ?? 0, text: '≤ bare' },
    { figure: SECOND, unit: 'ms' },
  ],

  round: inTurns(
    () => {
      const seeds = sessionSeeds(1);
      return withWorld(
        async (world) => {
          const { client } = world;
          await link(world, 's00');
          const again = async () => {
            await client.stopSession({ id: 's00' });
            const watched = await watchReady(world, ['s00']);
            const startedAt = performance.now();
            await client.startSession({ id: 's00' });
            const [readyAt = Number.NaN] = await watched.times;
            return readyAt - startedAt;
          };
          return { [READY]: await again(), [SECOND]: await again() };
        },
        QUICK,
        {},
        accountsOf(seeds),
      );
    },
    () =>
      withBare(sessionSeeds(1), async ({ call }) => {
        const ids = ['s00'];
        await call('start', { ids });
        const again = async () => {
          await call('stop', { ids });
          const startedAt = Date.now();
          const [readyAt = Number.NaN] = await call('start', { ids });
          return readyAt - startedAt;
        };
        return { [READY]: await again(), [SECOND]: await again() };
      }),
  ),
};
