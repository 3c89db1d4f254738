import { chmod, opendir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const OWN = 0o700;

/**
 * Removes whatever has a path, also folders that a worker has made so that not even their owner may look into them.
 * Links are not followed. Rejects where something cannot be removed.
 */
export async function removeTree(path: string): Promise<void> {
  try {
    await remove(path);
  } catch {
    await openUp(path);
    await remove(path);
  }
}

function remove(path: string): Promise<void> {
  // What is still being ended may write while we remove.
  return rm(path, { recursive: true, force: true, maxRetries: 3 });
}

/** Lets their owner into folders again. What cannot be opened is for the removal to tell. */
async function openUp(folder: string): Promise<void> {
  const folders: string[] = [];
  try {
    await chmod(folder, OWN);
    for await (const entry of await opendir(folder)) if (entry.isDirectory()) folders.push(join(folder, entry.name));
  } catch {
    return;
  }
  for (const inner of folders) await openUp(inner);
}
