import { expect, it } from 'vitest';
import { memorySeenStore } from './once.ts';

it('keeps the newest ids, and no more than its number', async () => {
  const seen = memorySeenStore({ maxIds: 100 });
  expect(await seen.has('0')).toBe(false);
  for (let index = 0; index < 1_000; index += 1) await seen.add(String(index));
  const known = Array.from({ length: 1_000 }, (_, index) => seen.has(String(index)));
  expect(known.lastIndexOf(false)).toBe(899);
  expect(known.filter(Boolean)).toHaveLength(100);
});

it('forgets after its time', async () => {
  const seen = memorySeenStore({ maxAgeMs: 20 });
  await seen.add('a');
  await expect.poll(() => seen.has('a')).toBe(false);
});
