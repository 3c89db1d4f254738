import { expect, it, vi } from 'vitest';
import { SessionStats } from './session-stats.ts';

it('the page of a run is not that of the next run, but stays available for comparison', () => {
  const stats = new SessionStats();
  const page = { testIds: true, version: '2.1', degraded: [] };
  stats.runBegins();
  expect(stats.lastPage).toBeUndefined();
  stats.page = page;
  stats.runBegins();
  expect(stats.page).toBeUndefined();
  stats.runBegins(); // A start that failed before it saw a page.
  expect(stats.lastPage).toBe(page);
  stats.page = { testIds: true, version: '2.2', degraded: [] };
  expect(stats.lastPage?.version).toBe('2.2');
});

it('the missing sandbox of a browser is not that of the next one', () => {
  const stats = new SessionStats();
  stats.unsandboxed = 'Chromium has none for root';
  stats.runBegins();
  expect(stats.unsandboxed).toBeUndefined();
});

it('keeps one memory sample per minute, for the last hour', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'] });
  const stats = new SessionStats();
  const measure = (n: number) => stats.measured({ workerBytes: n, browserBytes: 2 * n, processes: 3 });
  for (let half = 0; half < 300; half += 1) {
    if (half === 250) stats.measured(undefined);
    else measure(half);
    vi.advanceTimersByTime(30_000);
  }
  expect(stats.memory).toEqual({ workerBytes: 299, browserBytes: 598, processes: 3 });
  const { memorySamples } = stats;
  expect(memorySamples.length).toBeGreaterThanOrEqual(59);
  expect(memorySamples.length).toBeLessThanOrEqual(60);
  const times = memorySamples.map(({ at }) => Date.parse(at));
  expect(times[0]).toBeGreaterThan(Date.now() - 3_600_000);
  for (const [n, at] of times.entries()) expect(at - (times[n - 1] ?? 0)).toBeGreaterThan(29_000);
  expect(memorySamples.at(-1)).toEqual({ at: expect.any(String), workerBytes: 299, browserBytes: 598 });
  stats.measured(undefined);
  expect(stats.memory).toBeUndefined();
  vi.advanceTimersByTime(1_800_000);
  expect(stats.memorySamples.length).toBeLessThanOrEqual(30);
  vi.advanceTimersByTime(1_800_000);
  expect(stats.memorySamples).toEqual([]);
});
