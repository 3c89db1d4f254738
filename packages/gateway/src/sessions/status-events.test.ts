import type { EventData } from '@chat-web/protocol';
import { MINUTE_MS } from '@chat-web/protocol';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { StatusEvents } from './status-events.ts';

let published: EventData<'status'>[];
let events: StatusEvents;
beforeEach(() => {
  vi.useFakeTimers();
  published = [];
  events = new StatusEvents({ status: 'stopped', restarts: 0 }, (status) => published.push(status));
});

const restarts = () => published.map((one) => one.restarts);
/** A session that is restarted again and again. */
const flip = (times: number) => {
  for (let n = 1; n <= times; n += 1) events.update({ status: 'disconnected', restarts: n });
};

describe('status events', () => {
  it('report each change once, immediately', () => {
    events.update({ status: 'stopped', restarts: 0 });
    events.update({ status: 'starting', restarts: 0 });
    events.update({ status: 'starting', restarts: 0 });
    events.update({ status: 'starting', restarts: 0, reason: 'START_TIMEOUT' });
    events.update({ status: 'starting', restarts: 0 });
    expect(published.map(({ status, reason }) => [status, reason])).toEqual([
      ['starting', undefined],
      ['starting', 'START_TIMEOUT'],
      ['starting', undefined],
    ]);
  });

  it('of a constantly changing session are limited to one a minute, with its current status', () => {
    flip(1_000);
    expect(restarts()).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
    vi.advanceTimersByTime(MINUTE_MS);
    expect(restarts().slice(60)).toEqual([1_000]);
    for (let minute = 0; minute < 10; minute += 1) {
      flip(1_000);
      vi.advanceTimersByTime(MINUTE_MS);
    }
    expect(published.length - 61).toBeGreaterThanOrEqual(9);
    expect(published.length - 61).toBeLessThanOrEqual(20);
    expect(restarts().at(-1)).toBe(1_000);
  });

  it('are skipped if nothing has changed since the last one', () => {
    flip(61);
    events.update({ status: 'disconnected', restarts: 60 });
    vi.advanceTimersByTime(10 * MINUTE_MS);
    expect(restarts().at(-1)).toBe(60);
    expect(published).toHaveLength(60);
  });

  it('do not include changes from before the session was deleted', () => {
    flip(100);
    events.forget();
    vi.advanceTimersByTime(10 * MINUTE_MS);
    expect(published).toHaveLength(60);
    events.update({ status: 'starting', restarts: 0 });
    expect(published.at(-1)).toEqual({ status: 'starting', restarts: 0 });
  });
});
