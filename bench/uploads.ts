import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { workerOf } from './memory.ts';
import { FRIEND, link, withWorld } from './world.ts';

/**
 * What an upload costs the gateway: the peak of its memory and of the worker's, and the longest time that GET /health
 * took meanwhile. Beside it the same bytes in a body that is held in memory and parsed as a whole, which is what an
 * upload would cost without streaming.
 */

const SIZES_MB = [1, 16, 64];
const MB = 1_048_576;

await withWorld(async (world) => {
  await link(world, 'bench');
  const { gateway, client } = world;
  const worker = workerOf(gateway.pid);
  const rows: Record<string, Record<string, string>> = {};
  const base64Of = (megabytes: number) => Buffer.alloc(megabytes * MB, 7).toString('base64');
  // Those that are streamed come first: memory that has been taken once is not given back at once.
  for (const megabytes of SIZES_MB) {
    const base64 = base64Of(megabytes);
    rows[`${megabytes} MB, streamed and sent`] = await measure(() =>
      client.sendMessage({ id: 'bench', type: 'document', to: FRIEND, base64, filename: 'bench.bin' }),
    );
  }
  for (const megabytes of SIZES_MB) {
    const body = base64Of(megabytes);
    // A field too long for its schema: read and parsed whole, then refused.
    rows[`${megabytes} MB, parsed whole`] = await measure(() =>
      client.editMessage({ id: 'bench', messageId: `true_${FRIEND}@c.us_AA`, body }).catch(() => {}),
    );
  }
  console.log('an upload: peak memory above that before it, and the longest answer of GET /health');
  console.table(rows);

  async function measure(work: () => Promise<unknown>): Promise<Record<string, string>> {
    await delay(1_000);
    const before = [gateway.pid, worker].map(resetPeak);
    let seconds = 0;
    const stallMs = await whileProbing(gateway.url, async () => {
      const startedAt = performance.now();
      await work();
      seconds = (performance.now() - startedAt) / 1_000;
    });
    const after = [gateway.pid, worker].map(peak);
    const [supervisorMb = 0, workerMb = 0] = after.map((value, index) => (value - (before[index] ?? 0)) / 1_024);
    return {
      'supervisor, MB': supervisorMb.toFixed(0),
      'worker, MB': workerMb.toFixed(0),
      '/health, ms': stallMs.toFixed(0),
      'in all, s': seconds.toFixed(1),
    };
  }
});

/** Starts a process's peak anew; its memory now, in KB. */
function resetPeak(pid: number): number {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return peak(pid);
}

function peak(pid: number): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
}

/** Probes GET /health from a thread of its own: this one is busy with the upload. */
async function whileProbing(url: string, work: () => Promise<unknown>): Promise<number> {
  const probe = new Worker(new URL('./health-probe.js', import.meta.url), { workerData: url });
  await once(probe, 'online');
  await delay(300);
  await work();
  probe.postMessage('stop');
  const [longest] = await once(probe, 'message');
  return Number(longest);
}
