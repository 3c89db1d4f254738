import { MINUTE_MS, SECOND_MS } from '@chat-web/protocol';
import { check, double, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterFailure,
  HEALTHY,
  isBroken,
  isHostAtFault,
  pauseLength,
  type RestartHistory,
  restartDelay,
  takeOverDelay,
} from './restart-policy.ts';

function failing(times: number, wasUp: boolean): RestartHistory {
  let history = HEALTHY;
  for (let n = 0; n < times; n += 1) history = afterFailure(history, { at: n * 10 * SECOND_MS, wasUp });
  return history;
}

describe('restartDelay', () => {
  it('doubles with each start that fails, with up to half of it taken off', () => {
    expect([1, 2, 3, 4].map((times) => restartDelay(failing(times, false), () => 1))).toEqual([
      1_000, 2_000, 4_000, 8_000,
    ]);
    expect(restartDelay(failing(1, false), () => 0)).toBe(500);
  });

  it('stays short for a session that comes up each time, so that occasional faults cost little', () => {
    expect([1, 2, 3, 4, 20].map((times) => restartDelay(failing(times, true), () => 1))).toEqual([
      1_000, 2_000, 4_000, 5_000, 5_000,
    ]);
  });

  it('becomes a trial every five minutes after five failed starts, or thirty crashes in ten minutes', () => {
    expect(isBroken(failing(4, false))).toBe(false);
    expect(isBroken(failing(5, false))).toBe(true);
    expect(restartDelay(failing(50, false), () => 0.5)).toBe(5 * MINUTE_MS);
    expect(isBroken(failing(29, true))).toBe(false);
    expect(isBroken(failing(30, true))).toBe(true);
  });

  it('starts a crash loop at most six times in any ten minutes, whatever the jitter and the length of a start', () => {
    const loop = property(double({ min: 0, max: 1, noNaN: true }), double({ min: 0, max: 20, noNaN: true }), (r, s) => {
      const starts: number[] = [];
      let history = afterFailure(HEALTHY, { at: 0, wasUp: true });
      for (let now = restartDelay(history, () => r); now < 60 * MINUTE_MS; now += restartDelay(history, () => r)) {
        starts.push(now);
        now += s * SECOND_MS;
        history = afterFailure(history, { at: now, wasUp: false });
      }
      for (const from of starts) {
        expect(starts.filter((at) => at >= from && at < from + 10 * MINUTE_MS).length).toBeLessThanOrEqual(6);
      }
      expect(starts.length).toBeGreaterThan(10); // It never ends.
    });
    expect(check(loop).failed).toBe(false);
  });

  it('resets once a start has come up', () => {
    const up = afterFailure(failing(5, false), { at: MINUTE_MS, wasUp: true });
    expect(isBroken(up)).toBe(false);
    expect(restartDelay(up, () => 1)).toBe(1_000);
  });
});

describe('the host', () => {
  it('is at fault if half of the sessions, at least three, went down within the last minute', () => {
    const now = 10 * MINUTE_MS;
    expect(isHostAtFault([now, now], 2, now)).toBe(false);
    expect(isHostAtFault([now, now - SECOND_MS, now - 2 * SECOND_MS], 4, now)).toBe(true);
    expect(isHostAtFault([now, now, now], 8, now)).toBe(false);
    expect(isHostAtFault([now, now, now - 2 * MINUTE_MS], 4, now)).toBe(false);
  });

  it('pauses starts for longer each time, up to five minutes', () => {
    expect([0, 1, 2, 3, 4, 9].map(pauseLength)).toEqual([30, 60, 120, 240, 300, 300].map((s) => s * SECOND_MS));
  });
});

it('takes over an account at most three times an hour', () => {
  expect(takeOverDelay([], 0)).toBe(30 * SECOND_MS);
  expect(takeOverDelay([0, MINUTE_MS], 2 * MINUTE_MS)).toBe(30 * SECOND_MS);
  expect(takeOverDelay([0, MINUTE_MS, 2 * MINUTE_MS], 3 * MINUTE_MS)).toBe(57 * MINUTE_MS);
  expect(takeOverDelay([0, MINUTE_MS, 2 * MINUTE_MS], 60 * MINUTE_MS)).toBe(30 * SECOND_MS);
});
