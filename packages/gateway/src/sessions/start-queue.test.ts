import { beforeEach, describe, expect, it, vi } from 'vitest';
import { type Release, StartQueue } from './start-queue.ts';

const never = new AbortController().signal;

describe('the start queue', () => {
  beforeEach(() => void vi.useFakeTimers());

  /** `join` queues a start under a name; `started` has the release of each start that got a slot. */
  function line(queue: StartQueue) {
    const started = new Map<string, Release>();
    const join = (name: string, byHand = false, owner?: string) =>
      void queue.acquire(never, byHand, owner).then((release) => started.set(name, release));
    return { started, join, names: () => [...started.keys()] };
  }
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  it('starts as many as there are slots, then one for each release', async () => {
    const { started, join, names } = line(new StartQueue(2, { idleShare: () => 1 }));
    for (const name of ['a', 'b', 'c', 'd']) join(name);
    await pass(0);
    expect(names()).toEqual(['a']);
    await pass(100);
    expect(names()).toEqual(['a', 'b']);
    await pass(10_000);
    expect(names()).toEqual(['a', 'b']);
    started.get('a')?.();
    started.get('a')?.();
    await pass(10_000);
    expect(names()).toEqual(['a', 'b', 'c']);
  });

  it('starts one at once, and another when the processor is idle, or after two seconds', async () => {
    let idle = 0;
    const { started, join, names } = line(new StartQueue(3, { idleShare: () => idle }));
    for (const name of ['a', 'b', 'c', 'd']) join(name);
    await pass(1_000);
    expect(names()).toEqual(['a']);
    idle = 0.5;
    await pass(100);
    expect(names().slice(0, 2)).toEqual(['a', 'b']);
    idle = 0;
    await pass(3_000);
    expect(names()).toEqual(['a', 'b', 'c']);
    for (const name of names()) started.get(name)?.();
    await pass(0); // Nothing is booting: it does not wait for a processor that other programs keep busy.
    expect(names()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('lets callers take turns, however many starts one has requested', async () => {
    const { started, join, names } = line(new StartQueue(1, { idleShare: () => 1 }));
    for (const name of ['a1', 'a2', 'a3', 'a4']) join(name, true, 'a');
    await pass(0);
    join('saved');
    for (const name of ['b1', 'b2']) join(name, true, 'b');
    join('operator', true);
    for (let n = 0; n < 8; n += 1) {
      started.get(names().at(-1) ?? '')?.();
      await pass(500);
    }
    expect(names()).toEqual(['a1', 'a2', 'b1', 'operator', 'a3', 'b2', 'a4', 'saved']);
  });

  it('starts requested ones first', async () => {
    const { started, join, names } = line(new StartQueue(1, { idleShare: () => 1 }));
    join('running');
    join('saved');
    join('asked for', true);
    join('asked for later', true);
    for (const name of ['running', 'asked for', 'asked for later']) {
      await pass(500);
      started.get(name)?.();
    }
    await pass(500);
    expect(names()).toEqual(['running', 'asked for', 'asked for later', 'saved']);
  });

  it('gives no slot to one that has left the queue', async () => {
    const queue = new StartQueue(1, { idleShare: () => 1 });
    const { started, join } = line(queue);
    join('first');
    await pass(0);
    const leaving = new AbortController();
    const left = queue.acquire(leaving.signal);
    const seen = expect(left).rejects.toThrow('stopped');
    leaving.abort(new Error('stopped'));
    await seen;
    expect(queue.waiting).toBe(0);
    started.get('first')?.();
    await pass(500);
    await expect(queue.acquire(never)).resolves.toBeTypeOf('function');
  });

  it('pauses all but manual starts, then starts one at a time until one comes up', async () => {
    const queue = new StartQueue(2, { idleShare: () => 1 });
    const { started, join, names } = line(queue);
    queue.pause(30_000);
    for (const name of ['a', 'b', 'c']) join(name);
    join('by hand', true);
    await pass(29_000);
    expect(names()).toEqual(['by hand']);
    started.get('by hand')?.();
    await pass(2_000);
    expect(names()).toEqual(['by hand', 'a']);
    await pass(60_000);
    expect(names()).toEqual(['by hand', 'a']);
    queue.resume();
    await pass(500);
    expect(names()).toEqual(['by hand', 'a', 'b']);
  });
});
