import { readFileSync } from 'node:fs';
import { childrenOf, descendantsOf } from './process-tree.ts';

/** What a session's processes hold, in MB. */
export interface SessionMemory {
  /** Memory of the worker that no other process shares (USS). */
  readonly workerMb: number;
  /** Anonymous and shared memory of the browser's process tree, each page counted once (Pss_Anon + Pss_Shmem). */
  readonly browserMb: number;
  readonly browserProcesses: number;
}

const KB_PER_MB = 1024;

/** The first worker below a gateway. */
export function workerOf(gatewayPid: number): number {
  const [worker] = childrenOf(gatewayPid);
  if (!worker) throw new Error('the gateway has no worker');
  return worker;
}

/** Measures the first worker below a gateway, and its browser. */
export function sessionMemory(gatewayPid: number): SessionMemory {
  return measureTree(workerOf(gatewayPid));
}

/** Measures a process, and its browser. */
export function measureTree(worker: number): SessionMemory {
  const browser = descendantsOf(worker).map(({ pid }) => pid);
  const { nodeMb, browserMb } = memoryOf([worker], browser);
  return { workerMb: nodeMb, browserMb, browserProcesses: browser.length };
}

/** What processes of Node hold by themselves (USS), and processes of browsers (Pss_Anon + Pss_Shmem), in MB. */
export function memoryOf(
  node: readonly number[],
  browser: readonly number[],
): { readonly nodeMb: number; readonly browserMb: number } {
  const sum = (fields: readonly string[], pids: readonly number[]) =>
    pids.reduce((total, pid) => total + rollup(pid, fields), 0) / KB_PER_MB;
  return {
    nodeMb: sum(['Private_Clean', 'Private_Dirty'], node),
    browserMb: sum(['Pss_Anon', 'Pss_Shmem'], browser),
  };
}

/** The sum of some fields of a process's memory map, in KB. */
function rollup(pid: number, fields: readonly string[]): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return fields.reduce(
    (total, field) => total + Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0),
    0,
  );
}
