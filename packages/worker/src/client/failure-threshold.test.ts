import { expect, it } from 'vitest';
import { FailureThreshold } from './failure-threshold.ts';

const HOUR = 3_600_000;

it('is reached at the second failure in a row, but not with a success in between', () => {
  const threshold = new FailureThreshold(2, HOUR);
  expect(threshold.fail(0)).toBe(false);
  threshold.reset();
  expect(threshold.fail(1_000)).toBe(false);
  expect(threshold.fail(2_000)).toBe(true);
});

it('is not reached by failures further apart than its window', () => {
  const threshold = new FailureThreshold(2, HOUR);
  const times = [0, 1, 2, 3].map((day) => threshold.fail(day * 24 * HOUR));
  expect(times).toEqual([false, false, false, false]);
  expect(threshold.fail(3 * 24 * HOUR + HOUR)).toBe(true);
});
