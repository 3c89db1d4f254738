import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnGateway } from '@chat-web/gateway/tools';
import { makeDeepFolder, saveSession } from '@chat-web/testing';
import { runGateway } from '@chat-web/testing/stack';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let dataDir = '';
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'chat-web-left-'));
});
afterEach(() => {
  execFileSync('rm', ['-rf', dataDir]); // Works without long paths.
});

const settings = () => ({
  CHAT_WEB_PORT: '0',
  CHAT_WEB_DATA_DIR: dataDir,
  CHAT_WEB_AUTO_START_SESSIONS: 'no',
  CHAT_WEB_TOKEN: 'planted-token-5b7',
});

/** Starts a gateway on the folder, checks its health, and ends it. Returns its log. */
async function started(): Promise<string> {
  const gateway = await spawnGateway(settings());
  try {
    expect((await fetch(`${gateway.url}/health`)).status).toBe(200);
    return gateway.log.join('\n');
  } finally {
    await gateway.end();
  }
}

describe('a gateway starts, whatever a worker has left behind:', () => {
  it.each(['tmp', 'spool', 'trash', 'sessions'])('folders in %s too deep for a path', async (name) => {
    const folder = join(dataDir, name, 'x');
    await mkdir(folder, { recursive: true });
    makeDeepFolder(folder);
    await started();
    expect(await readdir(join(dataDir, name))).toEqual([]);
  });

  it.each<[string, (path: string) => unknown]>([
    ['a pipe', (path) => execFileSync('mkfifo', [path])],
    ['a file', (path) => writeFile(path, '')],
    ['a link to nowhere', (path) => symlink('nowhere', path)],
    ['a link to itself', (path) => symlink(path, path)],
  ])('%s in place of a folder, which is moved aside', async (_, make) => {
    const names = ['tmp', 'spool', 'trash', 'sessions'];
    for (const name of names) await make(join(dataDir, name));
    const log = await started();
    for (const name of names) {
      expect((await stat(join(dataDir, name))).isDirectory(), name).toBe(true);
      expect(log).toContain(`"path":"${join(dataDir, name)}","movedTo"`);
    }
    expect((await readdir(dataDir)).filter((name) => name.includes('.aside-'))).toHaveLength(names.length);
    expect(await started()).not.toContain('folder replaced');
  });

  it('a folder in place of the lock', async () => {
    await mkdir(join(dataDir, 'gateway.lock', 'full'), { recursive: true });
    await started();
  });

  it('nothing: its folders are then accessible only to their owner', async () => {
    await started();
    for (const name of ['tmp', 'spool', 'trash', 'sessions'])
      expect((await stat(join(dataDir, name))).mode & 0o777, name).toBe(0o700);
  });

  it('sessions on another disk, which are left unchanged', async () => {
    const disk = join(dataDir, 'disk');
    await mkdir(disk);
    await symlink(disk, join(dataDir, 'sessions'));
    await saveSession(dataDir, 'main');
    expect(await started()).not.toContain('folder replaced');
    expect(await readdir(disk)).toEqual(['main']);
  });
});

describe('keys that cannot be read', () => {
  it.each<[string, (path: string) => unknown]>([
    ['a pipe without a writer', (path) => execFileSync('mkfifo', [path])],
    ['a link to an endless file', (path) => symlink('/dev/zero', path)],
    ['a folder', (path) => mkdir(path)],
  ])('because there is %s do not block the start: exit 78, and a line with what to do', async (_, make) => {
    const path = join(dataDir, 'keys.json');
    await make(path);
    expect(await runGateway(settings())).toMatchObject({
      code: 78,
      stderr: expect.stringContaining(`cannot be read from ${path}: restore it from a backup, or remove it`),
    });
    await rm(path, { recursive: true });
    await started();
  });
});
