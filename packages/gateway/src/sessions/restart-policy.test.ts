import { describe, expect, it } from 'vitest';
import { afterFailure } from './restart-policy.ts';

const MINUTE = 60_000;

describe('afterFailure', () => {
  it('waits twice as long each time, with up to half of it taken off', () => {
    expect(afterFailure([0], () => 1)).toEqual({ restartInMs: 1_000 });
    expect(afterFailure([0], () => 0)).toEqual({ restartInMs: 500 });
    expect(afterFailure([0, 5], () => 1)).toEqual({ restartInMs: 2_000 });
    expect(afterFailure([0, 5, 9, 12], () => 1)).toEqual({ restartInMs: 8_000 });
  });

  it('never waits longer than five minutes', () => {
    const rare = Array.from({ length: 30 }, (_, n) => n * 20 * MINUTE);
    expect(afterFailure(rare, () => 1)).toEqual({ restartInMs: 5 * MINUTE });
  });

  it('gives up at the sixth failure within ten minutes, and not for six that are further apart', () => {
    const failures = [0, 1, 2, 3, 4, 5].map((n) => n * MINUTE);
    expect(afterFailure(failures, () => 1)).toHaveProperty('giveUp');
    expect(
      afterFailure(
        failures.map((time) => time * 3),
        () => 1,
      ),
    ).toHaveProperty('restartInMs');
  });
});
