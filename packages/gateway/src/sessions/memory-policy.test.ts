import { MINUTE_MS } from '@chat-web/protocol';
import { describe, expect, it } from 'vitest';
import {
  type MemoryHistory,
  measurementIntervalMs,
  memoryVerdict,
  settledAt,
  softMark,
  UNKNOWN,
} from './memory-policy.ts';

const marks = { softBytes: 700, hardBytes: 2_000 };
const known = { levelBytes: 300, waitMs: 600_000 };
const idle = { bytes: 0, pending: 0, idleMs: 60_000, sinceRecycleMs: Number.POSITIVE_INFINITY };

describe('the memory of a session', () => {
  it('below its soft mark triggers nothing', () => {
    expect(memoryVerdict({ ...idle, bytes: 700 }, known, marks)).toBe('keep');
  });

  it('above its soft mark is recycled when the session is idle, and not again for a while', () => {
    const above = { ...idle, bytes: 701 };
    expect(memoryVerdict(above, known, marks)).toBe('recycle');
    expect(memoryVerdict({ ...above, pending: 1 }, known, marks)).toBe('keep');
    expect(memoryVerdict({ ...above, idleMs: 29_999 }, known, marks)).toBe('keep');
    expect(memoryVerdict({ ...above, sinceRecycleMs: 10 * MINUTE_MS - 1 }, known, marks)).toBe('keep');
  });

  it('above the hard mark ends the session, busy or not, settled or not', () => {
    const above = { bytes: 2_001, pending: 3, idleMs: 0, sinceRecycleMs: 0 };
    expect(memoryVerdict(above, known, marks)).toBe('end');
    expect(memoryVerdict(above, UNKNOWN, marks)).toBe('end');
  });

  it('has no soft mark before the session has settled', () => {
    expect(softMark(UNKNOWN, marks)).toBe(Number.POSITIVE_INFINITY);
    expect(memoryVerdict({ ...idle, bytes: 1_900 }, UNKNOWN, marks)).toBe('keep');
  });

  it('has a soft mark of half more than its own level, where that is above the setting', () => {
    expect(softMark({ ...known, levelBytes: 400 }, marks)).toBe(700);
    expect(softMark({ ...known, levelBytes: 800 }, marks)).toBe(1_200);
    expect(memoryVerdict({ ...idle, bytes: 1_100 }, { ...known, levelBytes: 800 }, marks)).toBe('keep');
  });

  it('has a soft mark below the hard one, however high its level is', () => {
    const large = { ...known, levelBytes: 1_500 };
    expect(softMark(large, marks)).toBe(1_750);
    expect(memoryVerdict({ ...idle, bytes: 1_750 }, large, marks)).toBe('keep');
    expect(memoryVerdict({ ...idle, bytes: 1_751 }, large, marks)).toBe('recycle');
  });

  it('is checked more often the closer it gets to a mark', () => {
    expect(measurementIntervalMs(300, known, marks)).toBe(30_000);
    expect(measurementIntervalMs(351, known, marks)).toBe(5_000);
    expect(measurementIntervalMs(701, known, marks)).toBe(2_000);
    expect(measurementIntervalMs(701, UNKNOWN, marks)).toBe(30_000);
    expect(measurementIntervalMs(1_001, UNKNOWN, marks)).toBe(5_000);
  });
});

describe('a recycling', () => {
  it('that gains nothing doubles the wait for the next one, up to a day', () => {
    let history: MemoryHistory = UNKNOWN;
    const waits: number[] = [];
    for (let n = 0; n < 10; n += 1) {
      history = settledAt(1_000, { ...history, recycledFromBytes: 1_100 });
      waits.push(history.waitMs / MINUTE_MS);
    }
    expect(waits).toEqual([20, 40, 80, 160, 320, 640, 1_280, 1_440, 1_440, 1_440]);
    expect(settledAt(300, { ...history, recycledFromBytes: 1_100 }).waitMs).toBe(10 * MINUTE_MS);
  });

  it('that did not happen leaves the wait unchanged', () => {
    expect(settledAt(500, { waitMs: 40 * MINUTE_MS })).toEqual({ levelBytes: 500, waitMs: 40 * MINUTE_MS });
  });
});
