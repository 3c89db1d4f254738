import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Timers } from '../timers.ts';
import { Confirmations } from './confirmations.ts';
import type { Line } from './records.ts';

const line = (): Line => ({ send: () => undefined, drop: () => undefined });
const timers = new Timers();
let confirmations: Confirmations;

beforeEach(() => {
  vi.useFakeTimers();
  confirmations = new Confirmations(timers);
});

afterEach(() => {
  timers.clear();
  vi.useRealTimers();
});

it('resolves for the event that the page confirms', async () => {
  const [first, second] = [confirmations.expect(line()), confirmations.expect(line())];
  confirmations.confirmed(second.confirm);
  await second.taken;
  confirmations.confirmed(second.confirm);
  const pending = vi.fn();
  void first.taken.then(pending);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(pending).not.toHaveBeenCalled();
  confirmations.confirmed(first.confirm);
  await first.taken;
});

it('resolves when the page disconnects', async () => {
  const gone = line();
  const { taken } = confirmations.expect(gone);
  confirmations.release(gone);
  await taken;
});

it('rejects after a timeout', async () => {
  const missed = expect(confirmations.expect(line()).taken).rejects.toThrow('a page does not take this in');
  await vi.advanceTimersByTimeAsync(8_000);
  await missed;
});
