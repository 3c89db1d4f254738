import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { measureSession } from './memory.ts';

const MB = 1_048_576;

it('separates the worker from its descendants', async () => {
  const hold = (megabytes: number) =>
    `const held = Buffer.alloc(${megabytes * MB}, 1); setInterval(() => held[0], 1e6);`;
  const child = `require('child_process').spawn(process.execPath, ['-e', '${hold(96)} console.log(1)'], { stdio: 'inherit' });`;
  const worker = spawn(process.execPath, ['-e', hold(32) + child], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const pid = worker.pid ?? 0;
  await once(worker.stdout, 'data');
  // Killed as a group, since its child would outlive it.
  const { workerBytes, browserBytes, processes } = await measureSession(pid).finally(() =>
    process.kill(-pid, 'SIGKILL'),
  );
  expect(processes).toBe(2);
  expect(workerBytes).toBeGreaterThan(32 * MB);
  expect(workerBytes).toBeLessThan(96 * MB);
  expect(browserBytes).toBeGreaterThan(96 * MB);
  expect(browserBytes).toBeLessThan(160 * MB);
});

it('is zero for a dead worker', async () => {
  expect(await measureSession(999_999_999)).toEqual({ workerBytes: 0, browserBytes: 0, processes: 0 });
});
