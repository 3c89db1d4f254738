import { afterEach, beforeEach, expect, it } from 'vitest';
import { MsgKey } from '../msg-key.ts';
import { type ReactionRow, reactionTableMode, readReactions, updateReactions } from './add-ons.ts';

const [ada, ben] = ['12025550101@c.us', '12025550102@c.us'];
const original = reactionTableMode.bulkUpsert;
let reported: (string | number)[][];
let parent: MsgKey;
let count = 0;

beforeEach(() => {
  count += 1;
  parent = MsgKey.fromString(`true_${ben}_MESSAGE${count}`);
  reported = [];
  // As the library does.
  reactionTableMode.bulkUpsert = (rows: readonly ReactionRow[]) => {
    reported.push(...rows.map(({ author, reactionText }) => [String(author), reactionText]));
    original(rows);
  };
});

afterEach(() => {
  reactionTableMode.bulkUpsert = original;
});

const reaction = (from: string, emoji: string, atMs = 1) => ({ id: 'R', from, fromMe: from === ada, emoji, atMs });

it('stores new, changed and removed reactions, once each', () => {
  updateReactions(parent, [reaction(ben, '👍')]);
  updateReactions(parent, [reaction(ben, '👍')]);
  updateReactions(parent, [reaction(ben, '🎉', 2), reaction(ada, '🎉')]);
  updateReactions(parent, [reaction(ada, '🎉')]);
  expect(reported).toEqual([
    [ben, '👍'],
    [ben, '🎉'],
    [ada, '🎉'],
    [ben, ''],
  ]);
});

it('stores history like new reactions, and all unread ones again when the chat is read', () => {
  readReactions(parent.remote);
  reported = [];
  updateReactions(parent, [reaction(ben, '👍'), reaction(ada, '👍')]);
  for (const _ of ['once', 'twice']) readReactions(parent.remote);
  expect(reported).toEqual([
    [ben, '👍'],
    [ada, '👍'],
    [ben, '👍'],
  ]);
});
