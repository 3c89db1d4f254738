import { LIMITS } from '@chat-web/protocol';
import { expect, it } from 'vitest';
import { LongList, MAX_LISTED_BYTES } from './long-list.ts';

const json = (list: LongList) => Buffer.concat([...list.json()]);

it('is the JSON of all rows, in order, with its length', () => {
  const list = new LongList();
  const rows = ['ä', '\u4e2d😀', '"', '\ud800'].map((id) => ({ id }));
  for (const row of rows) expect(list.add([row])).toBe(true);
  expect(list.add([])).toBe(true);
  expect(list.add(rows)).toBe(true);
  expect(JSON.parse(json(list).toString())).toEqual([...rows, ...rows]);
  expect(json(list)).toHaveLength(list.length);
});

it('is limited by rows and by bytes', () => {
  const many = new LongList();
  const thousand = Array.from({ length: 1_000 }, () => 0);
  for (let n = 0; n < LIMITS.listed; n += 1_000) expect(many.add(thousand)).toBe(true);
  expect(many.add([0])).toBe(false);
  const large = new LongList();
  const row = 'x'.repeat(MAX_LISTED_BYTES / 2 - 2);
  expect([large.add([row]), large.add([row]), large.add([0])]).toEqual([true, true, false]);
});
