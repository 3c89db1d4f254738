import { randomUUID } from 'node:crypto';
import { constants, readFileSync } from 'node:fs';
import { open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The text of a small kernel file; undefined if it cannot be read. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // Not supported by this kernel, of another user, or of a process that just exited.
  }
}

export function numberIn(text: string | undefined, pattern: RegExp): number | undefined {
  const found = pattern.exec(text ?? '')?.[1];
  return found === undefined ? undefined : Number(found);
}

/**
 * Reads a file in a folder that workers can write to. Rejects if it is not a regular file or too long. Does not follow
 * links, and does not block on a pipe.
 */
export async function readOwnText(path: string, maxBytes: number): Promise<string> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = await handle.stat();
    if (!found.isFile() || found.size > maxBytes) throw new Error(`${path} is not a valid file`);
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(found.size), 0, found.size, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/**
 * Reads the start of a file named by a setting. Rejects if it is not a regular file: a pipe would block a thread until
 * it has a writer, and a device has no end.
 */
export async function readNamedText(path: string, maxBytes: number): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`names no regular file: ${path}`);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The first line of such a file, without blanks around it. Rejects like `readNamedText`. */
export async function readFirstLine(path: string, maxBytes: number): Promise<string> {
  const [line = ''] = (await readNamedText(path, maxBytes)).split('\n', 1);
  return line.trim();
}

const UNFINISHED = '.new';

/** Removes what a killed `replaceText` left in a folder. Never rejects: workers can write there, too. */
export async function removeUnfinished(dir: string): Promise<void> {
  const names = await readdir(dir).catch(() => []);
  for (const name of names) if (name.endsWith(UNFINISHED)) await rm(join(dir, name), { force: true }).catch(() => {});
}

/**
 * Replaces a file atomically, readable for this user only: a crash leaves either the old or the new text. `durably`: so
 * does a power failure, and the new text is on disk when this resolves. Replaces anything that a worker put there, such
 * as a link or a pipe; a folder is moved aside. Rejects with `EFBIG` if the text is longer than its reader accepts.
 */
export async function replaceText(
  path: string,
  text: string,
  { durably = false, maxBytes = Number.POSITIVE_INFINITY } = {},
): Promise<void> {
  if (Buffer.byteLength(text) > maxBytes)
    throw Object.assign(new Error(`the file would have more than ${maxBytes} bytes`), { code: 'EFBIG' });
  const unfinished = `${path}.${randomUUID()}${UNFINISHED}`;
  try {
    await writeFile(unfinished, text, { mode: 0o600, flag: 'wx', flush: durably });
    await rename(unfinished, path).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EISDIR') throw error;
      await rename(path, `${path}.aside-${randomUUID()}`);
      await rename(unfinished, path);
    });
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  if (durably) await syncFolder(dirname(path));
}

/** A new name in a folder is on disk when the folder is. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY);
  await folder.sync().finally(() => folder.close());
}
