import { setImmediate as nextTurn } from 'node:timers/promises';
import { familyOf, listProcesses, type Process } from './processes.ts';
import { numberIn, readText } from './text-files.ts';

/** What a session takes, in bytes. */
export interface SessionMemory {
  readonly workerBytes: number;
  readonly browserBytes: number;
  /** How many processes were counted. */
  readonly processes: number;
}

/**
 * What a worker and the browser below it take now: each page of memory counted once, and divided among those who
 * share it. All zero where the worker is gone, or there is no /proc. The list is for who measures many at once.
 */
export async function measureSession(workerPid: number, all?: readonly Process[]): Promise<SessionMemory> {
  const processes = all ?? (await listProcesses());
  const family = familyOf(
    processes.filter(({ pid }) => pid === workerPid),
    processes,
  );
  let workerBytes = 0;
  let browserBytes = 0;
  for (const { pid } of family) {
    const bytes = memoryOf(pid);
    if (pid === workerPid) workerBytes += bytes;
    else browserBytes += bytes;
    await nextTurn(); // The kernel walks through all of a process's pages: a millisecond for a large one.
  }
  return { workerBytes, browserBytes, processes: family.length };
}

/** The proportional share; of a process that has sealed itself off, as sandboxed ones do, what is its alone. */
function memoryOf(pid: number): number {
  const share = numberIn(readText(`/proc/${pid}/smaps_rollup`), /^Pss:\s+(\d+) kB/m);
  const own = share ?? numberIn(readText(`/proc/${pid}/status`), /^RssAnon:\s+(\d+) kB/m);
  return (own ?? 0) * 1_024;
}
