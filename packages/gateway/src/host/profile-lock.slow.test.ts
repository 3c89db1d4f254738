import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, lchown, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { canBeOthers, deadOwner, fakeBrowser, OTHER_USER } from '@chat-web/testing';
import { freshFolder } from '@chat-web/testing/hooks';
import { beforeEach, describe, expect, it } from 'vitest';
import { isAlive } from './processes.ts';
import { freeProfile, ProfileInUseError } from './profile-lock.ts';

const dir = freshFolder();
let profileDir: string;
beforeEach(async () => {
  profileDir = join(dir, 'session');
  await mkdir(profileDir);
});

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

async function expectFreed(): Promise<void> {
  await freeProfile(profileDir);
  expect(await readdir(profileDir)).toEqual([]);
}

describe('a stale lock is removed', () => {
  it.each([
    ['of a dead process', `${hostname()}-999999999`],
    ['of a process that reused the pid', `${hostname()}-${process.pid}`],
    ['of another host', 'another-host-4711'],
    ['that makes no sense', 'nonsense'],
  ])('%s', async (_, owner) => {
    await lock(owner);
    await expectFreed();
  });

  it('of a dead process whose socket another process listens on', async () => {
    using _server = await listening();
    await lock(`${hostname()}-999999999`);
    await expectFreed();
  });

  it('copied with a profile whose browser runs', async () => {
    using _server = await listening();
    await using original = await fakeBrowser(join(dir, 'original'));
    await lock(`${hostname()}-${original.main.pid}`);
    await expectFreed();
    expect(isAlive(original.main)).toBe(true);
  });
});

describe('a profile in use is rejected and left unchanged', () => {
  it('by a browser that names it', async () => {
    await using browser = await fakeBrowser(profileDir, { isOpen: true });
    await expect(freeProfile(profileDir)).rejects.toThrow(`(process ${browser.main.pid})`);
    expect(isAlive(browser.main)).toBe(true);
  });

  it('by a process that names no profile, but holds its lock', async () => {
    using _server = await listening();
    const other = spawn('sleep', ['60']);
    await lock(`${hostname()}-${other.pid}`);
    await expect(freeProfile(profileDir)).rejects.toThrow(ProfileInUseError);
    other.kill('SIGKILL');
    expect(await readdir(profileDir)).toHaveLength(3);
  });
});

it('kills the rest of our own browser first', async () => {
  await using browser = await fakeBrowser(profileDir, { owner: deadOwner });
  await lock(`${hostname()}-${browser.main.pid}`);
  await freeProfile(profileDir);
  expect(isAlive(browser.main)).toBe(false);
  expect(await readdir(profileDir)).toEqual([]);
});

describe.runIf(canBeOthers())('another user', () => {
  let folder: string;
  beforeEach(async () => {
    await chmod(dir, 0o755);
    folder = join(dir, 'of-another');
    await mkdir(folder);
    await chown(folder, OTHER_USER, OTHER_USER);
  });

  it('cannot block a profile by naming it in a command line', async () => {
    await using forged = await fakeBrowser(profileDir, { user: OTHER_USER });
    await freeProfile(profileDir);
    expect(isAlive(forged.main)).toBe(true);
  });

  it('cannot block one by a set-user-ID program such as sudo', async () => {
    await using forged = await fakeBrowser(profileDir);
    await freeProfile(profileDir);
    expect(isAlive(forged.main)).toBe(true);
  });

  it('cannot block one by reusing the pid of an old lock and its socket path', async () => {
    await using forged = await fakeBrowser(profileDir, { user: OTHER_USER });
    await using _socket = await socketOf(OTHER_USER);
    await lockOf(forged.main.pid);
    await expectFreed();
  });

  it('cannot block one by its own socket if our process reused the pid', async () => {
    using other = new DisposableProcess();
    await using _socket = await socketOf(OTHER_USER);
    await lockOf(other.pid);
    await expectFreed();
  });

  it('cannot block one by a link to a socket of ours', async () => {
    using other = new DisposableProcess();
    using _server = await listening();
    await symlink(join(dir, 'socket'), join(folder, 'socket'));
    await lockOf(other.pid);
    await expectFreed();
  });

  it('cannot block one by a folder that links to one of ours', async () => {
    using other = new DisposableProcess();
    using _server = await listening();
    await rm(folder, { recursive: true });
    await symlink(dir, folder);
    await lchown(folder, OTHER_USER, OTHER_USER);
    await lockOf(other.pid);
    await expectFreed();
  });

  it('is not mistaken for root, whose browser blocks the profile of a non-root gateway', async () => {
    await using browser = await fakeBrowser(profileDir);
    await chown(profileDir, OTHER_USER, OTHER_USER);
    await lock(`${hostname()}-${browser.main.pid}`);
    expect(await freedByAnother()).toBe(`ProfileInUseError\n`);
    await rm(join(profileDir, 'SingletonLock'));
    await symlink(`${hostname()}-999999999`, join(profileDir, 'SingletonLock'));
    expect(await freedByAnother()).toBe('freed\n');
  });

  async function lockOf(pid: number): Promise<void> {
    await symlink(`${hostname()}-${pid}`, join(profileDir, 'SingletonLock'));
    await symlink(join(folder, 'socket'), join(profileDir, 'SingletonSocket'));
  }

  /** A process of another user that listens in its own folder. */
  async function socketOf(user: number) {
    const script = `require('net').createServer().listen(process.argv[1], () => console.log('listening'))`;
    const child = spawn(process.execPath, ['-e', script, join(folder, 'socket')], { uid: user, gid: user, cwd: '/' });
    await once(child.stdout, 'data');
    return {
      [Symbol.asyncDispose]: async () => {
        child.kill('SIGKILL');
        await once(child, 'exit');
      },
    };
  }

  /** The result of `freeProfile` in a gateway of another user. */
  function freedByAnother(): Promise<string> {
    const module = new URL('../../dist/host/profile-lock.js', import.meta.url).href;
    const script = `const { freeProfile } = await import('${module}');
      await freeProfile(process.argv[1]).then(() => console.log('freed'), ({ name }) => console.log(name))`;
    const args = ['--input-type=module', '-e', script, profileDir];
    return text(spawn(process.execPath, args, { uid: OTHER_USER, gid: OTHER_USER, cwd: '/' }).stdout);
  }
});

/** A process of ours that is not a browser. */
class DisposableProcess implements Disposable {
  readonly #child = spawn('sleep', ['60'], { stdio: 'ignore' });

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  [Symbol.dispose](): void {
    this.#child.kill('SIGKILL');
  }
}
