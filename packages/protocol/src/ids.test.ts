import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { callId, contactId, messageId, personId, recipient, sessionId } from './ids.ts';
import { networkId } from './limits.ts';

/** Keys that other software has chosen. */
const FOREIGN = [
  'ORDER_17==',
  'a/b+c,d%25?e#f',
  "o'clock",
  'x@y.z',
  '{"a":1}',
  '[1]',
  'a  b',
  'Ünï-日本-👍',
  '_',
  '3EB0:1',
];

describe('session id', () => {
  it.each(['a', 'main', 'A-b_9', 'x'.repeat(64)])('takes %s', (id) => {
    expect(v.safeParse(sessionId, id).success).toBe(true);
  });

  it.each(['', 'x'.repeat(65), '../x', 'a/b', 'a b', 'ä', 'a\0', 'a\n', '.', '%2e'])('refuses %j', (id) => {
    expect(v.safeParse(sessionId, id).success).toBe(false);
  });
});

describe('recipient', () => {
  it.each([
    ['+4915112345678', '4915112345678@c.us'],
    ['4915112345678', '4915112345678@c.us'],
    ['4915112345678@c.us', '4915112345678@c.us'],
    ['120363021234567890@g.us', '120363021234567890@g.us'],
    ['4915112345678-1500000000@g.us', '4915112345678-1500000000@g.us'],
    ['98765432101234@lid', '98765432101234@lid'],
    ['867051314767696@bot', '867051314767696@bot'],
    ['0@c.us', '0@c.us'],
    ['12345678901234567890@c.us', '12345678901234567890@c.us'],
    [' 4915112345678@s.whatsapp.net', '4915112345678@c.us'],
    ['+49 151 12345678', '4915112345678@c.us'],
    ['status@broadcast', 'status@broadcast'],
  ])('turns %s into %s', (written, normalised) => {
    expect(v.parse(recipient, written)).toBe(normalised);
  });

  it.each([
    '',
    '+',
    '0151234567',
    '1234',
    '1'.repeat(16),
    '+49 (0)151 12345678',
    '49 151 12345678',
    'x@c.us',
    '1@s.whatsapp.net',
    '1@g.us\n',
    '@lid',
    '867051314767696@bots',
  ])('refuses %j', (written) => {
    expect(v.safeParse(recipient, written).success).toBe(false);
  });

  it('says how to write a number', () => {
    const issues = [recipient, personId, contactId].map((schema) => v.safeParse(schema, '0151 234567').issues);
    for (const [issue] of issues as [v.BaseIssue<unknown>][])
      expect(issue.message).toMatch(/^must be a phone number with its country code, such as \+441632960123/);
  });
});

describe('message id', () => {
  it.each([
    'true_12025550101@c.us_3EB0C0FFEE',
    'false_120363021234567890@g.us_3A00_12025550101@c.us',
    'false_1@lid_AB',
    'true_12025550101@c.us_3EB0_out',
    'true_1@c.us_A B',
    'false_867051314767696@bot_3EB0',
    ...FOREIGN.flatMap((key) => [`false_1@c.us_${key}`, `false_1@g.us_${key}_2@lid`]),
    `true_1@c.us_${'A'.repeat(288)}`,
  ])('takes %s', (id) => {
    expect(v.safeParse(messageId, id).success).toBe(true);
    // Whatever is reported is accepted.
    expect(v.safeParse(networkId, id).success).toBe(true);
  });

  it.each([
    '',
    'abc',
    'true_1@c.us',
    'maybe_1@c.us_A',
    'true_1@c.us_',
    'true_1@c.us_A\nB',
    'true_1@c.us_A\0',
    'true_1@c.us_\ud800',
    `true_1@c.us_${'A'.repeat(289)}`,
    'false_120363000000000001@newsletter_AB',
  ])('refuses %j', (id) => {
    expect(v.safeParse(messageId, id).success).toBe(false);
  });
});

describe('call id', () => {
  it.each(['3EB0C0FFEE', 'call-1==', 'a_b=c/d + e', 'x'.repeat(300)])('takes %s', (id) => {
    expect(v.safeParse(callId, id).success).toBe(true);
  });

  it.each(['', 'x'.repeat(7), 'a call\nid', 'x'.repeat(301)])('refuses %j', (id) => {
    expect(v.safeParse(callId, id).success).toBe(false);
  });
});
