import { randomUUID } from 'node:crypto';
import { chmod, opendir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../log.ts';

const OWN = 0o700;
/** A path has at most 4,095 bytes and a name 255. Deeper folders are moved up before this is exceeded. */
const MAX_PATH_LENGTH = 2_048;

/**
 * Removes a file or folder, including folders that a worker made unreadable for their owner, or nested beyond the
 * maximum path length. Does not follow links. Rejects if something cannot be removed.
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
 * Empties a folder as far as possible. Entries that cannot be removed are kept and logged in one line, so that a start
 * does not fail. `removeEntry` is called with each name. Rejects if the folder cannot be read.
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
  // Processes that are exiting may still write to it.
  return rm(path, { recursive: true, force: true, maxRetries: 3 });
}

/**
 * Restores the owner's permissions on folders, and moves too deep ones to the top. Ignores errors: removal reports
 * them.
 */
async function openUp(top: string): Promise<void> {
  const folders = [top];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    try {
      await chmod(folder, OWN);
      const near = Buffer.byteLength(folder) > MAX_PATH_LENGTH ? join(top, randomUUID()) : folder;
      if (near !== folder) await rename(folder, near);
      for await (const entry of await opendir(near)) if (entry.isDirectory()) folders.push(join(near, entry.name));
    } catch {
      // The next one may still succeed.
    }
  }
}
