import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { descendantsOf } from '../process-tree.ts';

/** Figures that must not grow, at one moment. */
export interface Vitals {
  readonly processes: number;
  readonly fileDescriptors: number;
  /** Files in the temporary folders of the data folder, and those that browsers leave in the machine's. */
  readonly temporaryFiles: number;
  /** The gateway's own memory, in MB (PSS). */
  readonly gatewayMb: number;
}

const KB_PER_MB = 1024;

/** Measures a gateway and its folders. */
export function look(gatewayPid: number, dataDir: string): Vitals {
  const rollup = readFileSync(`/proc/${gatewayPid}/smaps_rollup`, 'utf8');
  const strays = readdirSync(tmpdir()).filter((name) => /^(\.?org\.chromium|puppeteer)/.test(name));
  return {
    processes: descendantsOf(gatewayPid).length,
    fileDescriptors: readdirSync(`/proc/${gatewayPid}/fd`).length,
    temporaryFiles: filesIn(join(dataDir, 'tmp')) + filesIn(join(dataDir, 'spool')) + strays.length,
    gatewayMb: Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / KB_PER_MB,
  };
}

function filesIn(folder: string): number {
  try {
    return readdirSync(folder, { recursive: true }).length;
  } catch {
    return 0;
  }
}

/** The median of some numbers. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
