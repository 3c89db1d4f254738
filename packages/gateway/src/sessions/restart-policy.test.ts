import { describe, expect, it } from 'vitest';
import { restartDelay } from './restart-policy.ts';

const MINUTE = 60_000;

describe('restartDelay', () => {
  it('doubles each time, with up to half of it taken off', () => {
    expect(restartDelay([0], () => 1)).toBe(1_000);
    expect(restartDelay([0], () => 0)).toBe(500);
    expect(restartDelay([0, 5], () => 1)).toBe(2_000);
    expect(restartDelay([0, 5, 9, 12], () => 1)).toBe(8_000);
  });

  it('is never longer than five minutes', () => {
    const rare = Array.from({ length: 2_000 }, (_, n) => n * 20 * MINUTE);
    expect(restartDelay(rare, () => 1)).toBe(5 * MINUTE);
  });

  it('is five minutes at the sixth failure within ten, and not for six that are further apart', () => {
    const failures = [0, 1, 2, 3, 4, 5].map((n) => n * MINUTE);
    expect(restartDelay(failures, () => 1)).toBe(5 * MINUTE);
    expect(
      restartDelay(
        failures.map((time) => time * 3),
        () => 1,
      ),
    ).toBe(32_000);
  });
});
