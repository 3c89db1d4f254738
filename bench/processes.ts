import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { statFields } from '@chat-web/protocol';
import { descendantsOf } from '@chat-web/testing';

const MS_PER_TICK = 10;

/** The processor use of Node and browser processes, in percent of one core. */
export interface Share {
  readonly node: number;
  readonly browser: number;
}

export async function shareOf(node: readonly number[], browser: readonly number[], forMs: number): Promise<Share> {
  const sum = (pids: readonly number[]) => pids.reduce((all, pid) => all + cpuMs(pid), 0);
  const [nodeBefore, browserBefore, startedAt] = [sum(node), sum(browser), performance.now()];
  await delay(forMs);
  const share = (ms: number) => (100 * ms) / (performance.now() - startedAt);
  return { node: share(sum(node) - nodeBefore), browser: share(sum(browser) - browserBefore) };
}

/** The processor time that a process has used, in ms; 0 once it is gone. Its clock ticks a hundred times a second. */
export function cpuMs(pid: number): number {
  try {
    const [utime, stime] = statFields(readFileSync(`/proc/${pid}/stat`, 'utf8')).slice(11, 13);
    return (Number(utime) + Number(stime)) * MS_PER_TICK;
  } catch {
    return 0;
  }
}

export function treeCpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + descendantsOf(pid).reduce((all, one) => all + cpuMs(one.pid), 0), 0);
}

const KB_PER_MB = 1024;

/** The private memory of Node processes (USS), and the memory of browser processes (Pss_Anon + Pss_Shmem), in MB. */
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

/** The memory of a process with its share of shared pages (PSS), in MB. */
export function pssMb(pid: number): number {
  return rollup(pid, ['Pss']) / KB_PER_MB;
}

/** The sum of some fields of a process's memory map, in KB. */
function rollup(pid: number, fields: readonly string[]): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return fields.reduce(
    (total, field) => total + Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0),
    0,
  );
}
