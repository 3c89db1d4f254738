import { readFileSync } from 'node:fs';
import { open, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

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
 * Writes a file for this user alone, and puts it in its place in one step: a crash leaves the old text or the new one.
 * `durably`: so does a power cut, and the new one stays once this has resolved.
 */
export async function replaceText(path: string, text: string, { durably = false } = {}): Promise<void> {
  const unfinished = `${path}.new`;
  await writeFile(unfinished, text, { mode: 0o600, flush: durably });
  await rename(unfinished, path);
  if (!durably) return;
  const folder = await open(dirname(path));
  await folder.sync().finally(() => folder.close());
}
