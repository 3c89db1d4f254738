import { operations } from '@chat-web/protocol';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { reportedEmoji } from './reported-emoji.ts';

const messageId = 'false_12025550102@c.us_3EB0C0FFEE';
const read = (emoji: string) => v.safeParse(operations.sendMessage.body, { type: 'reaction', messageId, emoji });

it('each emoji that a reaction may have can be sent back, unchanged', () => {
  expect(reportedEmoji.length).toBeGreaterThan(190);
  expect(new Set(reportedEmoji).size).toBe(reportedEmoji.length);
  expect(reportedEmoji.filter((emoji) => (read(emoji).output as { emoji?: unknown })?.emoji !== emoji)).toEqual([]);
  expect(read('').success).toBe(true);
});

it('a text that is not one emoji is refused', () => {
  const refused = ['a', 'ok', '1', '#', '*', '42', ' ', '.', 'é', '\u{1f44d}\u{1f44d}', '\u{1f44d} ', ' \u{1f44d}'];
  const half = [
    '\u{1f1e9}',
    '\u{1f3fd}',
    '\u200d',
    '\ufe0f',
    '\u20e3',
    '\u{1f937}\u200d',
    '\u{1f1e9}\u{1f1ea}\u{1f1eb}',
  ];
  const flags = [
    '\u{1f1e9}\u{1f1ea}\u{1f1e7}\u{1f1f7}',
    '\u{1f3f4}\u{e0067}\u{e0062}',
    '1\ufe0f',
    '1\u20e32\u20e3',
    'a\u20e3',
  ];
  const long = Array(40).fill('\u{1f468}').join('\u200d');
  expect([...refused, ...half, ...flags, long].filter((emoji) => read(emoji).success)).toEqual([]);
});
