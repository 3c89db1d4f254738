const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 300_000;
const WINDOW_MS = 10 * 60_000;
const MOST_FAILURES_IN_WINDOW = 6;
/** A session that has been ready for so long has recovered, and starts over with short delays. */
export const RECOVERED_AFTER_MS = 5 * 60_000;

/**
 * How long to wait, in milliseconds, after the failures at these times (milliseconds, oldest first, the newest being
 * the one at hand). Delays double, with jitter so that sessions which fell together do not rise together; six failures
 * within ten minutes mean that trying often does not help. It never ends: a network that is away for a night comes back.
 */
export function restartDelay(failures: readonly number[], random: () => number): number {
  const now = failures.at(-1) ?? 0;
  const isHopeless = failures.filter((time) => now - time < WINDOW_MS).length >= MOST_FAILURES_IN_WINDOW;
  const doubled = FIRST_DELAY_MS * 2 ** Math.max(0, failures.length - 1);
  return Math.round(Math.min(LONGEST_DELAY_MS, isHopeless ? LONGEST_DELAY_MS : doubled) * (0.5 + random() / 2));
}
