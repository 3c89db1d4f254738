import { constants, existsSync } from 'node:fs';
import { access, lstat, realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ConfigError } from '../config-error.ts';
import type { Log } from '../log.ts';

const GROUP_AND_OTHERS = 0o022;
const OTHERS = 0o002;
/** In a sticky folder, users cannot replace entries of others. */
const STICKY = 0o1000;

/**
 * Checks the folder of a setting. Throws a ConfigError if every user can write to it; logs a warning if every user can
 * write to a parent folder and so replace it. Does nothing if it does not exist.
 */
export async function requireNotWorldWritable(setting: string, folder: string, log: Pick<Log, 'warn'>): Promise<void> {
  if (!existsSync(folder)) return;
  const exposed = await firstOf(folder, ({ mode }) => (mode & OTHERS) !== 0);
  if (exposed === undefined) return;
  if (exposed === (await realpath(folder))) {
    throw new ConfigError([
      `${setting} is writable by every user of this machine: chmod o-w ${folder}, or use a new folder in it`,
    ]);
  }
  log.warn({ setting, hint: `chmod o-w ${exposed}` }, 'folder may be replaced by every user');
}

/**
 * Throws a ConfigError with the command to run if the folder of a setting belongs to another user, and we cannot write
 * to it, as when a volume of a container was created for another one. Does not change anything: the folder may have
 * been named by mistake.
 */
export async function requireOwn(setting: string, folder: string): Promise<void> {
  const isUsable = await access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  const { uid } = await lstat(folder);
  const [ourUid, ourGid] = [process.geteuid?.(), process.getegid?.()];
  if (isUsable || uid === ourUid) return;
  throw new ConfigError([
    `${setting} (${folder}) belongs to user ${uid}, and the gateway runs as user ${ourUid}: as root, run "chown -R ${ourUid}:${ourGid} ${folder}", for a container on the folder or volume that is mounted there`,
  ]);
}

/**
 * The folder through which users other than us and root could replace entries of `folder`: itself or a parent that is
 * writable by others or a group, or owned by another user. Undefined if there is none. Rejects if `folder` does not
 * exist.
 */
export async function writableByOthers(folder: string): Promise<string | undefined> {
  const trusted = [0, process.geteuid?.()];
  return firstOf(folder, ({ mode, uid }) => (mode & GROUP_AND_OTHERS) !== 0 || !trusted.includes(uid));
}

/** Checks the path as written, too: the owner of a link in it could change its target. */
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

function chainOf(path: string): string[] {
  const above = dirname(path);
  return above === path ? [path] : [path, ...chainOf(above)];
}
