import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { messageId, recipient, sessionId } from './ids.ts';

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
    '+49 151 123',
    'x@c.us',
    '1@s.whatsapp.net',
    '1@g.us\n',
    '@lid',
  ])('refuses %j', (written) => {
    expect(v.safeParse(recipient, written).success).toBe(false);
  });
});

describe('message id', () => {
  it.each([
    'true_12025550101@c.us_3EB0C0FFEE',
    'false_120363021234567890@g.us_3A00_12025550101@c.us',
    'false_1@lid_AB',
  ])('takes %s', (id) => {
    expect(v.safeParse(messageId, id).success).toBe(true);
  });

  it.each([
    '',
    'abc',
    'true_1@c.us',
    'maybe_1@c.us_A',
    'true_1@c.us_A B',
    `true_1@c.us_${'A'.repeat(200)}`,
    'false_120363000000000001@newsletter_AB',
  ])('refuses %j', (id) => {
    expect(v.safeParse(messageId, id).success).toBe(false);
  });
});
