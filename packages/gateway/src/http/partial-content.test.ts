import { expect, it } from 'vitest';
import { isUnchanged, rangeOf } from './partial-content.ts';

const TAG = '"abc+/="';
const SIZE = 1_000;

it.each([
  ['bytes=0-0', { start: 0, length: 1 }],
  ['bytes=0-1', { start: 0, length: 2 }],
  ['bytes=0-', { start: 0, length: 1_000 }],
  ['bytes=500-', { start: 500, length: 500 }],
  ['bytes=999-', { start: 999, length: 1 }],
  ['bytes=999-5000', { start: 999, length: 1 }],
  ['bytes=0-99999999999999999999999999', { start: 0, length: 1_000 }],
  ['bytes=-1', { start: 999, length: 1 }],
  ['bytes=-1000', { start: 0, length: 1_000 }],
  ['bytes=-99999999999999999999999999', { start: 0, length: 1_000 }],
  ['Bytes= 1-2 ', { start: 1, length: 2 }],
  ['bytes=1000-', 'beyond'],
  ['bytes=99999999-', 'beyond'],
  ['bytes=1000-2000', 'beyond'],
  ['bytes=-0', 'beyond'],
  // The whole file.
  ['', undefined],
  ['bytes=-', undefined],
  ['bytes=', undefined],
  ['bytes=2-1', undefined],
  ['bytes=2000-1000', undefined],
  ['bytes=0-1,5-6', undefined],
  ['bytes=0-1, -1', undefined],
  ['bytes=a-b', undefined],
  ['bytes=1.5-2', undefined],
  ['bytes=+1-2', undefined],
  ['bytes 0-1', undefined],
  ['items=0-1', undefined],
])('Range %j is %j', (range, expected) => {
  expect(rangeOf({ range }, SIZE, TAG)).toEqual(expected);
});

it('an empty file has no range', () => {
  for (const range of ['bytes=0-', 'bytes=0-0', 'bytes=-1']) expect(rangeOf({ range }, 0, TAG)).toBe('beyond');
});

it.each([
  [TAG, true],
  [`W/${TAG}`, false],
  ['"other"', false],
  ['Thu, 26 Nov 2026 08:00:00 GMT', false],
  ['', false],
])('If-Range %j: %s', (ifRange, isRange) => {
  expect(rangeOf({ range: 'bytes=0-1', 'if-range': ifRange }, SIZE, TAG)).toEqual(
    isRange ? { start: 0, length: 2 } : undefined,
  );
  expect(rangeOf({ range: 'bytes=0-1', 'if-range': ifRange }, SIZE, undefined)).toBeUndefined();
});

it.each([
  [TAG, true],
  [`W/${TAG}`, true],
  [`"x", ${TAG}`, true],
  ['*', true],
  ['"x"', false],
  ['abc+/=', false],
  ['', false],
  [undefined, false],
])('If-None-Match %j: %s', (written, expected) => {
  expect(isUnchanged(written, TAG)).toBe(expected);
});
