import { expect, it } from 'vitest';
import { findLink, findLinks } from './linkify.ts';

it('finds web addresses without trailing punctuation', () => {
  const found = findLinks('see https://example.com/a?b=c, and (www.example.org).');
  expect(found.map(({ href }) => href)).toEqual(['https://example.com/a?b=c', 'http://www.example.org']);
});

it('treats e-mail addresses, bare domains and missing spaces as links, unless limited to web addresses', () => {
  const text = 'ben@example.com, example.org or done.Next at HTTPS://example.net:8080/';
  expect(findLinks(text).map(({ href }) => href)).toEqual([
    'mailto:ben@example.com',
    'http://example.org',
    'http://done.Next',
    'HTTPS://example.net:8080/',
  ]);
  expect(findLinks(text, true).map(({ url }) => url)).toEqual(['HTTPS://example.net:8080/']);
});

it('finds nothing in a text without one, or in no text', () => {
  expect(findLinks('call me: 12025550101')).toEqual([]);
  expect(findLink(undefined)).toBeUndefined();
});
