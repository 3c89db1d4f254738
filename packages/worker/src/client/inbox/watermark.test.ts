import { OVERLAP_SECONDS } from '@chat-web/protocol';
import { describe, expect, it } from 'vitest';
import { Watermark } from './watermark.ts';

const NOW = 1_800_000_000;
const HOUR = 3_600;

describe('a watermark', () => {
  it('follows the delivered messages, a little behind, and never goes back', () => {
    const watermark = new Watermark(0);
    watermark.onDelivered(NOW - 10, NOW);
    expect(watermark.seconds).toBe(NOW - 10 - OVERLAP_SECONDS);
    watermark.onDelivered(NOW - HOUR, NOW);
    watermark.discardBefore(NOW - HOUR);
    expect(watermark.seconds).toBe(NOW - 10 - OVERLAP_SECONDS);
  });

  it('is not moved into the future by the timestamp of a message', () => {
    const watermark = new Watermark(0);
    watermark.onDelivered(NOW + 10 * HOUR, NOW);
    expect(watermark.seconds).toBe(NOW - OVERLAP_SECONDS);
  });

  it('advances hourly while nothing arrives, six hours behind, and only over live time', () => {
    const watermark = new Watermark(NOW - 60);
    expect(watermark.advanceIdle(NOW + 48 * HOUR)).toBeUndefined();
    watermark.onLive(NOW);
    expect(watermark.advanceIdle(NOW + 5 * HOUR)).toBeUndefined();
    expect(watermark.advanceIdle(NOW + 6 * HOUR)).toBeUndefined();
    expect(watermark.advanceIdle(NOW + 7 * HOUR)).toBe(NOW + HOUR);
    expect(watermark.advanceIdle(NOW + 7 * HOUR + 60)).toBeUndefined();
    watermark.onInterrupted();
    expect(watermark.advanceIdle(NOW + 48 * HOUR)).toBeUndefined();
    watermark.onLive(NOW + 48 * HOUR);
    expect(watermark.advanceIdle(NOW + 53 * HOUR)).toBeUndefined();
    expect(watermark.seconds).toBe(NOW + HOUR);
  });
});
