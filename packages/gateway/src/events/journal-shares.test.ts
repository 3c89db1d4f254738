import { DAY_MS, HOUR_MS, MB } from '@chat-web/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JournalShares } from './journal-shares.ts';

const DEFAULT = { maxBytes: 1_024 * MB, maxAgeMs: 72 * HOUR_MS };
const SMALLEST = { maxBytes: 32 * MB, maxAgeMs: 72 * HOUR_MS };

/** A message of 100 characters, as stored in the journal. */
const MESSAGE_BYTES = 420;

describe('the share of a session', () => {
  it.each([DEFAULT, SMALLEST])('fits a catch-up after a week: 10,000 messages at once', (limits) => {
    const shares = new JournalShares(limits);
    for (let n = 0; n < 10_000; n += 1) shares.charge('main', MESSAGE_BYTES, 0);
    expect(shares.isExceeded('main', 0)).toBe(false);
  });

  it.each([
    [DEFAULT, 200_000],
    [SMALLEST, 100_000],
  ])('fits the messages of a busy account, day after day', (limits, messagesADay) => {
    const shares = new JournalShares(limits);
    const gapMs = DAY_MS / messagesADay;
    for (let n = 0; n < 5 * messagesADay; n += 1) shares.charge('main', MESSAGE_BYTES, n * gapMs);
    expect(shares.isExceeded('main', 5 * DAY_MS)).toBe(false);
  });

  it('is at most half of the journal within the retention time, however events are reported', () => {
    const limits = { maxBytes: 4 * MB, maxAgeMs: 1_000_000 };
    const maxBytes = 300_000;
    const steps = fc.array(fc.record({ waitMs: fc.nat(20_000), bytes: fc.nat(maxBytes) }), { maxLength: 300 });
    fc.assert(
      fc.property(steps, (reported) => {
        const shares = new JournalShares(limits);
        let [now, stored] = [0, 0];
        for (const { waitMs, bytes } of reported) {
          now += waitMs;
          if (now > limits.maxAgeMs) break;
          if (shares.isExceeded('main', now)) continue; // Its run has failed.
          shares.charge('main', bytes, now);
          stored += bytes;
        }
        // The record that exceeds it is stored.
        expect(stored).toBeLessThan(limits.maxBytes / 2 + maxBytes + 100);
      }),
    );
  });

  it('reports when it has room again', () => {
    const shares = new JournalShares(SMALLEST);
    const waits = (...megabytes: number[]) => megabytes.map((bytes) => shares.msUntil('main', bytes * MB, 0));
    expect([shares.maxBytes, ...waits(8)]).toEqual([8 * MB, 0]);
    shares.charge('main', 5 * MB, 0);
    expect(waits(3, 4)).toEqual([0, (MB / 512) * 1_000]);
  });

  it('is separate for each session', () => {
    const shares = new JournalShares(SMALLEST);
    shares.charge('main', 9 * MB, 0);
    expect([shares.isExceeded('main', 0), shares.isExceeded('other', 0)]).toEqual([true, false]);
    expect(shares.isExceeded('main', (MB / 512) * 1_000 - 1)).toBe(true);
    expect(shares.isExceeded('main', (MB / 512) * 1_000)).toBe(false);
  });

  it('is kept in memory only until it is full again', () => {
    const shares = new JournalShares(SMALLEST);
    shares.charge('main', 512, 0);
    shares.charge('other', 1_024, 0);
    shares.charge('third', 512, 1_000);
    expect(shares.size).toBe(2);
    shares.charge('third', 512, 2_000);
    shares.charge('fourth', 512, 10_000);
    expect(shares.size).toBe(1);
  });
});
