import { deferred } from '@chat-web/protocol';
import { describe, expect, it } from 'vitest';
import { Turns } from './turns.ts';

/** Work that waits until it is let go, and the order in which it began. */
function waiting(max: number) {
  const turns = new Turns(max);
  const begun: string[] = [];
  const running: (() => void)[] = [];
  const add = (name: string) => {
    const done = deferred<void>();
    return turns.run(name.charAt(0), () => {
      begun.push(name);
      running.push(done.resolve);
      return done.promise;
    });
  };
  const settle = () => new Promise(setImmediate);
  const end = async () => {
    running.shift()?.();
    await settle();
  };
  return { turns, begun, add, end, settle };
}

describe('turns', () => {
  it('are given to a few at a time', async () => {
    const { begun, add, end, settle } = waiting(2);
    for (const name of ['a1', 'a2', 'a3', 'a4']) void add(name);
    await settle();
    expect(begun).toEqual(['a1', 'a2']);
    await end();
    expect(begun).toEqual(['a1', 'a2', 'a3']);
  });

  it('alternate between owners, however many one has', async () => {
    const { begun, add, end, settle } = waiting(1);
    for (let n = 0; n < 200; n += 1) void add(`a${n}`);
    for (const name of ['b0', 'b1', 'c0']) void add(name);
    await settle();
    for (let n = 0; n < 6; n += 1) await end();
    expect(begun).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3']);
  });

  it('pass on after a failure, and are free again at the end', async () => {
    const { turns, begun, add, end, settle } = waiting(1);
    const failed = turns.run('a', () => Promise.reject(new Error('gone')));
    const next = add('b0');
    await expect(failed).rejects.toThrow('gone');
    await settle();
    await end();
    await next;
    void add('c0');
    await settle();
    expect(begun).toEqual(['b0', 'c0']);
  });
});
