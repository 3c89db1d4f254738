import { randomUUID } from 'node:crypto';
import { accessSync, chmodSync, constants, lstatSync, mkdirSync, renameSync, statSync } from 'node:fs';
import type { Log } from '../log.ts';

const OWN = 0o700;
const { R_OK, W_OK, X_OK } = constants;

/**
 * Creates a folder if it does not exist. Moves aside and logs anything else at that path, such as a pipe of a worker;
 * an operator's link to a folder is kept. Throws if that fails.
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

/** False for a dangling link, too. */
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
