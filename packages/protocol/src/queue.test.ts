import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Queue } from './queue.ts';

const SIZE = 20_000;

describe('a queue', () => {
  it('is a list without repetitions, whatever is done to it', () => {
    const items = Array.from({ length: 6 }, (_, name) => ({ name }));
    const step = fc.record({ item: fc.constantFrom(...items), act: fc.constantFrom('push', 'delete', 'take', 'look') });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const queue = new Queue<object>();
        let list: object[] = [];
        for (const { item, act } of steps) {
          if (act === 'push') {
            queue.push(item);
            if (!list.includes(item)) list.push(item);
          } else if (act === 'delete') {
            expect(queue.delete(item)).toBe(list.includes(item));
            list = list.filter((one) => one !== item);
          } else if (act === 'take') {
            if (queue.first) queue.delete(queue.first);
            list.shift();
          } else {
            expect(queue.first).toBe(list[0]);
            expect(queue.has(item)).toBe(list.includes(item));
          }
          expect(queue.size).toBe(list.length);
        }
        expect([...queue]).toEqual(list);
        expect(queue.first).toBe(list[0]);
      }),
    );
  });

  it('that is long costs no more per item', () => {
    const few = Math.max(costOf(takingAll(SIZE)), costOf(takingAll(SIZE)), 10_000);
    expect(costOf(takingAll(10 * SIZE))).toBeLessThan(40 * few); // Quadratic would take 100 times as long.
  });
});

it('the first item of a Set is found more slowly the more were deleted', () => {
  const taking = (size: number) => {
    const items = new Set(Array.from({ length: size }, (_, name) => ({ name })));
    return () => {
      for (let [first] = items; first; [first] = items) items.delete(first);
    };
  };
  // The least of several: a first run also compiles and collects garbage.
  const few = Math.max(Math.min(...[1, 2, 3].map(() => costOf(taking(SIZE / 4)))), 2_000);
  expect(costOf(taking(4 * SIZE))).toBeGreaterThan(40 * few);
});

function takingAll(size: number): () => void {
  const queue = new Queue<object>();
  for (let name = 0; name < size; name += 1) queue.push({ name });
  return () => {
    for (let { first } = queue; first; first = queue.first) queue.delete(first);
  };
}

/** The processor time that it takes, in microseconds. */
function costOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
