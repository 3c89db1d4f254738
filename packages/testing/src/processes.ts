import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type ProcessId, startOf, statFields } from '@chat-web/protocol';

interface Process extends ProcessId {
  readonly parent: number;
  readonly args: readonly string[];
}

/** Every running process, with its parent and its arguments. */
function processes(): Process[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => processAt(Number(pid)) ?? []);
}

/** The process with that pid, if it runs and is no zombie. */
function processAt(pid: number): Process | undefined {
  try {
    const fields = statFields(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    const [state, parent] = fields;
    if (state === 'Z') return undefined;
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return { pid, parent: Number(parent), startedAt: startOf(fields), args };
  } catch {
    return undefined; // It has ended.
  }
}

/** The live children of a process. */
export function childrenOf(parentPid: number): number[] {
  return processes().flatMap(({ pid, parent }) => (parent === parentPid ? [pid] : []));
}

export interface Descendant {
  readonly pid: number;
  /** Its command line, as one string. */
  readonly command: string;
}

/** All live descendants of a process. */
export function descendantsOf(ancestor: number): Descendant[] {
  const all = processes();
  const found = withDescendants(new Set([ancestor]), all);
  return all.flatMap(({ pid, args }) => (pid !== ancestor && found.has(pid) ? [{ pid, command: args.join(' ') }] : []));
}

function withDescendants(found: Set<number>, all: readonly Process[]): Set<number> {
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid);
  }
  return found;
}

export function workersOf(gatewayPid: number): number[] {
  return processes()
    .filter(
      ({ parent, args }) => parent === gatewayPid && args.some((arg) => arg.endsWith('worker/dist/bundle/main.cjs')),
    )
    .map(({ pid }) => pid);
}

/** All processes of browsers whose profile is in a folder. */
export function browsersIn(folder: string): number[] {
  const all = processes();
  const found = new Set(
    all.filter(({ args }) => args.some((arg) => arg.startsWith(`--user-data-dir=${folder}/`))).map(({ pid }) => pid),
  );
  // Renderers and other helpers do not all name the profile, but descend from the browser that does.
  return [...withDescendants(found, all)];
}

/** The renderers among a folder's browser processes. */
export function renderersIn(folder: string): number[] {
  return helpersIn(folder, '--type=renderer');
}

/** The processes that write what pages have stored, of a folder's browsers. */
export function storageProcessesIn(folder: string): number[] {
  return helpersIn(folder, '--utility-sub-type=storage.mojom.StorageService');
}

function helpersIn(folder: string, argument: string): number[] {
  const ours = new Set(browsersIn(folder));
  return (
    processes()
      // Processes forked by Chromium's zygote have their command line as one string.
      .filter(({ pid, args }) => ours.has(pid) && args.join(' ').includes(argument))
      .map(({ pid }) => pid)
  );
}

/** Which of these processes still run, by pid and start time. */
export function livingOf(wanted: readonly ProcessId[]): number[] {
  return wanted.flatMap(({ pid, startedAt }) => (processAt(pid)?.startedAt === startedAt ? [pid] : []));
}

/** The browsers on a profile, without their helpers. */
export function browserMainsOn(profile: string): number[] {
  return withoutHelpers(processes().filter(({ args }) => args.includes(`--user-data-dir=${profile}`))).map(
    ({ pid }) => pid,
  );
}

/**
 * Leaves out the helpers of browsers. Between fork and exec, a helper still has the command line of its browser: the
 * children of a browser are left out, too.
 */
function withoutHelpers(all: readonly Process[]): Process[] {
  const pids = new Set(all.map(({ pid }) => pid));
  return all.filter(({ parent, args }) => !pids.has(parent) && !args.join(' ').includes(' --type='));
}

export function stillRunning(pids: readonly number[]): number[] {
  return pids.filter((pid) => processAt(pid));
}

/** The one browser whose profile is in a folder, without its helpers, and the worker that started it. */
export function browserAndWorkerIn(folder: string): { browser: number; worker: number } {
  const ours = new Set(browsersIn(folder));
  const leaders = withoutHelpers(processes().filter(({ pid }) => ours.has(pid)));
  const [leader] = leaders;
  if (!leader || leaders.length > 1) throw new Error(`${leaders.length} browsers run in ${folder}`);
  return { browser: leader.pid, worker: leader.parent };
}

/** Resets the memory peak of a process. Returns its memory now, in MB. */
export function resetPeak(pid: number): number {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  return peakMb(pid);
}

/** The memory peak of a process since the last reset, in MB. */
export function peakMb(pid: number): number {
  return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}
