import { existsSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ConfigError } from '../config.ts';
import type { Log } from '../log.ts';

const GROUP_AND_OTHERS = 0o022;
const OTHERS = 0o002;
/** In a folder of this kind nobody can remove what is somebody else's. */
const STICKY = 0o1000;

/**
 * Makes sure that not every user of the machine can put something into a folder that a setting names. Throws a
 * ConfigError where they can; tells where they could replace the folder by way of one above it. One that is not there
 * yet is ours to make.
 */
export async function requireClosed(setting: string, folder: string, log: Pick<Log, 'warn'>): Promise<void> {
  if (!existsSync(folder)) return;
  const exposed = await firstOf(folder, ({ mode }) => (mode & OTHERS) !== 0);
  if (exposed === undefined) return;
  if (exposed === (await realpath(folder))) {
    throw new ConfigError([
      `${setting} may be written by every user of this machine: chmod o-w ${folder}, or name a new folder in it`,
    ]);
  }
  log.warn({ setting, hint: `chmod o-w ${exposed}` }, 'folder may be replaced by every user');
}

/**
 * The folder through which anybody but us and root could put something else into the place of what lies in `folder`:
 * itself, or one above it, which others or a group may write, or which is another user's. Undefined where there is none.
 * Rejects where there is no such folder.
 */
export async function openToOthers(folder: string): Promise<string | undefined> {
  const trusted = [0, process.geteuid?.()];
  return firstOf(folder, ({ mode, uid }) => (mode & GROUP_AND_OTHERS) !== 0 || !trusted.includes(uid));
}

/** Looks at the path as it is written, too: who made a link on the way may point it elsewhere. */
async function firstOf(
  folder: string,
  isOpen: (found: { readonly mode: number; readonly uid: number }) => boolean,
): Promise<string | undefined> {
  const start = await realpath(folder);
  for (const path of new Set([...chainOf(start), ...chainOf(resolve(folder))])) {
    const found = await lstat(path);
    const isSticky = path !== start && (found.mode & STICKY) !== 0;
    const mode = isSticky || found.isSymbolicLink() ? found.mode & ~GROUP_AND_OTHERS : found.mode;
    if (isOpen({ mode, uid: found.uid })) return path;
  }
  return undefined;
}

/** A path and all above it. */
function chainOf(path: string): string[] {
  const above = dirname(path);
  return above === path ? [path] : [path, ...chainOf(above)];
}
