import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { peakKb, resetPeak, whileProbing } from './probing.ts';
import { workerOf } from './process-tree.ts';
import { FRIEND, link, withWorld } from './world.ts';

/**
 * The cost of an upload: the memory peaks of gateway and worker, and the slowest GET /health meanwhile. For comparison, a
 * server that holds the body in memory and parses it as a whole.
 */

const SIZES_MB = [1, 16, 64];
const MB = 1_048_576;

type Row = Readonly<Record<string, string>>;
const rows: Record<string, Row> = {};
const bodyOf = (megabytes: number) => ({ base64: Buffer.alloc(megabytes * MB, 7).toString('base64') });

await withWorld(async (world) => {
  await link(world, 'bench');
  const { gateway, client } = world;
  const pids = [gateway.pid, workerOf(gateway.pid)];
  for (const megabytes of SIZES_MB) {
    const body = { type: 'document', to: FRIEND, filename: 'bench.bin', ...bodyOf(megabytes) } as const;
    rows[`${megabytes} MB, streamed and sent`] = await measure(gateway.url, pids, () =>
      client.sendMessage({ id: 'bench', ...body }),
    );
  }
});

const whole = fork(new URL('./whole-body-server.js', import.meta.url));
const [{ port }] = (await once(whole, 'message')) as [{ port: number }];
for (const megabytes of SIZES_MB) {
  const url = `http://127.0.0.1:${port}`;
  const body = JSON.stringify(bodyOf(megabytes));
  rows[`${megabytes} MB, parsed whole`] = await measure(url, [whole.pid ?? 0], () =>
    fetch(url, { method: 'POST', body }),
  );
}
whole.disconnect();

console.log('an upload: memory peak above the memory before it, and the slowest answer of GET /health');
console.table(rows);

async function measure(url: string, pids: readonly number[], work: () => Promise<unknown>): Promise<Row> {
  await delay(1_000);
  const before = pids.map(resetPeak);
  let seconds = 0;
  const answerMs = await whileProbing(url, async () => {
    const startedAt = performance.now();
    await work();
    seconds = (performance.now() - startedAt) / 1_000;
  });
  const [frontMb = 0, workerMb] = pids.map((pid, index) => (peakKb(pid) - (before[index] ?? 0)) / 1_024);
  return {
    'front process, MB': frontMb.toFixed(0),
    'worker, MB': workerMb?.toFixed(0) ?? '',
    '/health, ms': Math.max(...answerMs).toFixed(0),
    'total, s': seconds.toFixed(1),
  };
}
