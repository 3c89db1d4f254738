import { setTimeout as delay } from 'node:timers/promises';
import { browsersOn, profilesBelow } from './browsers.ts';
import { isAlive, killProcess, listProcesses, type Process } from './processes.ts';

const GRACE_MS = 600;
/** How long killed processes may take to exit. */
const EXIT_MS = 1_400;
const CHECK_EVERY_MS = 20;

/**
 * Kills the browsers that dead workers left on a profile, and waits up to 2 s until they are gone. A healthy browser
 * exits by itself when its worker's pipe closes, and saves its profile: it has 0.6 s for that. Then all of its
 * processes are killed, including stopped ones. Browsers of live workers and those started by hand are left alone.
 * Returns the number of killed processes.
 */
export async function endBrowsersOn(profileDir: string, graceMs = GRACE_MS): Promise<number> {
  const startedAt = Date.now();
  const killed = new Set<number>();
  // An exiting process loses its command line before it closes its files.
  let ending: readonly Process[] = [];
  for (;;) {
    const { ours } = browsersOn(profileDir, await listProcesses());
    ending = [...ours, ...ending.filter((one) => isAlive(one) && !ours.some(({ pid }) => pid === one.pid))];
    const waitedMs = Date.now() - startedAt;
    if (ending.length === 0 || waitedMs > graceMs + EXIT_MS) return killed.size;
    if (waitedMs > graceMs) {
      // All are listed before the first is killed; processes they start meanwhile are killed in the next round.
      for (const target of ending) if (killProcess(target)) killed.add(target.pid);
    }
    await delay(CHECK_EVERY_MS);
  }
}

/** Kills the browsers that a previous gateway left on the profiles below a folder. Returns the number of profiles. */
export async function sweepAtBoot(sessionsDir: string): Promise<number> {
  const all = await listProcesses();
  const left = profilesBelow(sessionsDir, all).filter((profileDir) => browsersOn(profileDir, all).ours.length > 0);
  await Promise.all(left.map((profileDir) => endBrowsersOn(profileDir)));
  return left.length;
}
