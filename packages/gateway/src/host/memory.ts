import { setImmediate as nextTurn } from 'node:timers/promises';
import { familyOf, listRelatives, type Relative } from './processes.ts';
import { numberIn, readText } from './text-files.ts';

export interface SessionMemory {
  readonly workerBytes: number;
  readonly browserBytes: number;
  readonly processes: number;
}

export function memoryBytes({ workerBytes, browserBytes }: SessionMemory): number {
  return workerBytes + browserBytes;
}

export interface Measurement {
  /**
   * True: measures the PSS of each process. False: for processes that were measured before, adds their growth since.
   */
  readonly exact: boolean;
  /** The process list, if the caller has it already. */
  readonly processes?: readonly Relative[];
}

interface Reading {
  readonly startedAt: number;
  readonly pss: number;
  /** Its own and shared memory at that time. */
  readonly resident: number;
}

/**
 * Measures the memory (PSS) of one session: of its worker, and of the browser; shared pages are divided among their
 * users. For a PSS the kernel walks all pages of a process, which takes milliseconds. Its counters of a process's own
 * memory cost nothing: between two PSS readings, their growth is added.
 */
export class MemoryMeter {
  #readings: ReadonlyMap<number, Reading> = new Map();

  /** All zero if the worker is gone or there is no /proc. */
  async measure(workerPid: number, { exact, processes }: Measurement): Promise<SessionMemory> {
    const all = processes ?? (await listRelatives());
    const family = familyOf(
      all.filter(({ pid }) => pid === workerPid),
      all,
    );
    const readings = new Map<number, Reading>();
    let workerBytes = 0;
    let browserBytes = 0;
    for (const { pid, startedAt } of family) {
      const now = residentOf(pid);
      const before = this.#readings.get(pid);
      const isKnown = !exact && before?.startedAt === startedAt;
      const reading = isKnown ? before : { startedAt, pss: pssOf(pid) ?? now.own, resident: now.own + now.shared };
      readings.set(pid, reading);
      const bytes = Math.max(0, reading.pss + now.own + now.shared - reading.resident);
      if (pid === workerPid) workerBytes += bytes;
      else browserBytes += bytes;
      if (!isKnown) await nextTurn(); // The kernel walked all pages of the process.
    }
    this.#readings = readings;
    return { workerBytes, browserBytes, processes: family.length };
  }
}

/** Undefined for sandboxed processes, whose PSS is not readable. */
function pssOf(pid: number): number | undefined {
  const kb = numberIn(readText(`/proc/${pid}/smaps_rollup`), /^Pss:\s+(\d+) kB/m);
  return kb === undefined ? undefined : kb * 1_024;
}

/** Anonymous memory of a process, and memory that it shares with others; without mapped files. In bytes. */
function residentOf(pid: number): { own: number; shared: number } {
  const status = readText(`/proc/${pid}/status`);
  const bytes = (pattern: RegExp) => (numberIn(status, pattern) ?? 0) * 1_024;
  return { own: bytes(/^RssAnon:\s+(\d+) kB/m), shared: bytes(/^RssShmem:\s+(\d+) kB/m) };
}
