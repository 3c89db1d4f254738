import { beforeEach, describe, expect, it, vi } from 'vitest';
import { deferred, pause, resultWithin, settledWithin, unlessAborted, withDeadline } from './waiting.ts';

beforeEach(() => void vi.useFakeTimers());

const never = new Promise<never>(() => {});
const fail = () => {
  throw new Error('given up');
};

describe('a wait with a deadline', () => {
  it('has the outcome of the work, and leaves no timer', async () => {
    expect(await withDeadline(Promise.resolve(1), 10, fail)).toBe(1);
    await expect(withDeadline(Promise.reject(new Error('broken')), 10, fail)).rejects.toThrow('broken');
    expect(await resultWithin(Promise.resolve(1), 10)).toBe(1);
    expect(await resultWithin(Promise.reject(new Error('broken')), 10)).toBeUndefined();
    expect(await settledWithin(Promise.reject(new Error('broken')), 10)).toBe(true);
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0));
  });

  it('ends when the time is up', async () => {
    const waits = [
      withDeadline(never, 10, () => 'late'),
      withDeadline(never, 10, fail).catch(({ message }) => message),
      resultWithin(never, 10),
      settledWithin(never, 10),
    ];
    await vi.advanceTimersByTimeAsync(10);
    expect(await Promise.all(waits)).toEqual(['late', 'given up', undefined, false]);
  });

  it('may be longer than a timer', async () => {
    const settled = vi.fn();
    void settledWithin(never, 1e12).then(settled);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(settled).not.toHaveBeenCalled();
  });
});

describe('a wait with a signal', () => {
  it('has the outcome of the work unless the signal aborts first', async () => {
    const over = new AbortController();
    expect(await unlessAborted(Promise.resolve(1), over.signal, fail)).toBe(1);
    const { promise, resolve } = deferred<number>();
    const left = unlessAborted(promise, over.signal, () => 'left');
    over.abort();
    resolve(2);
    expect(await left).toBe('left');
    await expect(unlessAborted(never, over.signal, fail)).rejects.toThrow('given up');
  });

  it('of a pause ends early, and leaves no timer', async () => {
    const over = new AbortController();
    const paused = pause(1_000, over.signal);
    over.abort();
    await paused;
    await pause(1_000, over.signal);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('a deferred promise is settled by its owner', async () => {
  const failed = deferred();
  failed.reject(new Error('broken'));
  await expect(failed.promise).rejects.toThrow('broken');
});
