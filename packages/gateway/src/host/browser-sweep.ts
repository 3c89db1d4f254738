import { setTimeout as delay } from 'node:timers/promises';
import { browsersOn, profilesBelow } from './browsers.ts';
import { isAlive, killProcess, listProcesses, type Process } from './processes.ts';

const GRACE_MS = 600;
const GONE_WITHIN_MS = 2_000;
const CHECK_EVERY_MS = 20;

/**
 * Ends what is left of our browsers on a profile, and waits until it is gone, for 2 s at most. A worker that died has
 * closed its browser's pipe, which a healthy browser obeys by itself, writing its profile: it gets 0.6 s. Then
 * everything that belongs to the browser is killed, also what has been stopped. Browsers that live under another
 * owner, or that somebody has started by hand, are left alone. Returns how many processes had to be killed.
 */
export async function endBrowsersOn(profileDir: string): Promise<number> {
  const startedAt = Date.now();
  const killed = new Set<number>();
  // One that is ending loses its command line before it has closed its files.
  let ending: readonly Process[] = [];
  for (;;) {
    const { ours } = browsersOn(profileDir, await listProcesses());
    ending = [...ours, ...ending.filter((one) => isAlive(one) && !ours.some(({ pid }) => pid === one.pid))];
    const waitedMs = Date.now() - startedAt;
    if (ending.length === 0 || waitedMs > GONE_WITHIN_MS) return killed.size;
    if (waitedMs > GRACE_MS) {
      // All of them are known before the first is gone; what they start meanwhile is met in the next round.
      for (const target of ending) if (killProcess(target)) killed.add(target.pid);
    }
    await delay(CHECK_EVERY_MS);
  }
}

/** Ends the browsers that an earlier gateway has left on the profiles below a folder. Returns how many there were. */
export async function sweepAtBoot(sessionsDir: string): Promise<number> {
  const all = await listProcesses();
  const left = profilesBelow(sessionsDir, all).filter((profileDir) => browsersOn(profileDir, all).ours.length > 0);
  await Promise.all(left.map(endBrowsersOn));
  return left.length;
}
