import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { readText } from '../host/text-files.ts';

/** What tells this machine, its start and a data folder on it from others. An empty text is unknown. */
export interface Place {
  readonly machineId: string | undefined;
  readonly bootId: string | undefined;
  /** Device and inode: the same folder after it was renamed, another one after it was copied. */
  readonly folder: string;
}

/** The machine's id is part of a virtual machine's image, and so of its clones: these have another name. */
export async function placeOf(dataDir: string): Promise<Place> {
  const { dev, ino } = await stat(dataDir);
  const id = readText('/etc/machine-id')?.trim();
  return {
    machineId: id ? createHash('sha256').update(`${id} ${hostname()}`).digest('hex') : undefined,
    bootId: readText('/proc/sys/kernel/random/boot_id')?.trim() || undefined,
    folder: `${dev}:${ino}`,
  };
}
