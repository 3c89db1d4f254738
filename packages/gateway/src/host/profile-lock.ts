import { readlink, realpath, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { ProcessId } from '@chat-web/protocol';
import { endBrowsersOn } from './browser-sweep.ts';
import { browsersOn, profileOf } from './browsers.ts';
import { argsOf, listProcesses, openFilesOf, userOf } from './processes.ts';
import { isListening, ownerOf } from './unix-sockets.ts';

const LOCK = 'SingletonLock';
const SOCKET = 'SingletonSocket';
/** More than the command line of a browser. */
const MAX_ARG_BYTES = 65_536;
const ROOT = 0;

export class ProfileInUseError extends Error {
  readonly pid: number;

  constructor(profileDir: string, pid: number) {
    super(
      `its profile ${profileDir} is in use by a browser that this gateway did not start (process ${pid}): ` +
        'close that browser, and the session will start',
    );
    this.name = 'ProfileInUseError';
    this.pid = pid;
  }
}

/**
 * Prepares a profile for a start: kills our orphaned browsers and removes a stale lock, whatever process or host it
 * names, since Chromium does not recover from all of them. Throws a ProfileInUseError if a live foreign browser uses
 * the profile, and leaves its lock: two browsers would corrupt it. Processes of other users are ignored, whatever they
 * claim. Resolves with our processes that are still there although they were killed, as on a disk that hangs.
 */
export async function freeProfile(profileDir: string): Promise<readonly ProcessId[]> {
  await endBrowsersOn(profileDir);
  const { ours, foreign } = browsersOn(profileDir, await listProcesses());
  const path = await real(profileDir);
  const holder = foreign.find(({ pid }) => mayHave(pid, path))?.pid ?? (await lockHolder(profileDir));
  if (holder !== undefined) throw new ProfileInUseError(profileDir, holder);
  for (const name of [LOCK, 'SingletonCookie', SOCKET]) await rm(join(profileDir, name), { force: true });
  return ours;
}

/**
 * True if a process of our user that names a profile may really use it. If we are root, it must have files of the
 * profile open: sudo waiting for a password runs as root with a command line that any user can choose.
 */
function mayHave(pid: number, profile: string): boolean {
  return process.geteuid?.() !== ROOT || openFilesOf(pid).some((file) => file.startsWith(`${profile}/`));
}

/**
 * The pid of the live process that holds the profile's lock: it belongs to the user who made the lock, and listens on
 * the socket beside it. That user must be ours, or root, who may inspect a session by hand: pids and folders in a
 * shared /tmp can be reused by other users. The host name in the lock is ignored: it can change, and the data folder is
 * never shared between machines.
 */
async function lockHolder(profileDir: string): Promise<number | undefined> {
  const us = process.geteuid?.();
  const owner = await ownerOf(join(profileDir, LOCK), 'link');
  const pid = Number(/-(\d+)$/.exec(await target(profileDir, LOCK))?.[1]);
  if (!pid || userOf(pid) !== owner || (owner !== us && owner !== ROOT)) return undefined;
  const named = profileOf(argsOf(pid, MAX_ARG_BYTES));
  // A copied profile contains the lock of the original, whose browser may be running.
  if (named !== undefined && (await real(named)) !== (await real(profileDir))) return undefined;
  // We may lack permission to check the socket of root's browser.
  if (owner !== us) return named === undefined ? undefined : pid;
  return (await isListeningAsUs(resolve(profileDir, await target(profileDir, SOCKET)))) ? pid : undefined;
}

/** Checks the owner of the folder, too: in a folder of its own, another user could link to any of our sockets. */
async function isListeningAsUs(socket: string): Promise<boolean> {
  const owners = [await ownerOf(dirname(socket), 'folder'), await ownerOf(socket, 'socket')];
  return owners.every((owner) => owner === process.geteuid?.()) && isListening(socket);
}

function target(profileDir: string, name: string): Promise<string> {
  return readlink(join(profileDir, name)).catch(() => '');
}

function real(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
