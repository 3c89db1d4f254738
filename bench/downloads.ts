import { openEventStream } from '@chat-web/host';
import type { SimulatorClient } from '@chat-web/simulator';
import { ADA, BEN, peakMb, resetPeak, workersOf } from '@chat-web/testing';
import type { Stack } from '@chat-web/testing/stack';
import { withBare } from './bare.ts';
import { type Benchmark, type Figures, type Goal, inTurns, median } from './benchmark.ts';
import { sessionSeeds, withStack } from './stack.ts';

const SIZES_MB = [0.05, 1, 16, 40];
const TIMES = 3;
const MB = 1_000_000;

const nameOf = (megabytes: number) => `a download of ${megabytes} MB`;
const PEAK = 'memory peak of worker, or Node, at 40 MB';

export const downloads: Benchmark = {
  name: 'downloads',
  rounds: 3,
  goals: [
    ...SIZES_MB.map((megabytes): Goal => {
      const figure = nameOf(megabytes);
      return { figure, unit: 'ms', limit: (bare) => bare[figure] ?? 0, text: '≤ bare' };
    }),
    { figure: PEAK, unit: 'MB' },
  ],

  round: inTurns(
    () =>
      withStack(
        async (stack) => {
          await stack.link('s00', ADA);
          const over = new AbortController();
          const events = (await openEventStream(stack.gateway, 's00', over.signal))[Symbol.asyncIterator]();
          const arrive = async (megabytes: number) => {
            const [messageId] = await Promise.all([nextMedia(events), sendMedia(stack.phones, megabytes)]);
            return () => readAll(stack, messageId, megabytes * MB);
          };
          const [worker = 0] = workersOf(stack.gateway.pid);
          const figures = await measure(arrive, worker);
          over.abort();
          return figures;
        },
        { sessions: sessionSeeds(1) },
      ),
    () =>
      withBare(sessionSeeds(1), async ({ simulator, call, pid }) => {
        await call('start', { ids: ['s00'] });
        const arrive = async (megabytes: number) => {
          await Promise.all([call('nextMedia', { id: 's00' }), sendMedia(simulator.phones, megabytes)]);
          return () => call('download', { id: 's00' });
        };
        return measure(arrive, pid);
      }),
  ),
};

async function measure(
  arrive: (megabytes: number) => Promise<() => Promise<unknown>>,
  worker: number,
): Promise<Figures> {
  const figures: Record<string, number> = {};
  for (const megabytes of SIZES_MB) {
    const download = await arrive(megabytes);
    await download();
    const { ms, moreMb } = await timed(download, TIMES, [worker]);
    figures[nameOf(megabytes)] = ms;
    figures[PEAK] = moreMb[0] ?? 0;
  }
  return figures;
}

/** Repeats something. Returns its median time, and the most memory that each process used beyond its memory before. */
export async function timed(work: () => Promise<unknown>, count: number, pids: readonly number[]) {
  const before = pids.map(resetPeak);
  const times: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return { ms: median(times), moreMb: pids.map((pid, n) => peakMb(pid) - (before[n] ?? 0)) };
}

/** To `ADA`, from a phone. */
export async function sendMedia(phones: SimulatorClient, megabytes: number): Promise<void> {
  const base64 = Buffer.alloc(megabytes * MB, 'bytes that do not compress to nothing').toString('base64');
  await phones.send(BEN, { to: ADA, media: { kind: 'document', mimeType: 'application/pdf', base64 } });
}

async function nextMedia(events: AsyncIterator<{ name: string; data: unknown }>): Promise<string> {
  for (;;) {
    const { value, done } = await events.next();
    if (done) throw new Error('the stream ended');
    const { id, hasMedia } = value.data as { id?: string; hasMedia?: boolean };
    if (value.name === 'message' && hasMedia && id) return id;
  }
}

async function readAll({ client }: Stack, messageId: string, size: number): Promise<void> {
  let bytes = 0;
  const { data } = await client.getMedia({ id: 's00', messageId });
  for await (const chunk of data) bytes += chunk.length;
  if (bytes !== size) throw new Error(`${bytes} bytes came instead of ${size}`);
}
