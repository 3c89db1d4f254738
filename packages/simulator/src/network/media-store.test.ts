import { expect, it } from 'vitest';
import { MediaStore } from './media-store.ts';

it('keeps a file in chunks as received, with its size and hash', async () => {
  const store = new MediaStore();
  const file = await store.receive([Buffer.from('hel'), Buffer.from('lo')]);
  expect(file).toMatchObject({ size: 5, sha256: expect.stringMatching(/^2cf24dba5fb0a30e/) });
  expect(Buffer.concat(store.find(file.path)?.chunks ?? []).toString()).toBe('hello');
});

it('gives equal files different paths, and removes only the one that is dropped', async () => {
  const store = new MediaStore();
  const [first, second] = [await store.receive([Buffer.from('x')]), await store.receive([Buffer.from('x')])];
  store.drop(first.path);
  expect([store.find(first.path), store.find(second.path)?.size]).toEqual([undefined, 1]);
});
