import { beforeEach, expect, it, vi } from 'vitest';
import { everyShared } from './shared-interval.ts';

beforeEach(() => void vi.useFakeTimers());

it('uses one timer for all callbacks with the same interval, each until it is stopped', () => {
  const [first, second, slower] = [vi.fn(), vi.fn(), vi.fn()];
  const stopFirst = everyShared(5_000, first);
  vi.advanceTimersByTime(2_000);
  const stopSecond = everyShared(5_000, second);
  const stopSlower = everyShared(30_000, slower);
  expect(vi.getTimerCount()).toBe(2);
  vi.advanceTimersByTime(3_000);
  expect(first).toHaveBeenCalledOnce();
  expect(second).toHaveBeenCalledOnce();

  stopFirst();
  vi.advanceTimersByTime(5_000);
  expect(first).toHaveBeenCalledOnce();
  expect(second).toHaveBeenCalledTimes(2);
  stopSecond();
  stopSlower();
  expect(vi.getTimerCount()).toBe(0);
  expect(slower).not.toHaveBeenCalled();
});
