import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { canBeOthers, eventually, fakeBrowser, OTHER_USER } from '@chat-web/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { familyOf, isAlive, killProcess, listProcesses, listRelatives, ownLineage, userOf } from './processes.ts';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function listed(command: string, args: string[]) {
  const child = spawn(command, args, { detached: true });
  children.push(child);
  await once(child, 'spawn');
  const found = (await listProcesses()).find(({ pid }) => pid === child.pid);
  if (!found) throw new Error('the child is not listed');
  return { child, found };
}

describe('the list of processes', () => {
  it('has parent, group, session and arguments', async () => {
    const { child, found } = await listed('sleep', ['60']);
    expect(found).toMatchObject({ parent: process.pid, group: child.pid, session: child.pid, args: ['sleep', '60'] });
    expect(isAlive(found)).toBe(true);
  });

  it('is the same without arguments, for figures', async () => {
    const { found } = await listed('sleep', ['60']);
    const { args, ...relative } = found;
    expect(args).toEqual(['sleep', '60']);
    expect(await listRelatives()).toContainEqual(relative);
  });

  it('is shared by concurrent calls, and never older than the call', async () => {
    const first = listProcesses();
    const lists = Array.from({ length: 50 }, () => listProcesses());
    expect(new Set([first, ...lists]).size).toBe(2);
    await first;
    const { found } = await listed('sleep', ['60']);
    expect((await listProcesses()).map(({ pid }) => pid)).toContain(found.pid);
  });

  it('contains no zombies', async () => {
    const { child, found } = await listed('sh', ['-c', 'sleep 0 & exec sleep 60']);
    await eventually(async () => {
      expect((await listProcesses()).filter(({ parent }) => parent === child.pid)).toEqual([]);
    });
    expect(isAlive(found)).toBe(true);
  });
});

describe('a kill', () => {
  it('does not hit a process that reused the pid', async () => {
    const { found } = await listed('sleep', ['60']);
    expect(killProcess({ ...found, startedAt: found.startedAt - 1 })).toBe(false);
    expect(isAlive(found)).toBe(true);
  });

  it.runIf(canBeOthers())('does not hit a process of another user', async () => {
    await using other = await fakeBrowser('/nowhere', { user: OTHER_USER });
    expect(killProcess(other.main)).toBe(false);
    expect(isAlive(other.main)).toBe(true);
    expect((await listProcesses()).map(({ pid }) => pid)).not.toContain(other.main.pid);
  });

  it.runIf(canBeOthers())(
    'does not hit one that another user started from a set-user-ID file of ours',
    async ({ skip }) => {
      const folder = await mkdtemp('/tmp/chat-web-setuid-');
      const file = join(folder, 'tail');
      await chmod(folder, 0o755);
      await copyFile('/usr/bin/tail', file);
      await chmod(file, 0o4755);
      const child = spawn(file, ['-f', '--', '/dev/null', '--user-data-dir=/nowhere'], {
        uid: OTHER_USER,
        gid: OTHER_USER,
      });
      children.push(child);
      await once(child, 'spawn');
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      skip(!new RegExp(`^Uid:\\s+${OTHER_USER}\\s+0`, 'm').test(status), 'set-user-ID has no effect here');
      expect(userOf(child.pid ?? 0)).toBe(OTHER_USER);
      expect((await listProcesses()).map(({ pid }) => pid)).not.toContain(child.pid);
      await rm(folder, { recursive: true });
    },
  );

  it('does not hit this process or its ancestors', () => {
    expect(ownLineage()).toContain(process.pid);
    expect(ownLineage()).toContain(process.ppid);
    const kill = `const { killProcess } = await import('${new URL('../../dist/host/processes.js', import.meta.url).href}');
      const { readFileSync } = await import('node:fs');
      const startedAt = (pid) => Number(readFileSync('/proc/' + pid + '/stat', 'utf8').split(') ')[1].split(' ')[19]);
      for (const pid of [process.ppid, process.pid]) console.log(killProcess({ pid, startedAt: startedAt(pid) }));`;
    const args = ['-c', '"$0" --input-type=module -e "$1"; true', process.execPath, kill];
    const { stdout } = spawnSync('sh', args, { encoding: 'utf8' });
    expect(stdout).toBe('false\nfalse\n');
  });

  it('hits all descendants, stopped or not', async () => {
    const { found } = await listed('sh', ['-c', 'sleep 60 & kill -STOP $!; sleep 60 & wait']);
    const family = await eventually(async () => {
      const now = familyOf([found], await listProcesses());
      expect(now).toHaveLength(3);
      return now;
    });
    expect(family.map(killProcess)).toEqual(family.map(() => true));
    await expect.poll(() => family.some(isAlive)).toBe(false);
  });
});

it('no process passes for one that has exited when no more files can be opened', () => {
  const script = `
    import { execFileSync } from 'node:child_process';
    import { isAlive, listProcesses, processIds } from '@chat-web/gateway/tools';
    const us = (await listProcesses()).find(({ pid }) => pid === process.pid);
    execFileSync('prlimit', ['--pid', process.pid, '--nofile=3:']);
    const outcomes = await Promise.allSettled([listProcesses(), ...[isAlive, processIds].map(async (ask) => ask(us))]);
    console.log(outcomes.map(({ reason }) => reason?.code).join());
  `;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  expect(stdout).toBe('EMFILE,EMFILE,EMFILE\n');
});
