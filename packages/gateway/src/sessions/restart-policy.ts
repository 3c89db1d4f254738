/** What is to be done after a worker has ended unasked. */
export type Restart = { readonly restartInMs: number } | { readonly giveUp: string };

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 300_000;
const WINDOW_MS = 10 * 60_000;
const MOST_FAILURES_IN_WINDOW = 6;
/** A session that has been ready for so long has recovered, and starts over with short delays. */
export const RECOVERED_AFTER_MS = 5 * 60_000;

/**
 * Decides from the times of a session's failures (milliseconds, oldest first, the newest being the one at hand).
 * Delays double, with jitter so that sessions which fell together do not rise together.
 */
export function afterFailure(failures: readonly number[], random: () => number): Restart {
  const now = failures.at(-1) ?? 0;
  if (failures.filter((time) => now - time < WINDOW_MS).length >= MOST_FAILURES_IN_WINDOW) {
    return { giveUp: `${MOST_FAILURES_IN_WINDOW} failures within ${WINDOW_MS / 60_000} minutes` };
  }
  const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures.length - 1));
  return { restartInMs: Math.round(longest * (0.5 + random() / 2)) };
}
