import { randomUUID } from 'node:crypto';
import { chmod, opendir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../log.ts';

const OWN = 0o700;
/** A path may have 4,095 bytes, and a name 255: what is moved from one folder to the next stays well below. */
const LONGEST_PATH = 2_048;

/**
 * Removes whatever has a path, also folders that a worker has made so that not even their owner may look into them, or so
 * deep that no path leads there. Links are not followed. Rejects where something cannot be removed.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await remove(path);
  } catch {
    await openUp(path);
    await remove(path);
  }
}

/**
 * Empties a folder as far as that is possible. What cannot be removed stays, and is told in one line: a start must not
 * fail on it. `removeEntry` is given each name. Rejects where the folder itself cannot be read.
 */
export async function emptyFolder(
  dir: string,
  log: Pick<Log, 'warn'>,
  removeEntry: (name: string) => Promise<void> = (name) => removeTree(join(dir, name)),
): Promise<void> {
  const codes: (string | undefined)[] = [];
  for (const name of await readdir(dir))
    await removeEntry(name).catch((error: NodeJS.ErrnoException) => codes.push(error.code ?? error.name));
  if (codes.length > 0)
    log.warn({ dir, entries: codes.length, error: codes[0], hint: 'remove them by hand' }, 'entries not removed');
}

function remove(path: string): Promise<void> {
  // What is still being ended may write while we remove.
  return rm(path, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Lets their owner into folders again, and moves those that lie too deep to the top. What cannot be opened is for the
 * removal to tell.
 */
async function openUp(top: string): Promise<void> {
  const folders = [top];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    try {
      await chmod(folder, OWN);
      const near = Buffer.byteLength(folder) > LONGEST_PATH ? join(top, randomUUID()) : folder;
      if (near !== folder) await rename(folder, near);
      for await (const entry of await opendir(near)) if (entry.isDirectory()) folders.push(join(near, entry.name));
    } catch {
      // The next one may be opened all the same.
    }
  }
}
