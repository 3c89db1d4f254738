import { randomUUID } from 'node:crypto';
import { constants, readFileSync } from 'node:fs';
import { open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The text of a small file of the kernel's; nothing where it is not to be had. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // Another kernel, another user's, or of something that has just ended.
  }
}

/** The number that a pattern's first group finds in a text. */
export function numberIn(text: string | undefined, pattern: RegExp): number | undefined {
  const found = pattern.exec(text ?? '')?.[1];
  return found === undefined ? undefined : Number(found);
}

/**
 * Reads a file of ours that lies where a worker may write, too. Rejects where it is no plain file, or longer than that:
 * a link is not followed, and a pipe does not keep a thread of ours waiting for ever.
 */
export async function readOwnText(path: string, mostBytes: number): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.size > mostBytes) throw new Error(`${path} is no file of ours`);
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(found.size), 0, found.size, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/**
 * Reads the beginning of a file that a setting names. Rejects where it is no regular file: a pipe would take a thread until
 * somebody writes to it, and a device has no end.
 */
export async function readNamedText(path: string, mostBytes: number): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`names no regular file: ${path}`);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(mostBytes), 0, mostBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

const UNFINISHED = '.new';

/** Removes what `replaceText` has left in a folder when it was killed. Never rejects: a worker may write there, too. */
export async function removeUnfinished(dir: string): Promise<void> {
  const names = await readdir(dir).catch(() => []);
  for (const name of names) if (name.endsWith(UNFINISHED)) await rm(join(dir, name), { force: true }).catch(() => {});
}

/**
 * Writes a file for this user alone, and puts it in its place in one step: a crash leaves the old text or the new one.
 * `durably`: so does a power cut, and the new one stays once this has resolved. What a worker has put there, such as a
 * link or a pipe, is not written to but replaced.
 */
export async function replaceText(path: string, text: string, { durably = false } = {}): Promise<void> {
  const unfinished = `${path}.${randomUUID()}${UNFINISHED}`;
  try {
    await writeFile(unfinished, text, { mode: 0o600, flag: 'wx', flush: durably });
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  if (!durably) return;
  const folder = await open(dirname(path));
  await folder.sync().finally(() => folder.close());
}
