import * as v from 'valibot';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { checkpointParts } from '../journal/folds.ts';
import type { NewRecord } from '../journal/frame.ts';
import { answerIn, KEY_LIFETIME_MS, keyNotes, type MovedPart, SentKeys } from './sent-keys.ts';

let keys: SentKeys;
let seq: number;
const store = (record: NewRecord) => {
  seq += 1;
  keys.apply({ ...record, seq, at: Date.now() });
};
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 });
  keys = new SentKeys();
  seq = 0;
});

const begun = (session: string, hash: string) => keyNotes.begun(session, hash, { fingerprint: 'f', messageId: '3EB0' });

describe('a key', () => {
  it('is known for a day, in its session', () => {
    store(begun('main', 'h'));
    expect(keys.of('main', 'h')).toEqual({
      fingerprint: 'f',
      messageId: '3EB0',
      beganAt: Date.now(),
      doneSeq: undefined,
    });
    expect(keys.of('other', 'h')).toBeUndefined();
    vi.advanceTimersByTime(KEY_LIFETIME_MS - 1);
    expect(keys.of('main', 'h')).toBeDefined();
    vi.advanceTimersByTime(1);
    expect(keys.of('main', 'h')).toBeUndefined();
  });

  it('has its answer, and is forgotten when it is freed, or with its session', () => {
    for (const hash of ['a', 'b', 'c']) store(begun('main', hash));
    store(keyNotes.done('main', 'a', '{}'));
    store(keyNotes.free('main', 'b'));
    store(keyNotes.done('main', 'unknown', '{}'));
    expect(['a', 'b', 'c'].map((hash) => keys.of('main', hash)?.doneSeq)).toEqual([4, undefined, undefined]);
    expect([...checkpointParts(keys)].map(({ text }) => (JSON.parse(text) as unknown[]).length)).toEqual([2]);
    store({ kind: 'forget', name: '', session: 'main', key: '', text: '' });
    expect(keys.of('main', 'a')).toBeUndefined();
  });

  it.each([
    ['a message', '{"id":"x"}', '{"id":"x"}'],
    ['the id of a group', '"1@g.us"', '"1@g.us"'],
    ['what is not JSON', '{', ''],
  ])('is answered with %s', (_, text, answer) => {
    expect(answerIn({ ...keyNotes.done('main', 'a', text), seq: 1, at: 0 })).toBe(answer);
  });
});

it('a session with 100,000 keys accepts no more until the oldest has expired, and drops none', () => {
  for (let n = 0; n < 100_000; n += 1) store(begun('main', `${n}`));
  expect(keys.fullUntil('main')).toBe(Date.now() + KEY_LIFETIME_MS);
  expect(keys.fullUntil('other')).toBeUndefined();
  store(keyNotes.free('main', '7'));
  expect(keys.fullUntil('main')).toBeUndefined();
  store(begun('main', '7'));
  vi.advanceTimersByTime(KEY_LIFETIME_MS);
  expect(keys.fullUntil('main')).toBeUndefined();
});

it('counts pending keys, but not the expired ones that they replace', () => {
  for (let n = 0; n < 3; n += 1) store(begun('main', `old ${n}`));
  vi.advanceTimersByTime(KEY_LIFETIME_MS - 1);
  for (let n = 0; n < 99_996; n += 1) store(begun('main', `${n}`));
  expect([0, 1].map((beginning) => keys.fullUntil('main', beginning))).toEqual([undefined, Date.now() + 1]);
  vi.advanceTimersByTime(1);
  expect([3, 4].map((beginning) => keys.fullUntil('main', beginning))).toEqual([
    undefined,
    Date.now() + KEY_LIFETIME_MS - 1,
  ]);
});

