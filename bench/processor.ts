import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { descendantsOf } from './process-tree.ts';

const MS_PER_TICK = 10;

/** The processor use of Node and browser processes, in percent of one core. */
export interface Share {
  readonly node: number;
  readonly browser: number;
}

/** The processor use of these processes within a time. */
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
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [utime, stime] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13);
    return (Number(utime) + Number(stime)) * MS_PER_TICK;
  } catch {
    return 0;
  }
}

/** The processor time of all descendants of some processes, in ms. */
export function treeCpuMs(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + descendantsOf(pid).reduce((all, one) => all + cpuMs(one.pid), 0), 0);
}
