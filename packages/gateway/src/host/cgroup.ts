import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorText } from '@chat-web/protocol';
import type { Log } from '../log.ts';
import { errnoOf } from './errno.ts';
import { readText } from './text-files.ts';

const CHECK_EVERY_MS = 20;
const GATEWAY = 'gateway';
const SESSION = 'session-';

/** The cgroup of a session, with all processes that its worker starts. They cannot leave it. */
export interface SessionCgroup {
  /** Adds a worker that has not started any process yet. */
  enter(pid: number): Promise<void>;
  /** Above this limit, the kernel kills a process of this session only. */
  limitMemory(bytes: number): Promise<void>;
  /** Kills all processes in it, waits until it is empty and removes it. False if the timeout is reached first. */
  killAll(timeoutMs: number): Promise<boolean>;
}

export interface Cgroups {
  /** Creates or finds a session's cgroup; undefined if that fails. */
  of(sessionId: string): Promise<SessionCgroup | undefined>;
}

/** Used when cgroups are disabled or unavailable. */
export const noCgroups: Cgroups = { of: async () => undefined };

/** The path of our cgroup; undefined without cgroup v2. */
export function ownCgroup(): string | undefined {
  const path = /^0::(\/.*)$/m.exec(readText('/proc/self/cgroup') ?? '')?.[1];
  const mount = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'].find((dir) => existsSync(join(dir, 'cgroup.procs')));
  return path === undefined || mount === undefined ? undefined : join(mount, path);
}

/**
 * Takes over the delegated cgroup. Its processes move to a child `gateway`, since a cgroup that delegates controllers
 * must not contain processes; each session gets a child of its own. On failure, logs the reason once and returns
 * `noCgroups`.
 */
export async function openCgroups(log: Pick<Log, 'warn'>, folder = ownCgroup()): Promise<Cgroups> {
  try {
    if (folder === undefined) throw new Error('this machine has no cgroup v2');
    // Only the root cgroup has no type. It contains processes that are not ours.
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
    if (name.startsWith(SESSION)) await killAll(join(folder, name), 1_000); // Left by a previous gateway.
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
    // Without memory.oom.group, the kernel kills a renderer first and the rest shuts down cleanly.
    limitMemory: (bytes) => attempt('limit memory', writeFile(join(path, 'memory.max'), String(bytes))),
    killAll: (timeoutMs) => killAll(path, timeoutMs),
  };
}

async function killAll(path: string, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    // Repeated, since kernels before 5.14 have no cgroup.kill, and new processes may start between the kills.
    await writeFile(join(path, 'cgroup.kill'), '1').catch(() => killEach(path));
    try {
      await rmdir(path);
      return true;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return true;
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
      // It exited before the kill.
    }
  }
}

async function pidsIn(path: string): Promise<string[]> {
  return (await readFile(join(path, 'cgroup.procs'), 'utf8')).split('\n').filter(Boolean);
}
