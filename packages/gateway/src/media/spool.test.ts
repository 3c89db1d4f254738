import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually } from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import { pino } from 'pino';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Spool } from './spool.ts';

const log = pino({ enabled: false });

const dataDir = sharedFolder();
let spool: Spool;
let folder: string;
beforeAll(async () => {
  await writeFile(join(dataDir, 'secret'), 'secret');
  spool = new Spool(dataDir, { spoolMaxBytes: 1e9, spoolSessionMaxBytes: 1e9, minFreeDiskBytes: 0 }, log);
  await spool.folderFor('other');
  await writeFile(join(dataDir, 'spool', 'other', 'of-another'), 'secret');
});
beforeEach(async () => {
  folder = await spool.folderFor('main');
});

async function made(make: (path: string) => unknown): Promise<{ file: string; size: number }> {
  const file = randomUUID();
  await make(join(folder, file));
  return { file, size: 'secret'.length };
}

describe('a file from a worker', () => {
  it('is read and unlinked', async () => {
    const download = await spool.take('main', await made((path) => writeFile(path, 'public')));
    expect(spool.bytes).toBe(6);
    expect(await text(download.stream())).toBe('public');
    expect(await readdir(folder)).toEqual([]);
    await eventually(() => expect(spool.bytes).toBe(0));
  });

  it.each<[string, (path: string) => unknown]>([
    ['a link', (path) => symlink(join(dataDir, 'secret'), path)],
    ['a link to the file of another session', (path) => symlink('../other/of-another', path)],
    ['a second name of another file', (path) => link(join(dataDir, 'secret'), path)],
    ['a pipe without a writer', (path) => execFileSync('mkfifo', [path])],
    ['a link to a device', (path) => symlink('/dev/zero', path)],
    ['a folder', (path) => mkdir(path)],
    ['larger than it was announced', (path) => writeFile(path, 'too much')],
    ['smaller than it was announced', (path) => writeFile(path, '')],
  ])('is rejected without blocking if it is %s', async (_, make) => {
    const file = await made(make);
    await expect(spool.take('main', file)).rejects.toMatchObject({ code: 'client_failed' });
  });

  it('is rejected if its folder was replaced by a link', async () => {
    const file = randomUUID();
    await writeFile(join(dataDir, 'spool', 'other', file), 'secret');
    await rm(folder, { recursive: true });
    await symlink('other', folder);
    await expect(spool.take('main', { file, size: 6 })).rejects.toMatchObject({ code: 'client_failed' });
  });

  it('is opened in the spool itself, even if that was renamed', async () => {
    const file = await made((path) => writeFile(path, 'public'));
    const elsewhere = join(dataDir, 'elsewhere');
    await mkdir(join(elsewhere, 'main'), { recursive: true });
    await writeFile(join(elsewhere, 'main', file.file), 'secret');
    await rename(spool.dir, `${spool.dir}.was`);
    await symlink(elsewhere, spool.dir);
    const download = await spool.take('main', file);
    expect(await text(download.stream())).toBe('public');
    await rm(spool.dir);
    await rename(`${spool.dir}.was`, spool.dir);
  });

  it('is session_lost if it no longer exists', async () => {
    await expect(spool.take('main', { file: randomUUID(), size: 1 })).rejects.toMatchObject({ code: 'session_lost' });
    await expect(spool.take('gone', { file: randomUUID(), size: 1 })).rejects.toMatchObject({ code: 'session_lost' });
  });
});
