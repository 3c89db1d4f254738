import { expect, it } from 'vitest';
import { memoryVerdict, nextLook } from './memory-policy.ts';

const marks = { softBytes: 700, hardBytes: 1_200 };
const idle = { pending: 0, idleMs: 30_000, sinceRecycleMs: Number.POSITIVE_INFINITY };

it('leaves a session alone that is below the soft mark', () => {
  expect(memoryVerdict({ bytes: 700, ...idle }, marks)).toBe('keep');
});

it('recycles one above the soft mark when it is idle, and not before', () => {
  expect(memoryVerdict({ bytes: 701, ...idle }, marks)).toBe('recycle');
  expect(memoryVerdict({ bytes: 701, ...idle, pending: 1 }, marks)).toBe('keep');
  expect(memoryVerdict({ bytes: 701, ...idle, idleMs: 29_000 }, marks)).toBe('keep');
});

it('does not recycle one again and again that takes as much from the start', () => {
  expect(memoryVerdict({ bytes: 701, ...idle, sinceRecycleMs: 60_000 }, marks)).toBe('keep');
  expect(memoryVerdict({ bytes: 701, ...idle, sinceRecycleMs: 600_000 }, marks)).toBe('recycle');
});

it('ends one above the hard mark, whatever it does', () => {
  expect(memoryVerdict({ bytes: 1_201, pending: 5, idleMs: 0, sinceRecycleMs: 0 }, marks)).toBe('end');
});

it('looks more often at one that grows', () => {
  expect(nextLook(350, marks)).toBe(30_000);
  expect(nextLook(351, marks)).toBe(5_000);
  expect(nextLook(701, marks)).toBe(2_000);
});
