import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Budget } from './budget.ts';

it('never allows more than the burst plus the refill', () => {
  const steps = fc.array(fc.record({ waitMs: fc.nat(500), amount: fc.nat(60) }));
  fc.assert(
    fc.property(steps, (taken) => {
      const budget = new Budget({ burst: 50, perSecond: 100 }, 0);
      let [now, sum] = [0, 0];
      for (const { waitMs, amount } of taken) {
        now += waitMs;
        if (budget.take(amount, now)) sum += amount;
        expect(sum).toBeLessThanOrEqual(50 + now / 10 + 1e-6);
      }
    }),
  );
});

it('refills up to the burst, and no further', () => {
  const budget = new Budget({ burst: 50, perSecond: 100 }, 0);
  expect(budget.take(50, 0)).toBe(true);
  expect(budget.take(1, 0)).toBe(false);
  expect(budget.take(51, 10_000)).toBe(false);
  expect(budget.take(50, 10_000)).toBe(true);
});

it('is overdrawn by charges beyond its burst, until it is refilled', () => {
  const budget = new Budget({ burst: 50, perSecond: 100 }, 0);
  budget.charge(50, 0);
  expect(budget.isOverdrawn(0)).toBe(false);
  budget.charge(100, 0);
  expect(budget.isOverdrawn(999)).toBe(true);
  expect(budget.isOverdrawn(1_000)).toBe(false);
  expect(budget.take(1, 1_000)).toBe(false);
});
