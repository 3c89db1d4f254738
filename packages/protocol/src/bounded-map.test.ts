import { expect, it } from 'vitest';
import { BoundedMap } from './bounded-map.ts';

it('contains what was set, and drops the oldest if there is too much', () => {
  const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('a', 3);
  expect([...map]).toEqual([
    ['a', 3],
    ['b', 2],
  ]);
  map.set('c', 4);
  expect([map.has('a'), ...map.keys()]).toEqual([false, 'b', 'c']);
});

it('keeps a key longer that is set as the newest', () => {
  const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).setNewest('a', 1).set('c', 3);
  expect([...map.keys()]).toEqual(['a', 'c']);
});
