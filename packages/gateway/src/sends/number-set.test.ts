import fc from 'fast-check';
import { expect, it } from 'vitest';
import { NumberSet } from './number-set.ts';

const number = fc.oneof(fc.nat(50), fc.integer({ min: 0, max: 2 ** 32 - 1 }));

it('has the added numbers, even after it was stored', () => {
  fc.assert(
    fc.property(fc.array(number, { maxLength: 200 }), fc.array(number), (added, asked) => {
      const [set, model] = [new NumberSet(), new Set(added)];
      for (const one of added) set.add(one);
      const stored = NumberSet.of(set.toBytes());
      stored.add(7);
      expect(set.size).toBe(model.size);
      for (const one of [...added, ...asked]) {
        expect(set.has(one)).toBe(model.has(one));
        expect(stored.has(one)).toBe(model.has(one) || one === 7);
      }
      expect(set.toBytes()).toHaveLength(4 * model.size);
    }),
  );
});
