import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { corkTurn, shareTurn, yieldToEventLoop } from './event-loop.ts';

/** How many of these are done after each of the next turns of the event loop. */
async function doneByTurn(works: readonly Promise<void>[], turns: number): Promise<number[]> {
  let done = 0;
  for (const work of works) void work.then(() => (done += 1));
  const counts: number[] = [];
  for (let count = 0; count < turns; count += 1) {
    await turn();
    counts.push(done);
  }
  return counts;
}

it('long work runs in turns of its own', async () => {
  const works = Array.from({ length: 5 }, yieldToEventLoop);
  const counts = await doneByTurn(works, 8);
  for (const [at, count] of counts.entries()) expect(count - (counts[at - 1] ?? 0)).toBeLessThanOrEqual(1);
  expect(counts.at(-1)).toBe(5);
});

it('small work shares a turn up to a limit, then yields to other work', async () => {
  await turn();
  const works = Array.from({ length: 16 }, shareTurn);
  await Promise.resolve();
  const counts = await doneByTurn(works, 12);
  expect(counts[0]).toBeGreaterThanOrEqual(8);
  expect(counts[0]).toBeLessThanOrEqual(9);
  for (const [at, count] of counts.entries()) if (at > 0) expect(count - (counts[at - 1] ?? 0)).toBeLessThanOrEqual(1);
  expect(counts.at(-1)).toBe(16);
});

it('sends everything written in one turn as one write', async () => {
  const writes: number[] = [];
  const stream = new Writable({
    writev: (chunks, written) => {
      writes.push(chunks.length);
      written();
    },
  });
  for (const text of ['one', 'two', 'three']) {
    corkTurn(stream);
    stream.write(text);
  }
  await turn();
  expect(writes).toEqual([3]);
  expect(stream.writableCorked).toBe(0);
});
