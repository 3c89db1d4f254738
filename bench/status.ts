import type { Benchmark } from './benchmark.ts';
import { measureFront } from './front.ts';

const STATUS = 'GET status, 16 connections';

/** The front process alone, beside a bare route of Hono: its workers answer at once. */
export const status: Benchmark = {
  name: 'status',
  rounds: 5,
  goals: [
    { figure: STATUS, unit: '1/s', limit: (bare) => 0.5 * (bare[STATUS] ?? 0), text: '≥ 0.5 × bare', isLeast: true },
    { figure: 'its processor time', unit: 'ms' },
    { figure: 'sends of 100 ms each, 16 at once: processor time of the front process', unit: 'ms' },
  ],
  round: async () => {
    const [round] = await measureFront(1);
    if (!round) throw new Error('nothing was measured');
    return {
      ours: {
        [STATUS]: round.status.perSecond,
        'its processor time': round.status.processorMs,
        'sends of 100 ms each, 16 at once: processor time of the front process': round.pacedSend.processorMs,
      },
      bare: { [STATUS]: round.bare.perSecond, 'its processor time': round.bare.processorMs },
    };
  },
};
