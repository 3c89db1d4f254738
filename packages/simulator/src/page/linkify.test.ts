import { expect, it } from 'vitest';
import { findLink, findLinks } from './linkify.ts';

it('finds web addresses without the punctuation behind them', () => {
  const found = findLinks('see https://example.com/a?b=c, and (www.example.org).');
  expect(found.map(({ href }) => href)).toEqual(['https://example.com/a?b=c', 'http://www.example.org']);
});

it('finds nothing in a text without one, or in no text', () => {
  expect(findLinks('call me: 12025550101')).toEqual([]);
  expect(findLink(undefined)).toBeUndefined();
});
