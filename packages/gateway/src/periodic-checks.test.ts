import { beforeEach, expect, it, vi } from 'vitest';
import { checkPeriodically } from './periodic-checks.ts';

beforeEach(() => void vi.useFakeTimers());

const log = { error: vi.fn() };

it('runs every two seconds, until it ends; a busy watch skips a round, and does not delay others', async () => {
  const over = new AbortController();
  let finish = () => {};
  const slow = { check: vi.fn(() => new Promise<void>((resolve) => (finish = resolve))) };
  const quick = { check: vi.fn(async () => {}) };
  checkPeriodically([slow, quick], () => ['ada'], over.signal, log);
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

it('goes on after failures, and logs the first of a series', async () => {
  const over = new AbortController();
  let isFailing = true;
  const watch = {
    check: vi.fn(async () => {
      if (isFailing) throw new Error('too many open files');
    }),
  };
  const other = { check: vi.fn(async () => {}) };
  checkPeriodically([watch, other], () => [], over.signal, log);
  const lines = async (rounds: number) => {
    await vi.advanceTimersByTimeAsync(rounds * 2_000);
    return log.error.mock.calls;
  };
  const line = [{ error: 'too many open files' }, 'periodic check failed'];
  expect(await lines(5)).toEqual([line]);
  isFailing = false;
  expect(await lines(1)).toEqual([line]);
  isFailing = true;
  expect(await lines(2)).toEqual([line, line]);
  expect([watch.check.mock.calls.length, other.check.mock.calls.length]).toEqual([8, 8]);
  over.abort();
});
