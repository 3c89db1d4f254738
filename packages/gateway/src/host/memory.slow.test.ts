import { spawn } from 'node:child_process';
import { MB } from '@chat-web/protocol';
import { firstLineOf } from '@chat-web/testing';
import { expect, it } from 'vitest';
import { MemoryMeter } from './memory.ts';
import { listRelatives } from './processes.ts';

it('separates the worker from its descendants', async () => {
  const hold = (megabytes: number) =>
    `const held = Buffer.alloc(${megabytes * MB}, 1); setInterval(() => held[0], 1e6);`;
  const child = `require('child_process').spawn(process.execPath, ['-e', '${hold(96)} console.log(1)'], { stdio: 'inherit' });`;
  const worker = spawn(process.execPath, ['-e', hold(32) + child], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const pid = worker.pid ?? 0;
  await firstLineOf(worker, worker.stdout);
  // Killed as a group, since its child would outlive it.
  const { workerBytes, browserBytes, processes } = await new MemoryMeter()
    .measure(pid, { exact: true })
    .finally(() => process.kill(-pid, 'SIGKILL'));
  expect(processes).toBe(2);
  expect(workerBytes).toBeGreaterThan(32 * MB);
  expect(workerBytes).toBeLessThan(96 * MB);
  expect(browserBytes).toBeGreaterThan(96 * MB);
  expect(browserBytes).toBeLessThan(160 * MB);
});

it('is zero for a dead worker', async () => {
  expect(await new MemoryMeter().measure(999_999_999, { exact: false })).toEqual({
    workerBytes: 0,
    browserBytes: 0,
    processes: 0,
  });
});

it('counts the growth of a known process, and a new one, without walking all pages', async () => {
  const program = `
    const held = [];
    process.stdin.on('data', (megabytes) => {
      held.push(Buffer.alloc(megabytes * ${MB}, 1));
      console.log('held');
    });
    console.log('up');`;
  const worker = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'ignore'] });
  const pid = worker.pid ?? 0;
  try {
    await firstLineOf(worker, worker.stdout);
    const meter = new MemoryMeter();
    const first = await meter.measure(pid, { exact: true });
    worker.stdin.write('64');
    await firstLineOf(worker, worker.stdout);
    const estimate = await meter.measure(pid, { exact: false });
    expect(estimate.workerBytes - first.workerBytes).toBeGreaterThan(63 * MB);
    const exact = await meter.measure(pid, { exact: true });
    expect(Math.abs(exact.workerBytes - estimate.workerBytes)).toBeLessThan(4 * MB);

    worker.stdin.write('512');
    await firstLineOf(worker, worker.stdout);
    const processes = await listRelatives();
    const costOf = async (isExact: boolean) => {
      const before = process.cpuUsage();
      for (let n = 0; n < 20; n += 1) await meter.measure(pid, { exact: isExact, processes });
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    await costOf(false);
    expect(await costOf(false)).toBeLessThan((await costOf(true)) / 2);
  } finally {
    worker.kill('SIGKILL');
  }
});
