import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { everyRound } from './rounds.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('looks every two seconds, until it ends; a watch that is busy misses a round, and holds up no other', async () => {
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
