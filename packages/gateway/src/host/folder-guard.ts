import { realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

const GROUP_AND_OTHERS = 0o022;
const OTHERS = 0o002;
/** In a folder of this kind nobody can remove what is somebody else's. */
const STICKY = 0o1000;

/**
 * The folder through which every user of the machine could put something else into the place of what lies in `folder`:
 * itself, or one above it. Undefined where there is none. Rejects where there is no such folder.
 */
export async function openToEverybody(folder: string): Promise<string | undefined> {
  return firstOf(folder, ({ mode }) => (mode & OTHERS) !== 0);
}

/** The same for anybody but us and root: members of a group, and who owns one of the folders. */
export async function openToOthers(folder: string): Promise<string | undefined> {
  const trusted = [0, process.geteuid?.()];
  return firstOf(folder, ({ mode, uid }) => (mode & GROUP_AND_OTHERS) !== 0 || !trusted.includes(uid));
}

async function firstOf(
  folder: string,
  isOpen: (found: { readonly mode: number; readonly uid: number }) => boolean,
): Promise<string | undefined> {
  const start = await realpath(folder);
  for (let at = start; ; at = dirname(at)) {
    const { mode, uid } = await stat(at);
    const isSticky = at !== start && (mode & STICKY) !== 0;
    if (isOpen({ mode: isSticky ? mode & ~GROUP_AND_OTHERS : mode, uid })) return at;
    if (at === dirname(at)) return undefined;
  }
}
