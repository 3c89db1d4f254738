import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshFolder } from '@chat-web/testing/hooks';
import * as v from 'valibot';
import { expect, it } from 'vitest';
import { JsonFile } from './json-file.ts';

const root = freshFolder();
const file = () => new JsonFile(join(root, 'names.json'), v.object({ names: v.array(v.string()) }), 40);

it('keeps a value, for this user only', async () => {
  expect(await file().read()).toBeUndefined();
  await file().write({ names: ['a', 'b'] });
  expect(await file().read()).toEqual({ names: ['a', 'b'] });
  expect(statSync(file().path).mode & 0o777).toBe(0o600);
});

it.each(['', '{}', `{"names":["${'a'.repeat(40)}"]}`])('rejects %j', async (text) => {
  writeFileSync(file().path, text);
  await expect(file().read()).rejects.toThrow();
});

it('keeps the earlier value rather than one that is too long', async () => {
  await file().write({ names: ['a'] });
  await expect(file().write({ names: ['a'.repeat(40)] })).rejects.toMatchObject({ code: 'EFBIG' });
  expect(await file().read()).toEqual({ names: ['a'] });
});
