import { describe, expect, it } from 'vitest';
import { EMPTY_BUFFER, type EventEntry, MAX_EVENTS, paused, resumed, withEvents } from './event-buffer.ts';

const entries = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => ({ key: String(from + index) }) as EventEntry);
const keys = (list: readonly EventEntry[] = []) => list.map(({ key }) => Number(key));

describe('the list of events', () => {
  it('has the newest first, and drops the oldest', () => {
    const buffer = withEvents(withEvents(EMPTY_BUFFER, entries(0, 3)), entries(3, 5));
    expect(keys(buffer.entries)).toEqual([4, 3, 2, 1, 0]);
    const full = withEvents(buffer, entries(5, MAX_EVENTS + 2));
    expect([full.entries.length, ...keys(full.entries.slice(0, 1)), ...keys(full.entries.slice(-1))]).toEqual([
      500, 501, 2,
    ]);
  });

  it('does not change while it is paused, and has all events afterwards', () => {
    const stopped = withEvents(paused(withEvents(EMPTY_BUFFER, entries(0, 2))), entries(2, 4));
    expect([keys(stopped.entries), stopped.heldCount]).toEqual([[1, 0], 2]);
    const again = paused(stopped);
    expect(again.heldCount).toBe(2);
    const on = resumed(withEvents(again, entries(4, 5)));
    expect([keys(on.entries), on.heldCount, on.held]).toEqual([[4, 3, 2, 1, 0], 0, undefined]);
  });

  it('counts events that arrive while it is paused, and keeps the newest', () => {
    const buffer = withEvents(paused(EMPTY_BUFFER), entries(0, 1_200));
    expect([buffer.heldCount, buffer.held?.length]).toEqual([1_200, MAX_EVENTS]);
    expect(resumed(buffer).entries[0]?.key).toBe('1199');
  });
});