it('counts what a key with a limit has sent within an hour, also after a checkpoint and at another gateway', async () => {
  const sent = (session: string, hash: string, limitedKey?: string) =>
    store(keyNotes.begun(session, hash.padStart(22, 'k'), { fingerprint: 'f'.repeat(22), limitedKey }));
  sent('main', '1', 'key_a');
  vi.advanceTimersByTime(1_000);
  sent('main', '2', 'key_a');
  sent('main', '3', 'key_b');
  sent('main', '4');
  sent('other', '5', 'key_a');
  const firstEndsAt = Date.now() - 1_000 + 3_600_000;
  const [restored, moved] = [new SentKeys(), new SentKeys()];
  for (const { session, text } of checkpointParts(keys)) restored.restore(session, JSON.parse(text), 0);
  for await (const part of keys.partsToMove('main', { findAll: async function* () {} }))
    moved.restore('main', v.parse(keys.part, part), 0);
  for (const state of [keys, restored, moved]) {
    expect(state.spentUntil('main', 'key_a', 3)).toBeUndefined();
    expect(state.spentUntil('main', 'key_a', 3, 1)).toBe(firstEndsAt);
    expect(state.spentUntil('main', 'key_a', 2)).toBe(firstEndsAt);
    expect(state.spentUntil('main', 'key_a', 1)).toBe(firstEndsAt + 1_000);
    expect(state.spentUntil('main', 'key_b', 2)).toBeUndefined();
  }
  store(keyNotes.free('main', '2'.padStart(22, 'k')));
  expect(keys.spentUntil('main', 'key_a', 2)).toBeUndefined();
  vi.advanceTimersByTime(3_600_000);
  expect(keys.spentUntil('main', 'key_a', 1)).toBeUndefined();
});

it('expired keys are dropped from memory with the next one; a checkpoint restores the others', () => {
  for (let n = 0; n < 1_500; n += 1) store(begun('main', `old ${n}`));
  vi.advanceTimersByTime(KEY_LIFETIME_MS);
  for (let n = 0; n < 1_500; n += 1) store(begun('main', `new ${n}`));
  store(keyNotes.done('main', 'new 7', '{}'));
  const restored = new SentKeys();
  for (const { session, text } of checkpointParts(keys)) restored.restore(session, JSON.parse(text), 0);
  expect([...checkpointParts(restored)]).toEqual([...checkpointParts(keys)]);
  expect([...checkpointParts(keys)].flatMap(({ text }) => JSON.parse(text) as unknown[])).toHaveLength(1_500);
  expect(restored.of('main', 'new 7')).toEqual(keys.of('main', 'new 7'));
});

it('there is room for as many keys as a session can have, including those that it still has', () => {
  store(begun('main', 'old'));
  const fingerprint = 'f'.repeat(22);
  const partOf = (hash: string): MovedPart => [{ hash, fingerprint, beganAt: 1 }];
  const parts = Array.from({ length: 100_000 }, (_, n) => partOf(`${n}`));
  expect(() => keys.requireRoom('main', [...parts, partOf('more')])).toThrow(
    'more Idempotency-Keys than a session can have',
  );
  expect(() => keys.requireRoom('main', parts)).toThrow(
    expect.objectContaining({ code: 'insufficient_resources', retryAfterSeconds: KEY_LIFETIME_MS / 1_000 }),
  );
  keys.requireRoom('other', parts);
  vi.advanceTimersByTime(KEY_LIFETIME_MS);
  keys.requireRoom('main', parts);
  store(begun('main', '7'));
  keys.requireRoom('main', parts);
});

it('expired keys of an archive take no memory, and displace none', () => {
  store(begun('main', 'real'));
  const moved = (n: number) => ({
    hash: String(n).padStart(22, 'k'),
    fingerprint: 'f'.repeat(22),
    messageId: undefined,
  });
  for (let n = 0; n < 100_001; n += 1) keys.restore('main', [{ ...moved(n), beganAt: 0 }], 5);
  expect(keys.of('main', 'real')).toBeDefined();
  expect(keys.fullUntil('main')).toBeUndefined();
  vi.setSystemTime(1_000); // What was kept would count now.
  expect(keys.list('main').map(([hash]) => hash)).toEqual(['real']);
});

it('moved keys that have expired behind others do not displace these', () => {
  store(begun('main', 'real'));
  const hash = (n: number) => String(n).padStart(22, 'k');
  const moved = (n: number, beganAt: number) =>
    keys.restore('main', [{ hash: hash(n), fingerprint: 'f'.repeat(22), beganAt }], 5);
  for (let n = 0; n < 99_999; n += 1) moved(n, Date.now() - KEY_LIFETIME_MS + 1_000);
  vi.advanceTimersByTime(1_000);
  expect(keys.list('main')).toHaveLength(1);
  for (let n = 0; n < 10; n += 1) moved(100_000 + n, Date.now());
  expect(keys.list('main')).toHaveLength(11);
  expect(keys.of('main', 'real')).toBeDefined();
});
