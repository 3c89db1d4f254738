import { expect, it } from 'vitest';
import { RecentIds } from './recent-ids.ts';

it('contains added ids, and drops the oldest if there are too many', () => {
  const ids = new RecentIds(2);
  expect([ids.add('a'), ids.add('b'), ids.add('a')]).toEqual([true, true, false]);
  expect(ids.add('c')).toBe(true);
  expect(['a', 'b', 'c'].map((id) => ids.has(id))).toEqual([false, true, true]);
  expect(ids.add('a')).toBe(true);
});
