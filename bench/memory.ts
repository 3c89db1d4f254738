import { readFileSync } from 'node:fs';

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

/** The sum of some fields of a process's memory map, in KB. */
function rollup(pid: number, fields: readonly string[]): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return fields.reduce(
    (total, field) => total + Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0),
    0,
  );
}
