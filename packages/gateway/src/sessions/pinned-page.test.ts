import { execFileSync } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freshFolder } from '@chat-web/testing/hooks';
import { describe, expect, it } from 'vitest';
import { readPinnedPage } from './pinned-page.ts';

const dir = freshFolder();
const file = (name: string) => join(dir, name);

describe('a saved page', () => {
  it('is read with its original headers', async () => {
    await writeFile(file('2.3.html'), '<p>page</p>');
    expect(await readPinnedPage(dir, '2.3')).toEqual({ version: '2.3', html: '<p>page</p>', headers: {} });
    await writeFile(file('2.3.headers.json'), '{"x-frame-options":"DENY"}');
    expect(await readPinnedPage(dir, '2.3')).toMatchObject({ headers: { 'x-frame-options': 'DENY' } });
  });

  it.each<[string, RegExp, () => unknown]>([
    ['is not there', /not saved: there is no 2\.3\.html/, () => {}],
    ['is a pipe', /cannot be used/, () => execFileSync('mkfifo', [file('2.3.html')])],
    ['is a link', /cannot be used/, () => symlink('/etc/hostname', file('2.3.html'))],
    ['is too large', /cannot be used/, () => writeFile(file('2.3.html'), Buffer.alloc(5_000_000, 'x'))],
    [
      'has lost its headers, without which it would be less protected',
      /does not contain its headers/,
      async () => {
        await writeFile(file('2.3.html'), '<p>page</p>');
        await writeFile(file('2.3.headers.json'), '{');
      },
    ],
  ])('is refused, without blocking, if it %s', async (_, why, make) => {
    await make();
    await expect(readPinnedPage(dir, '2.3')).rejects.toThrow(why);
  });
});
