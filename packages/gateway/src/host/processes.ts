import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ProcessId, startOf, statFields } from '@chat-web/protocol';
import { isOutOfFiles } from './open-files.ts';
import { numberIn } from './text-files.ts';

// Functions here throw or reject if no more files can be opened: a live process must not pass for one that has exited.

/** A process, and where it comes from. */
export interface Relative extends ProcessId {
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

export interface Process extends Relative {
  readonly args: readonly string[];
}

const SLICE = 64;
let running: Promise<Process[]> | undefined;
let queued: Promise<Process[]> | undefined;

/**
 * All live processes of our own user; empty without /proc. Other users choose their command lines, which therefore
 * prove nothing. Calls during a running scan share the next scan: a result is never older than its call, and fifty
 * sessions that end at once do not cause fifty scans.
 */
export function listProcesses(): Promise<Process[]> {
  if (!running) {
    running = readAll().finally(() => {
      running = undefined;
    });
    return running;
  }
  queued ??= running.then(() => {
    queued = undefined;
    return listProcesses();
  });
  return queued;
}

/**
 * All live processes of all users, without arguments: enough for figures, at a third of the cost of `listProcesses`.
 * Empty without /proc.
 */
export async function listRelatives(): Promise<Relative[]> {
  const found: Relative[] = [];
  for (const [at, pid] of processIds().entries()) {
    if (at % SLICE === SLICE - 1) await nextTurn();
    const fields = fieldsOf(pid);
    if (fields) found.push(relativeOf(pid, fields));
  }
  return found;
}

/** These processes, their descendants, and the sessions and groups that they lead. */
export function familyOf<P extends Relative>(roots: readonly P[], all: readonly P[]): P[] {
  const found = new Set(roots.map(({ pid }) => pid));
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { pid, parent, group, session } of all) {
      if (found.has(parent) || found.has(group) || found.has(session)) found.add(pid);
    }
  }
  return all.filter(({ pid }) => found.has(pid) && pid !== process.pid);
}

export function ownLineage(): ReadonlySet<number> {
  const found = new Set<number>();
  for (let pid = process.pid; pid > 0 && !found.has(pid); pid = Number(fieldsOf(pid)?.[1] ?? 0)) found.add(pid);
  return found;
}

/** True if this process is alive, and its pid was not reused by another one. */
export function isAlive({ pid, startedAt }: ProcessId): boolean {
  const fields = fieldsOf(pid);
  return fields !== undefined && startOf(fields) === startedAt;
}

/** Kills this process if it is alive, belongs to our user and is not an ancestor. True if it was killed. */
export function killProcess(target: ProcessId): boolean {
  if (!isAlive(target) || userOf(target.pid) !== process.geteuid?.() || ownLineage().has(target.pid)) return false;
  try {
    process.kill(target.pid, 'SIGKILL');
    return true;
  } catch {
    return false; // It exited before the kill.
  }
}

/** The pids of all processes of all users; empty without /proc. */
export function processIds(): number[] {
  const names = unlessGone(() => readdirSync('/proc')) ?? []; // Not Linux.
  return names.map(Number).filter(Number.isInteger);
}

/**
 * The real user id of a live process. The effective one of a set-user-ID program is the owner of the file, although
 * another user chose the command line. The owner of its /proc folder is root for sandboxed processes such as renderers.
 */
export function userOf(pid: number): number | undefined {
  const status = textOf(pid, 'status') ?? '';
  return /^State:\s+[ZX]/m.test(status) ? undefined : numberIn(status, /^Uid:\s+(\d+)/m);
}

/** The arguments of a process of any user, up to `maxBytes`: its user may have made them huge. */
export function argsOf(pid: number, maxBytes: number): string[] {
  const read = () => {
    const file = openSync(`/proc/${pid}/cmdline`, 'r');
    try {
      const bytes = Buffer.alloc(maxBytes);
      return split(bytes.toString('utf8', 0, readSync(file, bytes)));
    } finally {
      closeSync(file);
    }
  };
  return unlessGone(read) ?? [];
}

/** The executable of a process; undefined if it has exited or is sandboxed. */
export function programOf({ pid }: Pick<ProcessId, 'pid'>): string | undefined {
  return linkAt(`/proc/${pid}/exe`)?.replace(/ \(deleted\)$/, ''); // Replaced by an upgrade.
}

/** Paths of a process's open files; empty without permission to read them. */
export function openFilesOf(pid: number): string[] {
  const fds = unlessGone(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  return fds.flatMap((fd) => linkAt(`/proc/${pid}/fd/${fd}`) ?? []);
}

function linkAt(path: string): string | undefined {
  return unlessGone(() => readlinkSync(path)); // Or the file was closed.
}

function textOf(pid: number, name: string): string | undefined {
  return unlessGone(() => readFileSync(`/proc/${pid}/${name}`, 'utf8'));
}

/** Undefined if the process has exited, or may not be read. */
function unlessGone<R>(read: () => R): R | undefined {
  try {
    return read();
  } catch (error) {
    if (isOutOfFiles(error)) throw error;
    return undefined;
  }
}

/** Reads /proc synchronously, in slices: asynchronous reads take seven times as long. */
async function readAll(): Promise<Process[]> {
  const found: Process[] = [];
  const us = process.geteuid?.();
  const pids = processIds();
  for (let at = 0; at < pids.length; at += SLICE) {
    if (at > 0) await nextTurn();
    for (const pid of pids.slice(at, at + SLICE)) {
      if (userOf(pid) !== us) continue;
      const fields = fieldsOf(pid);
      const commandLine = fields && textOf(pid, 'cmdline');
      if (!fields || !commandLine) continue; // It has exited, or is a kernel thread.
      found.push({ ...relativeOf(pid, fields), args: split(commandLine) });
    }
  }
  return found;
}

function relativeOf(pid: number, fields: readonly string[]): Relative {
  const [, parent, group, session] = fields;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt: startOf(fields),
  };
}

function split(commandLine: string): string[] {
  const args = commandLine.split('\0');
  while (args.length > 1 && args.at(-1) === '') args.pop();
  return args;
}

/** The fields of /proc/<pid>/stat from the state on; undefined for a zombie or dead process. */
function fieldsOf(pid: number): string[] | undefined {
  const fields = statFields(textOf(pid, 'stat') ?? '');
  return fields.length < 20 || fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields;
}
