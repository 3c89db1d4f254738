import type { Benchmark } from './benchmark.ts';
import { measureFront } from './front.ts';

const STATUS = 'GET status, 16 connections';
const STATUS_COST = 'its processor time';
const SEND_COST = 'a send that takes no time: processor time of the front process';
const PACED_SEND_COST = 'sends of 100 ms each, 16 at once: the same';

/** The front process alone, beside a bare route of Hono: its workers answer at once. */
export const status: Benchmark = {
  name: 'status',
  rounds: 3,
  goals: [
    { figure: STATUS, unit: '1/s', limit: (bare) => 0.5 * (bare[STATUS] ?? 0), text: '≥ 0.5 × bare', isLeast: true },
    { figure: STATUS_COST, unit: 'ms' },
    { figure: SEND_COST, unit: 'ms' },
    { figure: PACED_SEND_COST, unit: 'ms' },
  ],
  round: async () => {
    const { bare, status, send, pacedSend } = await measureFront();
    return {
      ours: {
        [STATUS]: status.perSecond,
        [STATUS_COST]: status.processorMs,
        [SEND_COST]: send.processorMs,
        [PACED_SEND_COST]: pacedSend.processorMs,
      },
      bare: { [STATUS]: bare.perSecond, [STATUS_COST]: bare.processorMs },
    };
  },
};
