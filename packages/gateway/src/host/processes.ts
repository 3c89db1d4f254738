import { closeSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type ProcessId, startOf, statFields } from '@chat-web/protocol';
import { numberIn, readText } from './text-files.ts';

/** A process of this machine, as /proc tells of it. */
export interface Process extends ProcessId {
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly args: readonly string[];
}

const SLICE = 64;
let running: Promise<Process[]> | undefined;
let queued: Promise<Process[]> | undefined;

/**
 * Every live process of our own user; none where there is no /proc. A command line is what whoever started the process
 * made of it, so that those of other users prove nothing. Who asks while a list is being made gets the next one,
 * together with all who ask meanwhile: what is told is never older than the question, and fifty sessions that end at
 * once do not look fifty times.
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

/** These processes, what descends from them, and the sessions and groups that they lead. */
export function familyOf(roots: readonly Process[], all: readonly Process[]): Process[] {
  const found = new Set(roots.map(({ pid }) => pid));
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { pid, parent, group, session } of all) {
      if (found.has(parent) || found.has(group) || found.has(session)) found.add(pid);
    }
  }
  return all.filter(({ pid }) => found.has(pid) && pid !== process.pid);
}

/** This process and all that it descends from. */
export function ownLineage(): ReadonlySet<number> {
  const found = new Set<number>();
  for (let pid = process.pid; pid > 0 && !found.has(pid); pid = Number(fieldsOf(pid)?.[1] ?? 0)) found.add(pid);
  return found;
}

/** Whether this very process lives: neither dead, nor another one that has got its number. */
export function isAlive({ pid, startedAt }: ProcessId): boolean {
  const fields = fieldsOf(pid);
  return fields !== undefined && startOf(fields) === startedAt;
}

/** Ends this very process, if it is one of our own user, and we do not descend from it. True where there was one to end. */
export function killProcess(target: ProcessId): boolean {
  if (!isAlive(target) || userOf(target.pid) !== process.geteuid?.() || ownLineage().has(target.pid)) return false;
  try {
    process.kill(target.pid, 'SIGKILL');
    return true;
  } catch {
    return false; // It ended between the look and the kill.
  }
}

/** The numbers of all processes, whoever's; none where there is no /proc. */
export function processIds(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return []; // No /proc: not Linux.
  }
}

/**
 * Who started a process that lives: its real user. The effective one is the file's owner for a set-user-ID program,
 * whose command line whoever started it chose; and the owner of its folder in /proc is root for whatever has sealed
 * itself off, as renderers do.
 */
export function userOf(pid: number): number | undefined {
  const status = readText(`/proc/${pid}/status`) ?? '';
  return /^State:\s+[ZX]/m.test(status) ? undefined : numberIn(status, /^Uid:\s+(\d+)/m);
}

/** The arguments of a process of whatever user, as far as they fit into so many bytes: its user may have made them huge. */
export function argsOf(pid: number, maxBytes: number): string[] {
  try {
    const file = openSync(`/proc/${pid}/cmdline`, 'r');
    try {
      const bytes = Buffer.alloc(maxBytes);
      return split(bytes.toString('utf8', 0, readSync(file, bytes)));
    } finally {
      closeSync(file);
    }
  } catch {
    return []; // It ended while we looked.
  }
}

/** The file that a process runs; nothing where it has ended, or has sealed itself off. */
export function programOf({ pid }: Pick<ProcessId, 'pid'>): string | undefined {
  return linkAt(`/proc/${pid}/exe`)?.replace(/ \(deleted\)$/, ''); // Replaced by an upgrade since.
}

/** What a process has open, by path; nothing where it may not be asked. */
export function openFilesOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => linkAt(`/proc/${pid}/fd/${fd}`) ?? []);
  } catch {
    return [];
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // It ended or was closed while we looked, or is not ours to look at.
  }
}

/** Files of /proc are read at once, in slices: a trip to the thread pool for each costs seven times the reading. */
async function readAll(): Promise<Process[]> {
  const found: Process[] = [];
  const us = process.geteuid?.();
  const pids = processIds();
  for (let at = 0; at < pids.length; at += SLICE) {
    if (at > 0) await nextTurn();
    for (const pid of pids.slice(at, at + SLICE)) {
      if (userOf(pid) !== us) continue;
      const fields = fieldsOf(pid);
      const commandLine = fields && readText(`/proc/${pid}/cmdline`);
      if (!fields || !commandLine) continue; // It has ended, or is one of the kernel's own.
      const [, parent, group, session] = fields.map(Number);
      if (parent === undefined || group === undefined || session === undefined) continue;
      found.push({ pid, parent, group, session, startedAt: startOf(fields), args: split(commandLine) });
    }
  }
  return found;
}

function split(commandLine: string): string[] {
  const args = commandLine.split('\0');
  while (args.length > 1 && args.at(-1) === '') args.pop();
  return args;
}

/** What /proc/<pid>/stat says from the state on; nothing for a process that is dead but for its entry. */
function fieldsOf(pid: number): string[] | undefined {
  const fields = statFields(readText(`/proc/${pid}/stat`) ?? '');
  return fields.length < 20 || fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields;
}
