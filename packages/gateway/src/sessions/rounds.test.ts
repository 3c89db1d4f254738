import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { everyRound } from './rounds.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('runs every two seconds, until it ends; a busy watch skips a round, and does not delay others', async () => {
  const over = new AbortController();
  let finish = () => {};
  const slow = { look: vi.fn(() => new Promise<void>((resolve) => (finish = resolve))) };
  const quick = { look: vi.fn(async () => {}) };
  everyRound([slow, quick], () => ['ada'], over.signal);
  await vi.advanceTimersByTimeAsync(6_000);
  expect(slow.look).toHaveBeenCalledExactlyOnceWith(['ada']);
  expect(quick.look).toHaveBeenCalledTimes(3);
  finish();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(slow.look).toHaveBeenCalledTimes(2);
  over.abort();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(quick.look).toHaveBeenCalledTimes(4);
});
