import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { readText } from '../host/text-files.ts';

/** What tells this machine, its start and a data folder on it from others; undefined if it is unknown. */
export interface FolderIdentity {
  readonly machineId: string | undefined;
  readonly bootId: string | undefined;
  /** Device and inode: the same folder after it was renamed, another one after it was copied. */
  readonly folder: string;
}

/** A container has no id of a machine: that in its image is the same on each machine. */
export async function folderIdentityOf(dataDir: string): Promise<FolderIdentity> {
  const { dev, ino } = await stat(dataDir);
  const id = isInContainer() ? undefined : readText('/etc/machine-id')?.trim();
  return {
    machineId: id ? createHash('sha256').update(`${id} ${hostname()}`).digest('hex') : undefined,
    bootId: readText('/proc/sys/kernel/random/boot_id')?.trim() || undefined,
    folder: `${dev}:${ino}`,
  };
}

function isInContainer(): boolean {
  const { container, KUBERNETES_SERVICE_HOST } = process.env;
  const hasFile = ['/.dockerenv', '/run/.containerenv'].some((path) => existsSync(path));
  return hasFile || container !== undefined || KUBERNETES_SERVICE_HOST !== undefined;
}
