import { describe, expect, it } from 'vitest';
import { phoneDigits } from './phone-number.ts';

describe('a phone number', () => {
  it.each([
    '12025550102',
    '+12025550102',
    '12025550102@c.us',
    '+12025550102@c.us',
    '12025550102@s.whatsapp.net',
    '0012025550102',
    '00 1 202 555 0102',
    '+1 (202) 555-0102',
    '+1(202)555-0102',
    '+1 202 555 0102',
    '+ 1 202 555 0102',
    '+1.202.555.0102',
    '+1-202-555-0102',
    'tel:+1-202-555-0102',
    'TEL:+12025550102',
    ' 12025550102', // A plus in a query string.
    ' 12025550102@c.us',
    '+12025550102\n',
    '+1\u00a0202\u202f555\u20090102', // No-break, narrow and thin spaces.
    '\u202a+12025550102\u202c', // As macOS copies a number from its contacts.
    '\u2066+1 202 555 0102\u2069',
    '\u200e+1\u2011202\u2011555\u20110102', // No-break hyphens.
    '+1\u2013202\u2014555\u22120102', // En dash, em dash, minus.
    '\ufeff+1202\u200b5550102',
    '\uff0b\uff11\uff12\uff10\uff12\uff15\uff15\uff15\uff10\uff11\uff10\uff12', // Full width.
  ])('%j is +1 202 555 0102', (written) => {
    expect(phoneDigits(written)).toBe('12025550102');
  });

  it.each([
    '',
    '+',
    '00',
    '0151 1234567', // Without a country code.
    '0151234567',
    '(202) 555-0102',
    '202-555-0102',
    '1 202 555 0102',
    '+49 (0)151 1234567', // With the trunk prefix.
    '+49 ( 0 ) 151 1234567',
    '+0151234567',
    '+1234',
    `+${'1'.repeat(16)}`,
    '1'.repeat(16),
    '1@s.whatsapp.net',
    '+1 202 555 0102 ext. 5',
    '+1 202 555 0102 x5',
    '+1 202 555 0102, +1 202 555 0103',
    '+1 202 555 01/02',
    '++12025550102',
    '1+2025550102',
    '+1 (202 555-0102',
    '+1 202 CALL NOW',
    'https://wa.me/12025550102',
    '12025550102@g.us',
    `+1${' '.repeat(70)}2025550102`,
  ])('%j is refused', (written) => {
    expect(phoneDigits(written)).toBeUndefined();
  });
});
