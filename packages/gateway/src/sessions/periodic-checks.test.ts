import { beforeEach, expect, it, vi } from 'vitest';
import { checkPeriodically } from './periodic-checks.ts';

beforeEach(() => void vi.useFakeTimers());

it('runs every two seconds, until it ends; a busy watch skips a round, and does not delay others', async () => {
  const over = new AbortController();
  let finish = () => {};
  const slow = { check: vi.fn(() => new Promise<void>((resolve) => (finish = resolve))) };
  const quick = { check: vi.fn(async () => {}) };
  checkPeriodically([slow, quick], () => ['ada'], over.signal);
  await vi.advanceTimersByTimeAsync(6_000);
  expect(slow.check).toHaveBeenCalledExactlyOnceWith(['ada']);
  expect(quick.check).toHaveBeenCalledTimes(3);
  finish();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(slow.check).toHaveBeenCalledTimes(2);
  over.abort();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(quick.check).toHaveBeenCalledTimes(4);
});
