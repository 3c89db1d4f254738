import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deadOwner, fakeBrowser } from '../../../../test/helpers/fake-browser.ts';
import { isAlive } from './processes.ts';
import { freeProfile, ProfileInUseError } from './profile-lock.ts';

let dir: string;
let profileDir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'chat-web-profile-'));
  profileDir = join(dir, 'session');
  await mkdir(profileDir);
});
afterEach(() => rm(dir, { recursive: true }));

async function lock(owner: string): Promise<void> {
  await symlink(owner, join(profileDir, 'SingletonLock'));
  await symlink('123', join(profileDir, 'SingletonCookie'));
  await symlink(join(dir, 'socket'), join(profileDir, 'SingletonSocket'));
}

async function listening() {
  const server = createServer().listen(join(dir, 'socket'));
  await once(server, 'listening');
  return { [Symbol.dispose]: () => void server.close() };
}

describe('a lock that nobody holds is removed', () => {
  it.each([
    ['of a dead process', `${hostname()}-999999999`],
    ['of a process that has got the number since', `${hostname()}-${process.pid}`],
    ['of another host', 'another-host-4711'],
    ['that makes no sense', 'nonsense'],
  ])('%s', async (_, owner) => {
    await lock(owner);
    await freeProfile(profileDir);
    expect(await readdir(profileDir)).toEqual([]);
  });

  it('of a dead process whose socket somebody else listens on', async () => {
    using _server = await listening();
    await lock(`${hostname()}-999999999`);
    await freeProfile(profileDir);
    expect(await readdir(profileDir)).toEqual([]);
  });

  it('that came with a copy of a profile whose browser runs', async () => {
    using _server = await listening();
    await using original = await fakeBrowser(join(dir, 'original'));
    await lock(`${hostname()}-${original.main.pid}`);
    await freeProfile(profileDir);
    expect(await readdir(profileDir)).toEqual([]);
    expect(isAlive(original.main)).toBe(true);
  });
});

describe('a profile in use is refused, and left as it is', () => {
  it('by a browser that names it', async () => {
    await using browser = await fakeBrowser(profileDir);
    await expect(freeProfile(profileDir)).rejects.toThrow(`(process ${browser.main.pid})`);
    expect(isAlive(browser.main)).toBe(true);
  });

  it('by a browser that names it otherwise, but answers behind its lock', async () => {
    using _server = await listening();
    const other = spawn('sleep', ['60']);
    await lock(`${hostname()}-${other.pid}`);
    await expect(freeProfile(profileDir)).rejects.toThrow(ProfileInUseError);
    other.kill('SIGKILL');
    expect(await readdir(profileDir)).toHaveLength(3);
  });
});

it('has what is left of our own browser ended first', async () => {
  await using browser = await fakeBrowser(profileDir, { owner: deadOwner });
  await lock(`${hostname()}-${browser.main.pid}`);
  await freeProfile(profileDir);
  expect(isAlive(browser.main)).toBe(false);
  expect(await readdir(profileDir)).toEqual([]);
});
