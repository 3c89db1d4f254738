import { expect, it } from 'vitest';
import { isSameNumber } from './same-number.ts';

it.each([
  ['12025550101', '12025550101'],
  ['5511987654321', '551187654321'],
  ['5215512345678', '525512345678'],
  ['5491123456789', '541123456789'],
  ['2290197000000', '22997000000'],
])('%s and %s are one line', (one, other) => {
  expect(isSameNumber(one, other)).toBe(true);
  expect(isSameNumber(other, one)).toBe(true);
});

it.each([
  ['12025550101', '12025550102'],
  ['5511987654321', '5511987654322'],
  ['5511987654321', '5521987654321'],
  ['4491123456789', '441123456789'],
])('%s and %s are not', (one, other) => {
  expect(isSameNumber(one, other)).toBe(false);
});
