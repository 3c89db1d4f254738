import { readdir, readFile, readlink, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const GONE_WITHIN_MS = 2_000;
const CHECK_EVERY_MS = 20;

/** Makes a profile fit for a start: ends what still runs on it, and removes a lock that Chromium would not heal. */
export async function freeProfile(profileDir: string): Promise<void> {
  await endBrowsersOn(profileDir);
  // Chromium removes the lock of a dead process of this host by itself. One that names another host it takes for a
  // browser elsewhere; the data folder is ours alone, so it is this machine under the name it had before.
  const owner = await readlink(join(profileDir, 'SingletonLock')).catch(() => undefined);
  if (owner === undefined || owner.startsWith(`${hostname()}-`)) return;
  for (const name of ['SingletonLock', 'SingletonCookie', 'SingletonSocket'])
    await rm(join(profileDir, name), { force: true });
}

/**
 * Ends every browser that still runs on a profile, and waits until it is gone. A worker that died has closed its
 * browser's pipe, which a healthy browser obeys by itself within a moment; this is for one that cannot. They are
 * known by the profile in their command line, never by a name. Returns how many had to be killed.
 */
export async function endBrowsersOn(profileDir: string): Promise<number> {
  let killed = 0;
  const deadline = Date.now() + GONE_WITHIN_MS;
  for (;;) {
    const pids = await browsersOn(profileDir);
    if (pids.length === 0 || Date.now() > deadline) return killed;
    // The first round only looks again: the browser may be on its way out, writing its profile.
    if (Date.now() > deadline - GONE_WITHIN_MS / 2) {
      for (const pid of pids) killed += kill(pid) ? 1 : 0;
    }
    await delay(CHECK_EVERY_MS);
  }
}

async function browsersOn(profileDir: string): Promise<number[]> {
  const argument = `--user-data-dir=${profileDir}`;
  const entries = await readdir('/proc').catch(() => []); // No /proc: not Linux, and the closed pipe has to do.
  const found = await Promise.all(
    entries.map(async (entry) => {
      if (!/^\d+$/.test(entry)) return [];
      const commandLine = await readFile(`/proc/${entry}/cmdline`, 'utf8').catch(() => '');
      return commandLine.split('\0').includes(argument) ? [Number(entry)] : [];
    }),
  );
  return found.flat();
}

function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false; // It ended between the look and the kill.
  }
}
