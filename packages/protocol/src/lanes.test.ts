import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Lanes, type LanesOptions, type NextAttempt } from './lanes.ts';

let stopping: AbortController;
/** The attempts that have begun, as `<lane><task>`. */
let begun: string[];
/** Ends an attempt that has begun. */
let ends: Map<string, (retry?: NextAttempt) => void>;

beforeEach(() => {
  vi.useFakeTimers();
  stopping = new AbortController();
  begun = [];
  ends = new Map();
});
afterEach(() => stopping.abort());

function create(options: Partial<LanesOptions> = {}) {
  const lanes = new Lanes({ concurrency: 2, signal: stopping.signal, ...options });
  const push = (...names: string[]) => {
    for (const name of names) {
      const attempt = () => {
        begun.push(name);
        return new Promise<NextAttempt | undefined>((resolve) => ends.set(name, resolve));
      };
      lanes.push(name.slice(0, 1), { attempt, length: 10 });
    }
  };
  return { lanes, push };
}

async function end(name: string, retry?: NextAttempt): Promise<void> {
  ends.get(name)?.(retry);
  await vi.advanceTimersByTimeAsync(0);
}

describe('lanes', () => {
  it('run in parallel, up to the limit, and the tasks of each in order and by turns', async () => {
    const { lanes, push } = create();
    push('a1', 'a2', 'b1', 'c1');
    expect(begun).toEqual(['a1', 'b1']);
    await end('a1');
    expect(begun).toEqual(['a1', 'b1', 'c1']);
    await end('b1');
    expect(begun).toEqual(['a1', 'b1', 'c1', 'a2']);
    await end('c1');
    await end('a2');
    await lanes.idle();
    expect(lanes.size).toBe(0);
  });

  it('keep their turn for as many tasks as allowed, and longer if no other waits', async () => {
    const { push } = create({ concurrency: 1, turn: { tasks: 2, ms: 1_000 } });
    push('a1', 'a2', 'a3', 'a4');
    for (const name of ['a1', 'a2']) await end(name);
    push('b1');
    await end('a3');
    expect(begun).toEqual(['a1', 'a2', 'a3', 'b1']);
    await end('b1');
    expect(begun.at(-1)).toBe('a4');
  });

  it('wait for the next attempt without their slot; others continue', async () => {
    const { lanes, push } = create({ concurrency: 1 });
    push('a1', 'a2', 'b1');
    await end('a1', { inMs: 1_000 });
    expect(begun).toEqual(['a1', 'b1']);
    await end('b1');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(begun).toEqual(['a1', 'b1', 'a1']);
    await end('a1', { inMs: 1_000 });
    lanes.wake('a');
    expect(begun.at(-1)).toBe('a1');
    await end('a1');
    expect(begun.at(-1)).toBe('a2');
  });

  it.each([
    ['one', 1],
    ['many', 1_000],
  ])('take as long for each of many tasks as for each of few, in %s', async (_, keys) => {
    vi.useRealTimers();
    const costOf = async (tasks: number) => {
      const { lanes } = create();
      const before = process.cpuUsage();
      for (let n = 0; n < tasks; n += 1)
        lanes.push(String(n % keys), { attempt: () => Promise.resolve(undefined), length: 1 });
      await lanes.idle();
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const few = Math.max(await costOf(5_000), await costOf(5_000), 10_000);
    expect(await costOf(50_000)).toBeLessThan(40 * few); // Quadratic would take 100 times as long.
  });

  it('that keep their slots block others until these are freed', async () => {
    const { lanes, push } = create();
    push('a1', 'b1', 'c1', 'd1');
    for (const name of ['a1', 'b1']) await end(name, { inMs: 1_000, keepsSlot: true });
    expect(lanes).toMatchObject({ isBlocked: true, hasWaiting: true });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(begun).toEqual(['a1', 'b1', 'a1', 'b1']);
    for (const name of ['a1', 'b1']) await end(name, { inMs: 1_000 });
    lanes.startNext();
    expect(begun.at(-1)).toBe('c1');
    await end('c1', { inMs: 0 });
    expect(begun).toHaveLength(5);
    lanes.startNext('c');
    expect(begun.at(-1)).toBe('c1');
    await end('c1');
    expect(begun.at(-1)).toBe('c1');
    lanes.freeSlots();
    expect(begun.at(-1)).toBe('d1');
    await end('d1');
    lanes.wake('a');
    await end('a1', { inMs: 1_000 });
    expect(lanes.isBlocked).toBe(false);
  });

  it('have room until the limit; a released lane does not count', async () => {
    const { lanes, push } = create({ max: { tasks: 3, length: 1_000 } });
    push('a1', 'b1', 'b2');
    expect([lanes.hasRoom, lanes.longest(1), lanes.longest(2)]).toEqual([false, 'b', undefined]);
    let hasRoom = false;
    void lanes.room().then(() => {
      hasRoom = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(hasRoom).toBe(false);
    lanes.release('b');
    expect(lanes.hasRoom).toBe(true);
    await end('a1');
    expect(hasRoom).toBe(true);
    await end('b1');
    expect(begun).toEqual(['a1', 'b1']);
    push('a2', 'b3', 'c1');
    expect(lanes.hasRoom).toBe(false);
  });

  it('cost no more per task if many wait', async () => {
    vi.useRealTimers();
    const costOf = async (tasks: number) => {
      const { lanes } = create();
      const before = process.cpuUsage();
      for (let n = 0; n < tasks; n += 1) lanes.push('a', { attempt: async () => undefined, length: 0 });
      await lanes.idle();
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const few = Math.max(await costOf(15_000), await costOf(15_000), 10_000);
    expect(await costOf(150_000)).toBeLessThan(40 * few); // Quadratic would take 100 times as long.
  });

  it('start nothing after the signal aborts', async () => {
    const { lanes, push } = create();
    push('a1', 'a2', 'b1', 'c1');
    // Not the count of timers: code of earlier files shares this process, and has timers of its own.
    const [set, clear] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
    await end('b1', { inMs: 1_000 });
    const timers = () => set.mock.results.filter((_, call) => set.mock.calls[call]?.[1] === 1_000);
    stopping.abort();
    expect(timers()).toHaveLength(1);
    expect(clear).toHaveBeenCalledWith(timers()[0]?.value);
    let hasSettled = false;
    void lanes.settled().then(() => {
      hasSettled = true;
    });
    await end('a1');
    expect(hasSettled).toBe(false);
    await end('c1');
    await lanes.idle();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(hasSettled).toBe(true);
    expect(begun).toEqual(['a1', 'b1', 'c1']);
    expect(timers()).toHaveLength(1);
  });
});
