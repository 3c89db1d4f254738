import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Timers } from '../timers.ts';
import { Confirmations } from './confirmations.ts';
import type { Connection } from './records.ts';

const connection = (): Connection => ({ send: () => undefined, drop: () => undefined });
const timers = new Timers();
let confirmations: Confirmations;

beforeEach(() => {
  vi.useFakeTimers();
  confirmations = new Confirmations(timers);
});

afterEach(() => timers.clear());

it('resolves for the event that the page confirms', async () => {
  const [first, second] = [confirmations.expect(connection()), confirmations.expect(connection())];
  confirmations.confirmed(second.confirm);
  await second.received;
  confirmations.confirmed(second.confirm);
  const pending = vi.fn();
  void first.received.then(pending);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(pending).not.toHaveBeenCalled();
  confirmations.confirmed(first.confirm);
  await first.received;
});

it('resolves when the page disconnects', async () => {
  const gone = connection();
  const { received } = confirmations.expect(gone);
  confirmations.disconnected(gone);
  await received;
});

it('rejects after a timeout', async () => {
  const missed = expect(confirmations.expect(connection()).received).rejects.toThrow('a page does not take this in');
  await vi.advanceTimersByTimeAsync(8_000);
  await missed;
});
