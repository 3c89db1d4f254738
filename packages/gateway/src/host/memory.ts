import { setImmediate as nextTurn } from 'node:timers/promises';
import { familyOf, listProcesses, type Process } from './processes.ts';
import { numberIn, readText } from './text-files.ts';

/** The memory of a session, in bytes. */
export interface SessionMemory {
  readonly workerBytes: number;
  readonly browserBytes: number;
  /** Number of processes measured. */
  readonly processes: number;
}

/**
 * The memory (PSS) of a worker and its browser; shared pages are divided among their users. All zero if the worker is
 * gone or there is no /proc. `all`: the process list, if the caller has it already.
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
    await nextTurn(); // The kernel walks all pages of the process: a millisecond for a large one.
  }
  return { workerBytes, browserBytes, processes: family.length };
}

/** PSS; anonymous memory for sandboxed processes, whose PSS is not readable. */
function memoryOf(pid: number): number {
  const share = numberIn(readText(`/proc/${pid}/smaps_rollup`), /^Pss:\s+(\d+) kB/m);
  const own = share ?? numberIn(readText(`/proc/${pid}/status`), /^RssAnon:\s+(\d+) kB/m);
  return (own ?? 0) * 1_024;
}
