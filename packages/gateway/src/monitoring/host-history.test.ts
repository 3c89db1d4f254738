import { tmpdir } from 'node:os';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { HostHistory } from './host-history.ts';

const level = (value: number) => ({ help: '', read: () => value });
const levels = {
  starts_waiting: level(3),
  starts_booting: level(2),
  journal_bytes: level(1_000),
  streams_open: level(1),
};
const sessions = [
  { stats: { memory: { workerBytes: 10, browserBytes: 20, processes: 2 } } },
  { stats: { memory: undefined } },
  { stats: { memory: { workerBytes: 1, browserBytes: 2, processes: 2 } } },
];

let now: number;
beforeEach(() => {
  now = 1_000_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});

describe('the history of the host', () => {
  it('has a sample every 15 s, for the last hour', async () => {
    const history = new HostHistory(tmpdir(), levels);
    expect(history.view.samples).toEqual([]);
    let at: string | undefined;
    for (let second = 0; second < 2 * 3_600; second += 2) {
      await history.check(sessions);
      now += 2_000;
      if (second === 3_600) at = history.view.samples.at(-1)?.at;
    }
    expect(history.view.samples).toHaveLength(240);
    expect(Date.parse(history.view.samples[0]?.at ?? '')).toBeGreaterThanOrEqual(Date.parse(at ?? ''));
  });

  it('has the totals, and how much of them the gateway and its sessions use', async () => {
    const history = new HostHistory(tmpdir(), levels);
    await history.check(sessions);
    const { samples, memoryTotalBytes, diskTotalBytes = 0 } = history.view;
    expect(samples).toMatchObject([
      { sessionsBytes: 33, startsWaiting: 3, startsBooting: 2, journalBytes: 1_000, streamsOpen: 1 },
    ]);
    const [{ memoryAvailableBytes = 0, diskFreeBytes = 0, gatewayBytes = 0 } = {}] = samples;
    expect(memoryAvailableBytes).toBeGreaterThan(0);
    expect(memoryAvailableBytes).toBeLessThanOrEqual(memoryTotalBytes);
    expect(diskFreeBytes).toBeGreaterThan(0);
    expect(diskFreeBytes).toBeLessThanOrEqual(diskTotalBytes);
    expect(gatewayBytes).toBeGreaterThan(10e6);
    expect(gatewayBytes).toBeLessThan(memoryTotalBytes);
  });

  it('distinguishes a busy process from a waiting one', async () => {
    const history = new HostHistory(tmpdir(), levels);
    const sampled = async () => {
      await history.check([]);
      now += 15_000;
      return history.view.samples.at(-1);
    };
    await sampled();
    await expect.poll(async () => (await sampled())?.loopUtilization, { interval: 400 }).toBeLessThan(0.5);
    const before = process.cpuUsage();
    while (process.cpuUsage(before).user < 300_000);
    const busy = await sampled();
    expect(busy?.loopUtilization).toBeGreaterThan(0.8);
    expect(busy?.loopUtilization).toBeLessThanOrEqual(1);
    // 300 ms of 15 s, as far as the history knows.
    expect(busy?.cpuShare).toBeGreaterThanOrEqual(0.02);
    expect(busy?.cpuShare).toBeLessThan(0.2);
  });

  it('continues without a disk that it cannot read', async () => {
    const history = new HostHistory('/nowhere', levels);
    await history.check(sessions);
    expect(history.view).not.toHaveProperty('diskTotalBytes');
    expect(history.view.samples[0]).not.toHaveProperty('diskFreeBytes');
  });
});
