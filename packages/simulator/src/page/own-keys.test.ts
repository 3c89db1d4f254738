import { afterEach, expect, it } from 'vitest';
import { otherOwnKey, ownStatus, ownStatusKey } from './own-keys.ts';
import { switches } from './switches.ts';
import type { WireMessage, WireSelf } from './wire.ts';

const self = { pn: '1@c.us', lid: '8@lid' } as WireSelf;
const post = { chat: 'status@broadcast', fromMe: true, author: '1@c.us', from: '1@c.us' } as WireMessage;

afterEach(() => {
  switches.statusActions = 'positional';
});

it('keeps a post under the number in older builds', () => {
  expect(ownStatus(post, self)).toBe(post);
  expect(ownStatusKey('true_status@broadcast_X_1@c.us', self)).toBe('true_status@broadcast_X_1@c.us');
});

it('has a post under the hidden number in newer ones, and nothing else', () => {
  switches.statusActions = 'object';
  expect(ownStatus(post, self)).toMatchObject({ from: '8@lid', author: '8@lid' });
  expect(ownStatusKey('true_status@broadcast_X_1@c.us', self)).toBe('true_status@broadcast_X_8@lid');
  const other = { ...post, fromMe: false };
  expect(ownStatus(other, self)).toBe(other);
  expect(ownStatusKey('true_2@c.us_X', self)).toBe('true_2@c.us_X');
});

it('finds an own message in a group under the other id', () => {
  expect(otherOwnKey('true_9@g.us_X_1@c.us', self)).toBe('true_9@g.us_X_8@lid');
  expect(otherOwnKey('true_9@g.us_X_8@lid', self)).toBe('true_9@g.us_X_1@c.us');
  for (const key of ['false_9@g.us_X_2@c.us', 'true_2@c.us_X']) expect(otherOwnKey(key, self)).toBe(key);
});
