import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SilenceWatch } from './silence-watch.ts';

describe('the watch over a process', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('reports three missing heartbeats in a row once', () => {
    const onSilent = vi.fn();
    const watch = new SilenceWatch({ intervalMs: 5_000, onSilent });
    for (let n = 0; n < 10; n += 1) {
      watch.heard();
      vi.advanceTimersByTime(5_000);
    }
    vi.advanceTimersByTime(10_000);
    expect(onSilent).not.toHaveBeenCalled();
    vi.advanceTimersByTime(60_000);
    expect(onSilent).toHaveBeenCalledExactlyOnceWith(15_000);
  });

  it('holds nothing against it that this process has slept through', () => {
    const onSilent = vi.fn();
    const watch = new SilenceWatch({ intervalMs: 5_000, onSilent });
    vi.advanceTimersByTime(15_000);
    // The clock continues while timers do not fire: this process was stopped.
    const frozen = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => frozen + 40_000);
    vi.advanceTimersByTime(5_000);
    expect(onSilent).not.toHaveBeenCalled();
    watch.stop();
    vi.restoreAllMocks();
  });
});
