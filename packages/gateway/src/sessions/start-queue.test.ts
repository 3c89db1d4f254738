import { expect, it } from 'vitest';
import { StartQueue } from './start-queue.ts';

const never = new AbortController().signal;

it('lets as many through as there are slots, then one for each release, in order', async () => {
  const queue = new StartQueue(2);
  const order: number[] = [];
  const first = await queue.acquire(never);
  await queue.acquire(never);
  const acquireAs = async (place: number) => {
    const release = await queue.acquire(never);
    order.push(place);
    return release;
  };
  const third = acquireAs(3);
  const fourth = acquireAs(4);
  first();
  first();
  await third;
  expect(order).toEqual([3]);
  (await third)();
  await fourth;
  expect(order).toEqual([3, 4]);
});

it('gives no slot to one that has left the line', async () => {
  const queue = new StartQueue(1);
  const release = await queue.acquire(never);
  const leaving = new AbortController();
  const left = queue.acquire(leaving.signal);
  leaving.abort(new Error('stopped'));
  await expect(left).rejects.toThrow('stopped');
  release();
  await expect(queue.acquire(never)).resolves.toBeTypeOf('function');
});
