import { expect, it } from 'vitest';
import { vcardOf } from './contents.ts';

it('a card has the name, the number and the organization of a person', () => {
  expect(vcardOf({ name: 'Carla Mendes', number: '12025550103@c.us', organization: 'Mendes' }).split('\n')).toEqual([
    'BEGIN:VCARD',
    'VERSION:3.0',
    'N:;Carla Mendes;;;',
    'FN:Carla Mendes',
    'ORG:Mendes',
    'TEL;type=CELL;waid=12025550103:+12025550103',
    'END:VCARD',
  ]);
});

it('special characters are escaped, and nothing in a name starts a new line', () => {
  const card = vcardOf({ name: 'A;B,C\\D\r\nTEL:+1\u2028X:Y', number: '12025550103@c.us' });
  expect(card.split(/\r|\n|\u2028/)).toEqual([
    'BEGIN:VCARD',
    'VERSION:3.0',
    'N:;A\\;B\\,C\\\\D TEL:+1 X:Y;;;',
    'FN:A\\;B\\,C\\\\D TEL:+1 X:Y',
    'TEL;type=CELL;waid=12025550103:+12025550103',
    'END:VCARD',
  ]);
});
