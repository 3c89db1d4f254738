import { expect, it } from 'vitest';
import { formsOf, learnForm, networkId } from './number-forms.ts';

const forms = (number: string) => formsOf(`${number}@c.us`).map((id) => id.replace('@c.us', ''));

it.each([
  ['5511999990000', '551199990000'],
  ['5547988887777', '554788887777'],
  ['5215512345678', '525512345678'],
  ['5493512345678', '543512345678'],
  ['5491123456789', '541123456789'],
  ['2290197000000', '22997000000'],
])('%s is the line of %s, too', (one, other) => {
  expect(forms(one)).toEqual([one, other]);
  expect(forms(other)).toEqual([other, one]);
});

it.each([
  ['551133334444', 'a landline in Brazil'],
  ['55119999900001', 'too long for Brazil'],
  ['521551234567', 'too short for Mexico'],
  ['544912345678', 'no area of Argentina'],
  ['12025550101', 'the United States'],
  ['4915112345678', 'Germany'],
  ['919812345678', 'India'],
  ['2250700000000', 'Ivory Coast, where the old number does not show the new one'],
  ['22901970000', 'too short for Benin'],
])('%s has one form: %s', (number) => {
  expect(forms(number)).toEqual([number]);
});

it('of other ids, there is one form', () => {
  for (const id of ['120363000000000001@g.us', '5511999990000@lid', 'status@broadcast'])
    expect(formsOf(id)).toEqual([id]);
});

it('what the network answered comes first, and replaces the rules of the country', () => {
  learnForm('5511988887777@c.us', '551188887777@c.us');
  expect(formsOf('5511988887777@c.us')).toEqual(['551188887777@c.us', '5511988887777@c.us']);
  expect(networkId('5511988887777@c.us')).toBe('551188887777@c.us');
  learnForm('5511988886666@c.us', '5511988886666@c.us');
  expect(formsOf('5511988886666@c.us')).toEqual(['5511988886666@c.us']);
  expect(networkId('12025550101@c.us')).toBe('12025550101@c.us');
});
