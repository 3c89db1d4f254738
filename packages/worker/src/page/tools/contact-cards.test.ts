import { expect, it } from 'vitest';
import { readCards } from './contact-cards.ts';

const card = (...lines: string[]) => ['BEGIN:VCARD', 'VERSION:3.0', ...lines, 'END:VCARD'].join('\n');
const zoe = (...numbers: string[]) => [{ name: 'Zoe', numbers }];

it.each([
  [
    'of a phone',
    card('N:;Zoe;;;', 'FN:Zoe', 'item1.TEL;waid=12025550199:+1 202-555-0199', 'item1.X-ABLabel:Mobile'),
    zoe('+12025550199'),
  ],
  [
    'with a number of another account than it shows',
    card('FN:Zoe', 'TEL;type=CELL;waid=551199990000:+55 11 99999-0000'),
    zoe('+551199990000'),
  ],
  [
    'with two numbers, one of them twice',
    card('FN:Zoe', 'TEL:+1 (202) 555.0199', 'TEL;TYPE=WORK:0171 123', 'TEL:+12025550199'),
    zoe('+12025550199', '0171123'),
  ],
  ['without numbers', card('FN:Zoe', 'EMAIL:zoe@example.com'), zoe()],
  ['with Windows line ends', card('FN:Zoe', 'TEL:+12025550199').replaceAll('\n', '\r\n'), zoe('+12025550199')],
  ['with folded lines', card('FN:Z', ' oe', 'TEL;waid=120255', '\t50199:+1'), zoe('+12025550199')],
  [
    'in quoted-printable',
    card('FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Zo=C3=AB M=', '=C3=BCller', 'TEL;CELL:+12025550199'),
    [{ name: 'Zoë Müller', numbers: ['+12025550199'] }],
  ],
  [
    'in quoted-printable of another charset',
    card('FN;CHARSET=ISO-8859-1;QUOTED-PRINTABLE:Zo=EB'),
    [{ name: 'Zoë', numbers: [] }],
  ],
  ['in quoted-printable of an unknown charset', card('FN;CHARSET=klingon;QUOTED-PRINTABLE:Zo=65'), zoe()],
  ['with escaped signs', card('FN:Smith\\, Zoe\\; Dr.\\nMD \\\\'), [{ name: 'Smith, Zoe; Dr. MD \\', numbers: [] }]],
  [
    'with a colon in a parameter',
    card('FN;X="a:b;c":Zoe', 'TEL;VALUE=uri;TYPE="voice,home":tel:+1-202-555-0199;ext=5'),
    zoe('+12025550199'),
  ],
  [
    'of a business, without a person',
    card('ORG:Zoe;Sales', 'TEL;waid=12025550199:+1'),
    [{ name: 'Zoe, Sales', numbers: ['+12025550199'] }],
  ],
  ['with its name in parts only', card('N:Smith;Zoe;;;'), [{ name: 'Zoe Smith', numbers: [] }]],
  ['in lower case', card('fn:Zoe', 'tel;waid=12025550199:x').replace('BEGIN', 'begin'), zoe('+12025550199')],
  ['without a name', card('FN:', 'TEL:+12025550199'), [{ name: 'shown', numbers: ['+12025550199'] }]],
  [
    'that has a picture',
    card('FN:Zoe', `PHOTO;BASE64:${'A'.repeat(100_000)}`, 'TEL:+12025550199'),
    zoe('+12025550199'),
  ],
])('a card %s', (_, text, expected) => {
  expect(readCards(text, 'shown')).toEqual(expected);
});

it('cards that follow each other are read in order', () => {
  const two = `${card('FN:Zoe', 'TEL:+12025550199')}\n${card('FN:Ben')}`;
  expect(readCards(two)).toEqual([...zoe('+12025550199'), { name: 'Ben', numbers: [] }]);
});

it('what is no card has none, and a hostile one is bounded and read at once', () => {
  expect(['', 'hello', 'FN:Zoe', 'END:VCARD', ':', '"'].map((text) => readCards(text))).toEqual(Array(6).fill([]));
  for (const line of [
    ';'.repeat(100_000),
    `TEL${';"'.repeat(50_000)}`,
    'FN:\\'.repeat(25_000),
    `FN;QUOTED-PRINTABLE:${'='.repeat(100_000)}`,
    ' \n'.repeat(50_000),
  ])
    expect(readCards(card(line, 'FN:Zoe'))).toHaveLength(1);
  expect(readCards('BEGIN:VCARD\n'.repeat(1_000))).toHaveLength(300);
  expect(readCards(card('FN:Zoe', ...Array.from({ length: 99 }, (_, n) => `TEL:+${n}`)))[0]?.numbers).toHaveLength(20);
  expect(readCards(card(`FN:${'x'.repeat(5_000)}`))[0]?.name).toHaveLength(1_000);
});
