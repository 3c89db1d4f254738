import { randomUUID } from 'node:crypto';
import { accessSync, chmodSync, constants, lstatSync, mkdirSync, realpathSync, renameSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { Log } from '../log.ts';

const OWN = 0o700;
const { R_OK, W_OK, X_OK } = constants;

/**
 * Creates a folder if it does not exist. Moves aside and logs anything else at that path, such as a pipe of a worker;
 * an operator's link to a folder elsewhere is kept. Throws if that fails.
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

/**
 * False for a dangling link, too, and for a link into the data folder or to one above it: it is of a worker, and what is
 * emptied or moved there is not what it seems to be.
 */
function isFolder(path: string): boolean {
  try {
    const [target, parent] = [realpathSync(path), realpathSync(dirname(path))];
    const isWithin = target.startsWith(join(parent, sep)) || join(parent, sep).startsWith(join(target, sep));
    return statSync(path).isDirectory() && !(isWithin && lstatSync(path).isSymbolicLink());
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
