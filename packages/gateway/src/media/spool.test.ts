import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { link, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Spool } from './spool.ts';

const log = pino({ enabled: false });

let dataDir: string;
let spool: Spool;
let folder: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chat-web-spool-'));
  await writeFile(join(dataDir, 'secret'), 'secret');
  spool = new Spool(dataDir, { spoolMaxBytes: 1e9, spoolSessionMaxBytes: 1e9, minFreeDiskBytes: 0 }, log);
  await spool.folderFor('other');
  await writeFile(join(dataDir, 'spool', 'other', 'of-another'), 'secret');
});
beforeEach(async () => {
  folder = await spool.folderFor('main');
});
afterAll(() => rm(dataDir, { recursive: true }));

/** Creates a file of six bytes. */
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
    await vi.waitFor(() => expect(spool.bytes).toBe(0));
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
