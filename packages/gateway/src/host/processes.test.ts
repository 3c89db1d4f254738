import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { familyOf, isAlive, killProcess, listProcesses } from './processes.ts';

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
  it('tells parent, group, session and arguments', async () => {
    const { child, found } = await listed('sleep', ['60']);
    expect(found).toMatchObject({ parent: process.pid, group: child.pid, session: child.pid, args: ['sleep', '60'] });
    expect(isAlive(found)).toBe(true);
  });

  it('is shared by those who ask at once, and never older than the question', async () => {
    const first = listProcesses();
    const lists = Array.from({ length: 50 }, () => listProcesses());
    expect(new Set([first, ...lists]).size).toBe(2);
    await first;
    const { found } = await listed('sleep', ['60']);
    expect((await listProcesses()).map(({ pid }) => pid)).toContain(found.pid);
  });

  it('holds no process that is dead but not yet collected', async () => {
    const { child, found } = await listed('sh', ['-c', 'sleep 0 & exec sleep 60']);
    await vi.waitFor(async () => {
      expect((await listProcesses()).filter(({ parent }) => parent === child.pid)).toEqual([]);
    });
    expect(isAlive(found)).toBe(true);
  });
});

describe('a kill', () => {
  it('does not meet a process that has got the number of the one that was meant', async () => {
    const { found } = await listed('sleep', ['60']);
    expect(killProcess({ ...found, startedAt: found.startedAt - 1 })).toBe(false);
    expect(isAlive(found)).toBe(true);
  });

  it('does not meet a process of another user', async () => {
    const { found } = await listed('sleep', ['60']);
    const getuid = process.getuid;
    process.getuid = () => 4_711;
    try {
      expect(killProcess(found)).toBe(false);
    } finally {
      process.getuid = getuid as () => number;
    }
    expect(isAlive(found)).toBe(true);
  });

  it('takes a whole family, also those of it that are stopped', async () => {
    const { found } = await listed('sh', ['-c', 'sleep 60 & kill -STOP $!; sleep 60 & wait']);
    const family = await vi.waitUntil(async () => {
      const now = familyOf([found], await listProcesses());
      return now.length === 3 && now;
    });
    expect(family.map(killProcess)).toEqual(family.map(() => true));
    await vi.waitUntil(() => !family.some(isAlive));
  });
});
