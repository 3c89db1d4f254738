import { collectGarbage } from '@chat-web/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PositionKeeper } from './position-keeper.ts';

/** A step of a keeper: an event with or without an id arrives, or a position, or an open event is handled. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('event' as const), hasId: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('position' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('handled' as const), which: fc.nat() }) },
);

describe('the position', () => {
  it('is never past an unhandled event, and otherwise the newest, in any order of handling', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const positions: string[] = [];
        const keeper = new PositionKeeper((position) => positions.push(position));
        const all: { number: number; id: string | undefined; isHandled: boolean; done(): void }[] = [];
        for (const one of steps) {
          const number = all.length;
          if (one.kind === 'event') {
            const id = one.hasId ? `e-${number}` : undefined;
            all.push({ number, id, isHandled: false, done: keeper.add(id) });
          } else if (one.kind === 'position') {
            keeper.pass(`e-${number}`);
            all.push({ number, id: `e-${number}`, isHandled: true, done: () => {} });
          } else {
            const open = all.filter(({ isHandled }) => !isHandled);
            const chosen = open[one.which % Math.max(open.length, 1)];
            if (!chosen) continue;
            chosen.isHandled = true;
            chosen.done();
            chosen.done(); // A second call has no effect.
          }
          const firstOpen = all.findIndex(({ isHandled }) => !isHandled);
          const below = all.slice(0, firstOpen < 0 ? all.length : firstOpen);
          expect(keeper.position).toBe(below.findLast(({ id }) => id !== undefined)?.id);
        }
        const numbers = positions.map((id) => Number(id.slice(2)));
        expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
      }),
      { numRuns: 1_000 },
    );
  });

  it('costs no more time and memory the longer one event waits', () => {
    const usedBytes = () => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const keeper = new PositionKeeper(() => {});
    const before = usedBytes();
    const first = keeper.add('first');
    for (let n = 0; n < 1_000_000; n += 1) keeper.add(`${n}`)();
    // A hundred bytes for each would be 100 MB.
    expect(usedBytes() - before).toBeLessThan(10_000_000);
    expect(keeper.position).toBeUndefined();
    first();
    expect(keeper.position).toBe('999999');
  });
});
