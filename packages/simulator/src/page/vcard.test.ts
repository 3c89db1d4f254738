import { expect, it } from 'vitest';
import { parseVcard, vcardOf } from './vcard.ts';

it('reads the name that it writes', () => {
  expect(parseVcard(vcardOf('Ada Marsh', '12025550101'))).toBe('Ada Marsh');
  expect(parseVcard('BEGIN:VCARD\nFN;CHARSET=UTF-8:John Doe\nEND:VCARD')).toBe('John Doe');
});

it('takes nothing else for a card', () => {
  expect(parseVcard('BEGIN:VCARD and then some')).toBeUndefined();
});
