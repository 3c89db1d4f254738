import { type Operation, operations } from '@chat-web/protocol';
import { expect, it } from 'vitest';
import { plainPath } from './plain-path.ts';

it.each([
  ['/', '/'],
  ['//', '/'],
  ['/sessions', '/sessions'],
  ['/sessions/', '/sessions'],
  ['/sessions//', '/sessions'],
  ['//sessions', '/sessions'],
  ['///sessions/main/', '/sessions/main'],
  ['/sessions/main//messages', '/sessions/main/messages'],
  ['/sessions/main///messages/', '/sessions/main/messages'],
  ['/health/', '/health'],
  ['//health', '/health'],
  ['/Health', '/health'],
  ['//HEALTH/Ready/', '/health/ready'],
  ['/health//ready', '/health/ready'],
  // An id is missing: this is not the session `start`.
  ['/sessions//start', '/sessions//start'],
  ['/sessions////start/', '/sessions//start'],
  ['/sessions/main/groups//participants', '/sessions/main/groups//participants'],
  ['/sessions/main/chats//messages', '/sessions/main/chats//messages'],
  // Part of an id, and of nothing else.
  ['/sessions/%2F/', '/sessions/%2F'],
  ['/sessions/main%2F%2Fmessages', '/sessions/main%2F%2Fmessages'],
  ['/Sessions/', '/Sessions'],
  ['/health%2F', '/health%2F'],
  // Folders of files.
  ['/docs/', '/docs/'],
  ['//console/', '/console/'],
  ['/console//main.js', '/console//main.js'],
  ['/docs', '/docs'],
])('%s is %s', (written, plain) => {
  expect(plainPath(written)).toBe(plain);
});

it('a missing id at the end turns no change into another one', () => {
  const all = Object.values<Operation>(operations);
  const cut = all.filter(({ method, path }) => method !== 'GET' && /\/:\w+$/.test(path));
  expect(cut.length).toBeGreaterThan(3);
  for (const { method, path } of cut)
    expect(all.filter((other) => other.method === method && `${other.path}/` === path.replace(/:\w+$/, ''))).toEqual(
      [],
    );
});

it('a long path costs no more than its length', () => {
  const startedAt = performance.now();
  for (const path of ['/'.repeat(16_000), '/sessions//'.repeat(1_500), '/x//'.repeat(4_000)]) plainPath(path);
  expect(performance.now() - startedAt).toBeLessThan(100);
});

it('nor does a long run of slashes within a path', () => {
  expect(plainPath(`/sessions${'/'.repeat(100_000)}x`)).toBe('/sessions//x');
}, 2_000);
