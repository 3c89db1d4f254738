import { afterEach, beforeEach, expect, it } from 'vitest';
import { MsgKey } from '../msg-key.ts';
import { learnReactions, type ReactionRow, reactionTableMode } from './reactions.ts';

const [ada, ben] = ['12025550101@c.us', '12025550102@c.us'];
const original = reactionTableMode.bulkUpsert;
let heard: (string | number)[][];
let parent: MsgKey;
let count = 0;

beforeEach(() => {
  count += 1;
  parent = MsgKey.fromString(`true_${ben}_MESSAGE${count}`);
  heard = [];
  // As the library does.
  reactionTableMode.bulkUpsert = (rows: readonly ReactionRow[]) => {
    heard.push(...rows.map(({ author, reactionText }) => [String(author), reactionText]));
    original(rows);
  };
});

afterEach(() => {
  reactionTableMode.bulkUpsert = original;
});

const reaction = (from: string, emoji: string, atMs = 1) => ({ id: 'R', from, fromMe: from === ada, emoji, atMs });

it('tells of what is new, what is different and what was taken back, once each', () => {
  learnReactions(parent, [reaction(ben, '👍')], true);
  learnReactions(parent, [reaction(ben, '👍')], true);
  learnReactions(parent, [reaction(ben, '🎉', 2), reaction(ada, '🎉')], true);
  learnReactions(parent, [reaction(ada, '🎉')], true);
  expect(heard).toEqual([
    [ben, '👍'],
    [ben, '🎉'],
    [ada, '🎉'],
    [ben, ''],
  ]);
});

it('keeps silent about history, and knows it', () => {
  learnReactions(parent, [reaction(ben, '👍'), reaction(ada, '👍')], false);
  expect(heard).toEqual([]);
  learnReactions(parent, [reaction(ben, '👍'), reaction(ada, '🎉', 2)], true);
  expect(heard).toEqual([[ada, '🎉']]);
});
