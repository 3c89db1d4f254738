import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { everyShared } from '../shared-interval.ts';
import { SilenceWatch } from './silence-watch.ts';

describe('the watch on a process', () => {
  beforeEach(() => void vi.useFakeTimers());

  it('reports three missing heartbeats in a row once', () => {
    const onSilent = vi.fn();
    const watch = new SilenceWatch({ intervalMs: 5_000, onSilent });
    for (let n = 0; n < 10; n += 1) {
      watch.received();
      vi.advanceTimersByTime(5_000);
    }
    vi.advanceTimersByTime(10_000);
    expect(onSilent).not.toHaveBeenCalled();
    vi.advanceTimersByTime(60_000);
    expect(onSilent).toHaveBeenCalledExactlyOnceWith(15_000);
  });

  it('reports within four intervals of the last heartbeat, whenever that was', () => {
    onTestFinished(everyShared(5_000, () => {})); // The checks keep its pace.
    for (const receivedForMs of [0, 100, 4_000, 4_890, 5_100, 9_000, 14_000]) {
      for (const delayMs of [10, 2_500, 4_990]) {
        vi.advanceTimersByTime(delayMs);
        let silentAt: number | undefined;
        const watch = new SilenceWatch({ intervalMs: 5_000, onSilent: () => (silentAt = performance.now()) });
        const startedAt = performance.now();
        for (let ms = 0; ms < receivedForMs; ms += 5_000) {
          watch.received();
          vi.advanceTimersByTime(Math.min(5_000, receivedForMs - ms));
        }
        watch.received();
        vi.advanceTimersByTime(60_000);
        const silentMs = (silentAt ?? Number.NaN) - startedAt - receivedForMs;
        expect(silentMs, `received for ${receivedForMs} ms`).toBeGreaterThanOrEqual(14_999);
        expect(silentMs, `received for ${receivedForMs} ms`).toBeLessThanOrEqual(20_001);
      }
    }
  });

  it('gives a process that has not sent anything yet more time', () => {
    onTestFinished(everyShared(5_000, () => {}));
    vi.advanceTimersByTime(4_900);
    const onSilent = vi.fn();
    const watch = new SilenceWatch({ intervalMs: 5_000, onSilent });
    vi.advanceTimersByTime(20_000);
    expect(onSilent).not.toHaveBeenCalled();
    vi.advanceTimersByTime(5_000);
    expect(onSilent).toHaveBeenCalledOnce();
    watch.stop();
  });

  it('does not count time in which this process itself was stopped', () => {
    const onSilent = vi.fn();
    const watch = new SilenceWatch({ intervalMs: 5_000, onSilent });
    vi.advanceTimersByTime(15_000);
    // The clock continues while timers do not fire: this process was stopped.
    const frozen = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => frozen + 40_000);
    vi.advanceTimersByTime(5_000);
    expect(onSilent).not.toHaveBeenCalled();
    watch.stop();
  });

  it('starts counting again after such a time, also if heartbeats were missing before', () => {
    const onSilent = vi.fn();
    const watch = new SilenceWatch({ intervalMs: 5_000, onSilent });
    watch.received();
    vi.advanceTimersByTime(15_000); // Two are missing.
    const clock = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => clock() + 40_000);
    vi.advanceTimersByTime(15_000);
    expect(onSilent).not.toHaveBeenCalled();
    vi.advanceTimersByTime(5_000);
    expect(onSilent).toHaveBeenCalledOnce();
    watch.stop();
  });
});
