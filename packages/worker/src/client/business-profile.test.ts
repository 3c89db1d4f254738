import { expect, it } from 'vitest';
import { toBusinessProfile } from './business-profile.ts';

const BEN = '12025550102@c.us';
const none = { contactId: BEN, isBusiness: false, websites: [], categories: [] };
const nothing = { websites: [], categories: [], hours: undefined };

it('a person has no business profile', () => {
  expect(toBusinessProfile(BEN, nothing)).toEqual(none);
  expect(toBusinessProfile(BEN, { ...nothing, isBusiness: true })).toEqual({ ...none, isBusiness: true });
});

it('invalid parts are left out, and texts are cut', () => {
  const read = {
    description: 'x'.repeat(5_000),
    address: 7,
    email: null,
    websites: ['a', 5, ''],
    categories: 'none',
    hours: { timezone: null, days: [{ day: 'mon', mode: 'specific_hours', hours: [[-5, 5_000]] }, 'nonsense'] },
  };
  const { description, ...rest } = toBusinessProfile(BEN, read);
  expect(description).toHaveLength(1_000);
  const periods = [{ opensAt: '00:00', closesAt: '24:00' }];
  expect(rest).toEqual({
    ...none,
    isBusiness: true,
    websites: ['a'],
    hours: { days: [{ day: 'mon', mode: 'specific_hours', periods }] },
  });
});

it('hours that the API cannot express are left out', () => {
  const hours = { days: [{ day: 'someday', mode: 'by_moonlight' }] };
  expect(toBusinessProfile(BEN, { ...nothing, hours })).toEqual({ ...none, isBusiness: true });
});
