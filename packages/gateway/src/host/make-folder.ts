import { randomUUID } from 'node:crypto';
import { accessSync, chmodSync, constants, lstatSync, mkdirSync, renameSync, statSync } from 'node:fs';
import type { Log } from '../log.ts';

const OWN = 0o700;
const { R_OK, W_OK, X_OK } = constants;

/**
 * Makes a folder of ours where it is not there yet. What a worker has put into its place, such as a pipe, is put aside,
 * and told; an operator's link to another folder is left as it is. Throws where that is not possible.
 */
export function makeFolder(path: string, log: Pick<Log, 'warn'>): void {
  if (lstatSync(path, { throwIfNoEntry: false }) && !isFolder(path)) {
    const aside = `${path}.aside-${randomUUID()}`;
    renameSync(path, aside);
    log.warn({ path, movedTo: aside }, 'folder replaced');
  }
  mkdirSync(path, { recursive: true, mode: OWN });
  if (!isOpenToUs(path)) chmodSync(path, OWN);
}

/** False also for a link that leads nowhere. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function isOpenToUs(path: string): boolean {
  try {
    accessSync(path, R_OK | W_OK | X_OK);
    return true;
  } catch {
    return false;
  }
}
