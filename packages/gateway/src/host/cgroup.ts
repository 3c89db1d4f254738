import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorText } from '@chat-web/protocol';
import type { Log } from '../log.ts';
import { readText } from './text-files.ts';

const CHECK_EVERY_MS = 20;
const GATEWAY = 'gateway';
const SESSION = 'session-';

/** One session's cgroup: all that its worker starts is in it, and cannot leave. */
export interface SessionCgroup {
  /** Takes a worker in, before it has started anything. */
  enter(pid: number): Promise<void>;
  /** The kernel ends a process of this session, and of no other, where it would take more than this. */
  limitMemory(bytes: number): Promise<void>;
  /** Ends everything in it at once, waits until it is empty, and removes it. False where the time was up first. */
  killAll(timeoutMs: number): Promise<boolean>;
}

/** The cgroups of all sessions. */
export interface Cgroups {
  /** Makes a session's cgroup, or finds it; nothing where there can be none. */
  of(sessionId: string): Promise<SessionCgroup | undefined>;
}

/** Without cgroups: sessions run as they are. */
export const noCgroups: Cgroups = { of: async () => undefined };

/** Our own cgroup of version 2, where the machine has such; undefined otherwise. */
export function ownCgroup(): string | undefined {
  const path = /^0::(\/.*)$/m.exec(readText('/proc/self/cgroup') ?? '')?.[1];
  const mount = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'].find((dir) => existsSync(join(dir, 'cgroup.procs')));
  return path === undefined || mount === undefined ? undefined : join(mount, path);
}

/**
 * Takes over the cgroup that was delegated to us: all that is in it moves to a child `gateway`, since a cgroup that
 * hands controllers on may hold no process itself, and sessions get a child each. Where that cannot be done, it tells
 * why once, and there are no cgroups.
 */
export async function openCgroups(log: Pick<Log, 'warn'>, folder = ownCgroup()): Promise<Cgroups> {
  try {
    if (folder === undefined) throw new Error('this machine has no cgroups of version 2');
    // Only the topmost cgroup of a machine has no type: everything that runs is in it, and none of it is ours.
    if (!existsSync(join(folder, 'cgroup.type'))) throw new Error(`${folder} is not delegated to this gateway`);
    await takeOver(folder);
  } catch (error) {
    log.warn({ error: errorText(error) }, 'cgroups unavailable');
    return noCgroups;
  }
  let warned = false;
  const warnOnce = (what: string, error: unknown) => {
    if (!warned) log.warn({ what, error: errorText(error) }, 'cgroup not used');
    warned = true;
  };
  return { of: (sessionId) => childOf(folder, `${SESSION}${sessionId}`, warnOnce) };
}

async function takeOver(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(SESSION)) await killAll(join(folder, name), 1_000); // Of an earlier gateway.
  }
  const own = join(folder, GATEWAY);
  await mkdir(own, { recursive: true });
  for (const pid of await pidsIn(folder)) await writeFile(join(own, 'cgroup.procs'), pid);
  const controllers = (await readFile(join(folder, 'cgroup.controllers'), 'utf8')).split(/\s+/);
  for (const name of ['memory', 'pids', 'cpu'].filter((wanted) => controllers.includes(wanted))) {
    await writeFile(join(folder, 'cgroup.subtree_control'), `+${name}`);
  }
}

async function childOf(
  folder: string,
  name: string,
  warn: (what: string, error: unknown) => void,
): Promise<SessionCgroup | undefined> {
  const path = join(folder, name);
  const attempt = (what: string, work: Promise<unknown>) =>
    work.then(
      () => {},
      (error: unknown) => warn(what, error),
    );
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    warn('make', error);
    return undefined;
  }
  return {
    enter: (pid) => attempt('enter', writeFile(join(path, 'cgroup.procs'), String(pid))),
    // The kernel's own choice, not memory.oom.group: it takes a renderer first, and the rest closes in good order.
    limitMemory: (bytes) => attempt('limit memory', writeFile(join(path, 'memory.max'), String(bytes))),
    killAll: (timeoutMs) => killAll(path, timeoutMs),
  };
}

async function killAll(path: string, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    // Again and again: kernels before 5.14 have no cgroup.kill, and then something may be started meanwhile.
    await writeFile(join(path, 'cgroup.kill'), '1').catch(() => killEach(path));
    try {
      await rmdir(path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
      if (Date.now() > deadline) return false;
    }
    await delay(CHECK_EVERY_MS);
  }
}

async function killEach(path: string): Promise<void> {
  for (const pid of await pidsIn(path).catch(() => [])) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It ended between the look and the kill.
    }
  }
}

async function pidsIn(path: string): Promise<string[]> {
  return (await readFile(join(path, 'cgroup.procs'), 'utf8')).split('\n').filter(Boolean);
}
