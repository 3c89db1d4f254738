import { expect, it } from 'vitest';
import { findCountryCode, formatNumber } from './phone-numbers.ts';

it.each([
  ['18092201111', '1'],
  ['491701234567', '49'],
  ['351912345678', '351'],
  ['77011234567', '7'],
])('finds the country code of %s', (number, code) => {
  expect(findCountryCode(number)).toBe(code);
});

it('writes a number as people do', () => {
  expect(formatNumber('18092201111@s.whatsapp.net')).toBe('+1 (809) 220-1111');
  expect(formatNumber('491701234567')).toBe('+49 1701234567');
});
