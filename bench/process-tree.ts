import { readdirSync, readFileSync } from 'node:fs';

/** A live descendant of a process. */
export interface Descendant {
  readonly pid: number;
  /** Its command line, as one string. */
  readonly command: string;
}

/** The live children of a process. */
export function childrenOf(pid: number): number[] {
  return [...parentOfEach()].flatMap(([child, parent]) => (parent === pid ? [child] : []));
}

/** The first worker below a gateway. */
export function workerOf(gatewayPid: number): number {
  const [worker] = childrenOf(gatewayPid);
  if (!worker) throw new Error('the gateway has no worker');
  return worker;
}

/** All live descendants of a process. */
export function descendantsOf(pid: number): Descendant[] {
  const parents = parentOfEach();
  const found = new Set([pid]);
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const [child, parent] of parents) if (found.has(parent)) found.add(child);
  }
  found.delete(pid);
  return [...found].map((one) => ({ pid: one, command: readProc(one, 'cmdline').replaceAll('\0', ' ') }));
}

function parentOfEach(): Map<number, number> {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  return new Map(
    pids.flatMap((pid) => {
      const stat = readProc(Number(pid), 'stat');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return !stat || state === 'Z' ? [] : [[Number(pid), Number(parent)]];
    }),
  );
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return ''; // It has exited.
  }
}
