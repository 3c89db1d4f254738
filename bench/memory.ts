import { readdirSync, readFileSync } from 'node:fs';

/** What a session's processes hold, in MB. */
export interface SessionMemory {
  /** Memory that is the worker's alone (USS). */
  readonly workerMb: number;
  /** Anonymous and shared memory of the browser's process tree, each page counted once (Pss_Anon + Pss_Shmem). */
  readonly browserMb: number;
  readonly browserProcesses: number;
}

const KB_PER_MB = 1024;

/** The first worker below a gateway. */
export function workerOf(gatewayPid: number): number {
  const [worker] = [...parentOfEach()].flatMap(([child, parent]) => (parent === gatewayPid ? [child] : []));
  if (!worker) throw new Error('the gateway has no worker');
  return worker;
}

/** Measures the first worker below a gateway, and the browser below that. */
export function sessionMemory(gatewayPid: number): SessionMemory {
  const parents = parentOfEach();
  const childrenOf = (pid: number) => [...parents].flatMap(([child, parent]) => (parent === pid ? [child] : []));
  const worker = workerOf(gatewayPid);
  const browser: number[] = [];
  for (const queue = childrenOf(worker); queue.length > 0; ) {
    const pid = queue.pop() as number;
    browser.push(pid);
    queue.push(...childrenOf(pid));
  }
  const sum = (fields: readonly string[], pids: readonly number[]) =>
    pids.reduce((total, pid) => total + rollup(pid, fields), 0) / KB_PER_MB;
  return {
    workerMb: sum(['Private_Clean', 'Private_Dirty'], [worker]),
    browserMb: sum(['Pss_Anon', 'Pss_Shmem'], browser),
    browserProcesses: browser.length,
  };
}

function parentOfEach(): Map<number, number> {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  return new Map(
    pids.flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
        return [[Number(pid), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])]];
      } catch {
        return []; // It ended while we looked.
      }
    }),
  );
}

/** The sum of some fields of a process's memory map, in KB. */
function rollup(pid: number, fields: readonly string[]): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return fields.reduce(
    (total, field) => total + Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0),
    0,
  );
}
