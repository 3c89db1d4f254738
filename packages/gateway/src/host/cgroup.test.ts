import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, figure } from '@chat-web/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openCgroups, ownCgroup } from './cgroup.ts';

/** A cgroup as systemd would delegate it; an ordinary folder if this machine allows none. */
function delegated(): { folder: string; isReal: boolean } {
  const own = ownCgroup();
  const name = `chat-web-test-${process.pid}`;
  try {
    if (!own) throw new Error('none here');
    mkdirSync(join(own, name));
    return { folder: join(own, name), isReal: true };
  } catch {
    const folder = join(tmpdir(), name);
    mkdirSync(folder);
    return { folder, isReal: false };
  }
}

let group: ReturnType<typeof delegated>;
beforeEach(() => {
  group = delegated();
});
afterEach(async () => {
  if (!group.isReal) return rm(group.folder, { recursive: true });
  for (const entry of await readdir(group.folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    await writeFile(join(group.folder, entry.name, 'cgroup.kill'), '1');
    await vi.waitFor(() => rmdir(join(group.folder, entry.name)), 2_000);
  }
  await rmdir(group.folder);
});

describe('session cgroups', () => {
  it('contain every process that a worker starts and kill them at once, or log why they are unavailable', async () => {
    const warn = vi.fn();
    const gateway = spawn('sleep', ['60']);
    await writeFile(join(group.folder, 'cgroup.procs'), String(gateway.pid));
    const cgroups = await openCgroups({ warn }, group.folder);
    const session = await cgroups.of('main');
    if (!group.isReal) {
      expect(session).toBeUndefined();
      expect(warn).toHaveBeenCalledOnce();
      gateway.kill('SIGKILL');
      return;
    }
    expect(await readFile(join(group.folder, 'gateway/cgroup.procs'), 'utf8')).toBe(`${gateway.pid}\n`);
    const worker = spawn('sh', ['-c', 'read go; setsid sleep 60 & setsid sleep 60 & wait'], { stdio: 'pipe' });
    await session?.enter(worker.pid ?? 0);
    worker.stdin.write('\n');
    const procs = join(group.folder, 'session-main/cgroup.procs');
    await eventually(async () => expect((await readFile(procs, 'utf8')).trim().split('\n')).toHaveLength(3));
    const startedAt = performance.now();
    const exited = once(worker, 'exit');
    expect(await session?.killAll(2_000)).toBe(true);
    figure('cgroup.kill', `3 processes: ${Math.round(performance.now() - startedAt)} ms`);
    expect(await exited).toEqual([null, 'SIGKILL']);
    expect(existsSync(join(group.folder, 'session-main'))).toBe(false);
    expect(gateway.exitCode ?? gateway.signalCode).toBeNull();
    expect(warn).not.toHaveBeenCalled();
    expect(await session?.killAll(100)).toBe(true); // Nothing is left to kill.
  });

  it('have no limit without a controller, and log that once', async () => {
    const warn = vi.fn();
    const cgroups = await openCgroups({ warn }, group.folder);
    const limited = existsSync(join(group.folder, 'cgroup.controllers'))
      ? (await readFile(join(group.folder, 'cgroup.controllers'), 'utf8')).includes('memory')
      : false;
    for (const id of ['one', 'two']) await (await cgroups.of(id))?.limitMemory(1_000_000_000);
    expect(warn).toHaveBeenCalledTimes(limited ? 0 : 1);
  });

  it('are not created in the root cgroup', async () => {
    const own = ownCgroup();
    const warn = vi.fn();
    const top = own && !existsSync(join(own, 'cgroup.type')) ? own : join(group.folder, 'absent');
    expect(await (await openCgroups({ warn }, top)).of('main')).toBeUndefined();
    expect(warn).toHaveBeenCalledOnce();
    expect(existsSync(join(top, 'gateway'))).toBe(false);
  });
});
