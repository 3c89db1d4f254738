import { readdirSync, readFileSync } from 'node:fs';
import { descendantsOf } from './process-tree.ts';
import type { Sessions } from './sessions.ts';

/** What a process is: `front`, `worker`, or a part of a browser, such as `browser: renderer`. */
export type ProcessKind = string;

/** What processes have used since they began. */
export interface ProcessorTime {
  readonly ms: number;
  /** How often a thread slept and was woken. */
  readonly wakeUps: number;
}

/** What the processes of each kind have used. */
export type TimeByKind = ReadonlyMap<ProcessKind, ProcessorTime>;

/** The processes of some sessions, with what each is. */
export function processesOf({ frontPid, workerPids }: Sessions): { pid: number; kind: ProcessKind }[] {
  return [
    ...(frontPid === undefined ? [] : [{ pid: frontPid, kind: 'front' }]),
    ...workerPids.flatMap((pid) => [
      { pid, kind: 'worker' },
      ...descendantsOf(pid).map(({ pid: part, command }) => ({ pid: part, kind: `browser: ${partOf(command)}` })),
    ]),
  ];
}

/** What the processes of some sessions have used, by kind. */
export function processorTimeOf(sessions: Sessions): TimeByKind {
  const found = new Map<ProcessKind, ProcessorTime>();
  for (const { pid, kind } of processesOf(sessions)) {
    const { ms, wakeUps } = timeOf(pid);
    const before = found.get(kind) ?? { ms: 0, wakeUps: 0 };
    found.set(kind, { ms: before.ms + ms, wakeUps: before.wakeUps + wakeUps });
  }
  return found;
}

/** What was used between two readings. */
export function since(before: TimeByKind, after: TimeByKind): TimeByKind {
  return new Map(
    [...after].map(([kind, { ms, wakeUps }]) => {
      const start = before.get(kind) ?? { ms: 0, wakeUps: 0 };
      return [kind, { ms: ms - start.ms, wakeUps: wakeUps - start.wakeUps }];
    }),
  );
}

/** Of the threads that live: the kernel's own sum for a process has steps of 10 ms. */
function timeOf(pid: number): ProcessorTime {
  let ms = 0;
  let wakeUps = 0;
  for (const thread of entriesOf(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    ms += Number(read(`${folder}/schedstat`).split(' ')[0] ?? 0) / 1_000_000;
    wakeUps += Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(read(`${folder}/status`))?.[1] ?? 0);
  }
  return { ms, wakeUps };
}

/** A browser's process by its command line. */
function partOf(command: string): string {
  const type = /--type=(\S+)/.exec(command)?.[1] ?? 'main';
  return /--utility-sub-type=(\w+)/.exec(command)?.[1] ?? type;
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // It has exited.
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // It has exited.
  }
}
