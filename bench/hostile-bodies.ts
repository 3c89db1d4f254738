import { setTimeout as delay } from 'node:timers/promises';
import { hostileBodies, requestOf, sendRaw } from '#scripts/hostile-bodies.js';
import { peakKb, resetPeak, whileProbing } from './probing.ts';
import { cpuMs } from './processor.ts';
import { FRIEND, link, withWorld } from './world.ts';

/**
 * The cost of hostile bodies, many of each kind at once: the time of GET /health meanwhile, and the peak of the gateway's
 * memory above its memory before the first one. `--only TEXT`: only those whose names contain it.
 */

const BODY_BYTES = 10_485_760;
const AT_ONCE = 50;
const REST_MS = 2_000;

const only = process.argv.includes('--only') ? (process.argv.at(-1) ?? '') : '';

await withWorld(async (world) => {
  await link(world, 'bench');
  const { gateway, client } = world;
  await client.sendMessage({ id: 'bench', type: 'text', to: FRIEND, body: 'warm' });
  const rows: Record<string, object> = {};
  const beforeKb = resetPeak(gateway.pid);
  for (const body of hostileBodies.filter(({ name }) => name.includes(only))) {
    const request = requestOf('bench', body, BODY_BYTES);
    resetPeak(gateway.pid);
    let outcomes: (number | string)[] = [];
    let seconds = 0;
    const beforeCpuMs = cpuMs(gateway.pid);
    const times = await whileProbing(gateway.url, async () => {
      const startedAt = performance.now();
      outcomes = await Promise.all(Array.from({ length: AT_ONCE }, () => sendRaw(gateway.url, request)));
      seconds = (performance.now() - startedAt) / 1_000;
    });
    times.sort((a, b) => a - b);
    rows[body.name] = {
      answers: [...new Set(outcomes)]
        .map((one) => `${outcomes.filter((other) => other === one).length} x ${one}`)
        .join(),
      'total, s': seconds.toFixed(1),
      'processor, ms': cpuMs(gateway.pid) - beforeCpuMs,
      '/health p99, ms': times[Math.floor(times.length * 0.99)]?.toFixed(0),
      '/health max, ms': times.at(-1)?.toFixed(0),
      'peak, MB': `+${((peakKb(gateway.pid) - beforeKb) / 1_024).toFixed(0)}`,
    };
    await delay(REST_MS);
  }
  console.log(`${AT_ONCE} bodies of ${BODY_BYTES / 1_048_576} MB at once, for each kind`);
  console.table(rows);
});
