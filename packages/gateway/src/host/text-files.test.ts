import { execFileSync } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { readOwnText, removeUnfinished, replaceText } from './text-files.ts';

const folder = await mkdtemp(join(tmpdir(), 'chat-web-text-'));
afterAll(() => rm(folder, { recursive: true }));

const path = join(folder, 'linked.json');
const other = join(folder, 'other');
beforeEach(async () => {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
  await writeFile(other, 'of another');
});

describe('a file in a folder that workers can write to', () => {
  it('is read completely', async () => {
    await replaceText(path, 'ärgerlich');
    expect(await readOwnText(path, 100)).toBe('ärgerlich');
  });

  it.each<[string, () => unknown]>([
    ['a link', () => symlink(other, path)],
    ['a link to an endless file', () => symlink('/dev/zero', path)],
    ['a pipe without a writer', () => execFileSync('mkfifo', [path])],
    ['a folder', () => mkdir(path)],
    ['too long', () => writeFile(path, 'x'.repeat(101))],
    ['not there', () => {}],
  ])('is not read, without blocking, if it is %s', async (_, make) => {
    await make();
    await expect(readOwnText(path, 100)).rejects.toThrow();
  });

  it.each<[string, () => unknown]>([
    ['a link', () => symlink(other, path)],
    ['a pipe without a reader', () => execFileSync('mkfifo', [path])],
    ['an earlier text', () => writeFile(path, 'before')],
    ['a folder', () => mkdir(join(path, 'full'), { recursive: true })],
  ])('replaces %s', async (_, make) => {
    await make();
    await replaceText(path, 'text');
    await Promise.all([replaceText(path, 'text'), replaceText(path, 'text')]);
    expect(await readFile(path, 'utf8')).toBe('text');
    expect((await lstat(path)).isFile()).toBe(true);
    expect(await readFile(other, 'utf8')).toBe('of another');
  });

  it('leaves no partial file', async () => {
    await writeFile(path, '');
    await expect(replaceText(join(path, 'below'), 'text')).rejects.toThrow();
    expect((await readdir(folder)).sort()).toEqual(['linked.json', 'other']);
    await writeFile(`${path}.1.new`, 'of one that was killed');
    await removeUnfinished(folder);
    expect((await readdir(folder)).sort()).toEqual(['linked.json', 'other']);
  });
});

it('writes no file that is longer than its reader accepts', async () => {
  await replaceText(path, 'before');
  await expect(replaceText(path, 'ä'.repeat(6), { maxBytes: 11 })).rejects.toMatchObject({ code: 'EFBIG' });
  expect(await readOwnText(path, 11)).toBe('before');
  await replaceText(path, 'ä'.repeat(5), { maxBytes: 11 });
  expect(await readOwnText(path, 11)).toBe('ä'.repeat(5));
});
