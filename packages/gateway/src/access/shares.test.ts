import { expect, it } from 'vitest';
import { exceededShare } from './shares.ts';

it.each([
  ['a key has its share', ['a', 'a'], 'a', { max: 2, whose: ' with this key' }],
  ['other keys have theirs', ['a', 'a'], 'b', undefined],
  ['all keys together have theirs', ['a', 'a', 'b', undefined], 'c', { max: 3, whose: ' with keys' }],
  ['the rest is for the operator', ['a', 'a', 'b'], undefined, undefined],
  ['whose own take nothing from keys', [undefined, undefined, undefined, 'a'], 'a', undefined],
  ['up to the limit', ['a', 'b', 'c', undefined, undefined], undefined, { max: 5, whose: '' }],
  ['which is the same for keys', [undefined, undefined, undefined, undefined, undefined], 'a', { max: 5, whose: '' }],
])('%s: %j and one of %s', (_, taken, keyId, exceeded) => {
  expect(exceededShare({ all: 5, ofKeys: 3, perKey: 2 }, taken, keyId)).toEqual(exceeded);
});
