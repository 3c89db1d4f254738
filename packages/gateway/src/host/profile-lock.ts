import { readlink, realpath, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join, resolve } from 'node:path';
import { endBrowsersOn } from './browser-sweep.ts';
import { browsersOn, profileOf } from './browsers.ts';
import { listProcesses, type Process } from './processes.ts';

const LOCK = 'SingletonLock';
const SOCKET = 'SingletonSocket';
const PROBE_TIMEOUT_MS = 1_000;

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
 * nothing, where a live browser of somebody else has the profile: two on one profile would ruin it.
 */
export async function freeProfile(profileDir: string): Promise<void> {
  await endBrowsersOn(profileDir);
  const all = await listProcesses();
  const holder = browsersOn(profileDir, all).foreign[0]?.pid ?? (await lockHolder(profileDir, all));
  if (holder !== undefined) throw new ProfileInUseError(profileDir, holder);
  for (const name of [LOCK, 'SingletonCookie', SOCKET]) await rm(join(profileDir, name), { force: true });
}

/**
 * The process that holds the profile's lock: it lives, and answers on the socket beside the lock. The host in the
 * lock is not asked: names change, and the data folder is this machine's alone.
 */
async function lockHolder(profileDir: string, all: readonly Process[]): Promise<number | undefined> {
  const pid = Number(/-(\d+)$/.exec(await target(profileDir, LOCK))?.[1]);
  if (!pid || !isLive(pid)) return undefined;
  const named = profileOf(all.find((one) => one.pid === pid)?.args ?? []);
  // A copy of a profile brings the lock of the original along, whose browser may well be running.
  if (named !== undefined && (await real(named)) !== (await real(profileDir))) return undefined;
  return (await isAnswered(resolve(profileDir, await target(profileDir, SOCKET)))) ? pid : undefined;
}

function target(profileDir: string, name: string): Promise<string> {
  return readlink(join(profileDir, name)).catch(() => '');
}

function real(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

/** Of whatever user: one that may not be signalled lives as well. */
function isLive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((tell) => {
    const probe = createConnection(path);
    const answer = (answered: boolean) => {
      probe.destroy();
      tell(answered);
    };
    probe.setTimeout(PROBE_TIMEOUT_MS, () => answer(true));
    probe.once('connect', () => answer(true));
    // A queue that is full has somebody at its end, who does not look at it: a browser that hangs.
    probe.once('error', (error: NodeJS.ErrnoException) => answer(error.code === 'EAGAIN'));
  });
}
