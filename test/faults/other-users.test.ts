import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, symlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import {
  canBeOthers,
  deadOwner,
  eventually,
  type FakeBrowser,
  fakeBrowser,
  figure,
  firstLineOf,
  livingOf,
  OTHER_USER,
  processId,
  THIRD_USER,
  temporaryFolder,
} from '@chat-web/testing';
import { sharedFolder } from '@chat-web/testing/hooks';
import { runGateway } from '@chat-web/testing/stack';
import { sharedStack } from '@chat-web/testing/story';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe.runIf(canBeOthers())('another user of the machine cannot interfere', () => {
  const stack = sharedStack();
  const folder = sharedFolder();
  let profile: string;
  let victim: ChildProcess;
  const attackers: FakeBrowser[] = [];
  beforeAll(async () => {
    await chmod(folder, 0o755);
    profile = join(stack.dataDir, 'sessions', 'main', 'session');
    victim = spawn('sleep', ['600'], { stdio: 'ignore', detached: true });
    await once(victim, 'spawn');
    const ofThird = await fakeBrowser('/nowhere', { user: THIRD_USER });
    const owners = [processId(stack.gateway.pid), processId(victim.pid ?? 0), ofThird.main, deadOwner];
    attackers.push(ofThird, await fakeBrowser(profile, { user: OTHER_USER }));
    for (const owner of owners) attackers.push(await fakeBrowser(profile, { user: OTHER_USER, owner }));
    await putForgedLock();
  });
  afterAll(async () => {
    for (const attacker of attackers) await attacker[Symbol.asyncDispose]();
    victim.kill('SIGKILL');
  });

  it('a session starts and stops beside forged command lines and an old lock, without a kill or a wait', async () => {
    const { status } = await stack.client.startSession({ id: 'main' });
    expect(status).toBe('qr');
    await stack.client.stopSession({ id: 'main' });
    expectAllAlive();
    const warnings = () => stack.gateway.log.filter((line) => line.includes('names the profile'));
    await eventually(() => expect(warnings()).toHaveLength(1));
    expect(stack.gateway.log.join()).not.toContain('is in use by a browser');
    figure('other users', `${attackers.length} forged browsers and a forged lock: 0 kills, 0 blocked starts`);
  });

  it('a gateway that boots beside them kills none of them', async () => {
    await stack.gateway.end();
    await stack.restartGateway();
    expectAllAlive();
    expect(stack.gateway.log.join()).not.toContain('leftover browsers killed');
  });

  function expectAllAlive(): void {
    const all = [processId(victim.pid ?? 0), ...attackers.flatMap(({ main, helper }) => [main, helper])];
    expect(livingOf(all)).toHaveLength(all.length);
    expect(livingOf([processId(stack.gateway.pid)])).toHaveLength(1);
  }

  /** A stale lock: an attacker now has its process id, and has also replaced its socket in /tmp. */
  async function putForgedLock(): Promise<void> {
    const [, attacker] = attackers;
    const socket = join(folder, 'socket');
    await chown(folder, OTHER_USER, OTHER_USER);
    const script = `require('net').createServer().listen(${JSON.stringify(socket)}, () => console.log('listening'))`;
    const listener = spawn(process.execPath, ['-e', script], { uid: OTHER_USER, gid: OTHER_USER, cwd: '/' });
    await firstLineOf(listener, listener.stdout);
    victim.once('exit', () => listener.kill('SIGKILL'));
    await mkdir(profile, { recursive: true, mode: 0o700 });
    await symlink(`${hostname()}-${attacker?.main.pid}`, join(profile, 'SingletonLock'));
    await symlink(socket, join(profile, 'SingletonSocket'));
  }
});

it('a folder of pages that every user may write is refused: their pages would run in every account', async () => {
  using temporary = temporaryFolder();
  const folder = temporary.path;
  const settings = { CHAT_WEB_PORT: '0', CHAT_WEB_DATA_DIR: join(folder, 'data') };
  const pages = join(folder, 'pages');
  await mkdir(pages);
  await chmod(pages, 0o777);
  expect(await runGateway({ ...settings, CHAT_WEB_PAGE_DIR: pages })).toMatchObject({
    code: 78,
    stderr: expect.stringContaining('CHAT_WEB_PAGE_DIR is writable by every user'),
  });
});
