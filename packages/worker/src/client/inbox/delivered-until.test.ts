import { OVERLAP_SECONDS } from '@chat-web/protocol';
import { describe, expect, it } from 'vitest';
import { DeliveredUntil } from './delivered-until.ts';

const NOW = 1_800_000_000;
const HOUR = 3_600;

describe('the time up to which messages are delivered', () => {
  it('follows the delivered messages, a little behind, and never goes back', () => {
    const deliveredUntil = new DeliveredUntil(0);
    deliveredUntil.onDelivered(NOW - 10, NOW);
    expect(deliveredUntil.seconds).toBe(NOW - 10 - OVERLAP_SECONDS);
    deliveredUntil.onDelivered(NOW - HOUR, NOW);
    deliveredUntil.discardBefore(NOW - HOUR);
    expect(deliveredUntil.seconds).toBe(NOW - 10 - OVERLAP_SECONDS);
  });

  it('is not moved into the future by the timestamp of a message', () => {
    const deliveredUntil = new DeliveredUntil(0);
    deliveredUntil.onDelivered(NOW + 10 * HOUR, NOW);
    expect(deliveredUntil.seconds).toBe(NOW - OVERLAP_SECONDS);
  });

  it('advances hourly while nothing arrives, six hours behind, and only over live time', () => {
    const deliveredUntil = new DeliveredUntil(NOW - 60);
    expect(deliveredUntil.advanceIdle(NOW + 48 * HOUR)).toBeUndefined();
    deliveredUntil.onLive(NOW);
    expect(deliveredUntil.advanceIdle(NOW + 5 * HOUR)).toBeUndefined();
    expect(deliveredUntil.advanceIdle(NOW + 6 * HOUR)).toBeUndefined();
    expect(deliveredUntil.advanceIdle(NOW + 7 * HOUR)).toBe(NOW + HOUR);
    expect(deliveredUntil.advanceIdle(NOW + 7 * HOUR + 60)).toBeUndefined();
    deliveredUntil.onInterrupted();
    expect(deliveredUntil.advanceIdle(NOW + 48 * HOUR)).toBeUndefined();
    deliveredUntil.onLive(NOW + 48 * HOUR);
    expect(deliveredUntil.advanceIdle(NOW + 53 * HOUR)).toBeUndefined();
    expect(deliveredUntil.seconds).toBe(NOW + HOUR);
  });
});
