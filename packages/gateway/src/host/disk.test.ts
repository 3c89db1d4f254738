import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KB } from '@chat-web/protocol';
import { freshFolder } from '@chat-web/testing/hooks';
import { expect, it } from 'vitest';
import { diskSpace, freeDiskBytes, sizeOf, trimCaches } from './disk.ts';

const dir = freshFolder();

async function file(name: string, bytes: number): Promise<void> {
  const path = join(dir, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, Buffer.alloc(bytes, 1));
}

it('measures disk usage at any depth, and follows no links', async () => {
  await file('a', 4 * KB);
  await file('deep/er/b', 100 * KB);
  await symlink('/usr', join(dir, 'link'));
  expect(await sizeOf(dir)).toBeGreaterThanOrEqual(104 * KB);
  expect(await sizeOf(dir)).toBeLessThan(140 * KB);
  expect(await sizeOf(join(dir, 'absent'))).toBe(0);
});

it('returns the free disk space', async () => {
  expect(await freeDiskBytes(dir)).toBeGreaterThan(0);
  expect((await diskSpace(dir)).totalBytes).toBeGreaterThan(await freeDiskBytes(dir));
});

it("removes caches that exceed the limit, never the page's data", async () => {
  const kept = [
    'Default/IndexedDB/x',
    'Default/Local Storage/x',
    'Default/Service Worker/x',
    'Default/Cookies',
    'Local State',
  ];
  for (const name of kept) await file(name, 200 * KB);
  await file('Default/Cache/Cache_Data/f_000001', 100 * KB);
  await file('Default/Code Cache/js/index', 100 * KB);
  expect(await trimCaches(dir, 300 * KB)).toBe(0);
  expect(await sizeOf(join(dir, 'Default/Cache'))).toBeGreaterThan(0);

  expect(await trimCaches(dir, 150 * KB)).toBeGreaterThanOrEqual(200 * KB);
  const left = await readdir(dir, { recursive: true });
  expect(left).toEqual(expect.arrayContaining(kept));
  expect(left.filter((name) => name.includes('Cache'))).toEqual([]);
});
