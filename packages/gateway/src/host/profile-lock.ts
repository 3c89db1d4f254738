import { readlink, realpath, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { endBrowsersOn } from './browser-sweep.ts';
import { browsersOn, profileOf } from './browsers.ts';
import { argsOf, listProcesses, openFilesOf, userOf } from './processes.ts';
import { isAnswered, ownerOf } from './unix-sockets.ts';

const LOCK = 'SingletonLock';
const SOCKET = 'SingletonSocket';
/** More than a browser is started with. */
const MOST_ARG_BYTES = 65_536;
const ROOT = 0;

/** A browser that is not ours lives on the profile. */
export class ProfileInUseError extends Error {
  constructor(profileDir: string, pid: number) {
    super(
      `its profile ${profileDir} is in use by a browser that this gateway did not start (process ${pid}): ` +
        'close that browser, and the session will start',
    );
    this.name = 'ProfileInUseError';
  }
}

/**
 * Makes a profile fit for a start: ends what our own browsers have left on it, and removes a lock that nobody holds,
 * whatever process or host it names: Chromium would not heal all of them. Throws a ProfileInUseError, and touches
 * nothing, where a live browser has the profile that a person has started: two on one profile would ruin it. Processes
 * of other users count for nothing, whatever they claim.
 */
export async function freeProfile(profileDir: string): Promise<void> {
  await endBrowsersOn(profileDir);
  const { foreign } = browsersOn(profileDir, await listProcesses());
  const path = await real(profileDir);
  const holder = foreign.find(({ pid }) => mayHave(pid, path))?.pid ?? (await lockHolder(profileDir));
  if (holder !== undefined) throw new ProfileInUseError(profileDir, holder);
  for (const name of [LOCK, 'SingletonCookie', SOCKET]) await rm(join(profileDir, name), { force: true });
}

/**
 * Whether a process of our own that names a profile may really have it. Of root's this is not to be believed unless it
 * has files of it open: sudo, while it waits for a password, is all root's, and anybody may have started it.
 */
function mayHave(pid: number, profile: string): boolean {
  return process.geteuid?.() !== ROOT || openFilesOf(pid).some((file) => file.startsWith(`${profile}/`));
}

/**
 * The process that holds the profile's lock: it lives, is of the user who made the lock, and answers on the socket beside
 * it. That user is this one, or root, who may be looking at a session by hand; for a number, and a folder in a shared
 * /tmp, may have become somebody else's since. The host in the lock is not asked: names change, and the data folder is
 * this machine's alone.
 */
async function lockHolder(profileDir: string): Promise<number | undefined> {
  const us = process.geteuid?.();
  const owner = await ownerOf(join(profileDir, LOCK), 'link');
  const pid = Number(/-(\d+)$/.exec(await target(profileDir, LOCK))?.[1]);
  if (!pid || userOf(pid) !== owner || (owner !== us && owner !== ROOT)) return undefined;
  const named = profileOf(argsOf(pid, MOST_ARG_BYTES));
  // A copy of a profile brings the lock of the original along, whose browser may well be running.
  if (named !== undefined && (await real(named)) !== (await real(profileDir))) return undefined;
  // Where root's browser listens may not be ours to look at.
  if (owner !== us) return named === undefined ? undefined : pid;
  return (await isAnsweredByUs(resolve(profileDir, await target(profileDir, SOCKET)))) ? pid : undefined;
}

/** By the folder as well, which is the browser's own: in one of its own, another user could link to any socket of ours. */
async function isAnsweredByUs(socket: string): Promise<boolean> {
  const owners = [await ownerOf(dirname(socket), 'folder'), await ownerOf(socket, 'socket')];
  return owners.every((owner) => owner === process.geteuid?.()) && isAnswered(socket);
}

function target(profileDir: string, name: string): Promise<string> {
  return readlink(join(profileDir, name)).catch(() => '');
}

function real(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
