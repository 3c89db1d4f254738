/** How a session has fared since it was last well. */
export interface RestartHistory {
  /** Starts in a row that came to nothing. */
  readonly failedStarts: number;
  /** When runs that had come up ended unasked, in milliseconds of the monotonic clock, oldest first. */
  readonly crashes: readonly number[];
}

/** Of a session that is well: a first start, or five minutes of `ready`. */
export const WELL: RestartHistory = { failedStarts: 0, crashes: [] };

/** A session that has been ready for so long is well. */
export const RECOVERED_AFTER_MS = 5 * 60_000;

const FIRST_DELAY_MS = 1_000;
/** One that did come up is worth an early try. */
const LONGEST_DELAY_AFTER_CRASH_MS = 5_000;
const TRIAL_INTERVAL_MS = 5 * 60_000;
/** With the trial that follows, six starts in ten minutes at most. */
const MOST_FAILED_STARTS = 5;
const CRASH_WINDOW_MS = 10 * 60_000;
const MOST_CRASHES_IN_WINDOW = 30;
/** Nothing has been tried: no reason to wait longer the next time. */
const REFUSED_DELAY_MS = 30_000;

/** What has just failed. */
export interface RunEnd {
  readonly at: number;
  /** The run had shown a QR or become ready. */
  readonly cameUp: boolean;
}

/** The history with one more failure. */
export function afterFailure({ failedStarts, crashes }: RestartHistory, { at, cameUp }: RunEnd): RestartHistory {
  const recent = crashes.filter((time) => at - time < CRASH_WINDOW_MS);
  return cameUp ? { failedStarts: 0, crashes: [...recent, at] } : { failedStarts: failedStarts + 1, crashes: recent };
}

/** True while trying often does not help: only trials are made, one every five minutes, for as long as it takes. */
export function isBroken({ failedStarts, crashes }: RestartHistory): boolean {
  return failedStarts >= MOST_FAILED_STARTS || crashes.length >= MOST_CRASHES_IN_WINDOW;
}

/**
 * How long to wait before the next start, in milliseconds. Delays double, with jitter so that sessions which fell
 * together do not rise together. It never ends: a network that is away for a night comes back.
 */
export function restartDelay(history: RestartHistory, random: () => number): number {
  if (isBroken(history)) return TRIAL_INTERVAL_MS; // Apart already, by the jitter of the delays before.
  const { failedStarts, crashes } = history;
  const doubled =
    failedStarts > 0
      ? FIRST_DELAY_MS * 2 ** (failedStarts - 1)
      : Math.min(LONGEST_DELAY_AFTER_CRASH_MS, FIRST_DELAY_MS * 2 ** Math.max(0, crashes.length - 1));
  return withJitter(doubled, random);
}

/** How long to wait after a start that was refused for want of something, in milliseconds. */
export function refusedDelay(random: () => number): number {
  return withJitter(REFUSED_DELAY_MS, random);
}

/** A page that lacks what everything needs is not mended by a restart, but by its next build. */
const UNSUPPORTED_DELAY_MS = 60 * 60_000;

/** How long to wait before a page is tried again that lacked what everything needs, in milliseconds. */
export function unsupportedDelay(random: () => number): number {
  return withJitter(UNSUPPORTED_DELAY_MS, random);
}

function withJitter(delayMs: number, random: () => number): number {
  return Math.round(delayMs * (0.5 + random() / 2));
}

const HOST_WINDOW_MS = 60_000;
const FEWEST_FOR_HOST = 3;

/**
 * True if so many sessions have failed within a minute, and not come up again since, that the host or its network
 * is at fault rather than they. `failedAt`: when each of those failed that are down; `running`: how many there are.
 */
export function isHostAtFault(failedAt: readonly number[], running: number, now: number): boolean {
  const recent = failedAt.filter((time) => now - time < HOST_WINDOW_MS).length;
  return recent >= Math.max(FEWEST_FOR_HOST, running / 2);
}

const FIRST_PAUSE_MS = 30_000;

/** How long all starts pause for the host's sake, the nth time in a row (from 0), in milliseconds. */
export function pauseLength(nth: number): number {
  return Math.min(TRIAL_INTERVAL_MS, FIRST_PAUSE_MS * 2 ** nth);
}

const TAKE_OVER_WINDOW_MS = 60 * 60_000;
const TAKE_OVER_DELAY_MS = 30_000;
/** How many take-overs there may be in an hour, and so how many are to be remembered. */
export const MOST_TAKE_OVERS = 3;

/**
 * How long to wait before an account that is used elsewhere is taken back once more, in milliseconds: whoever is there
 * may do the same. `takeOvers`: when it was done before, oldest first.
 */
export function takeOverDelay(takeOvers: readonly number[], now: number): number {
  const oldestThatCounts = takeOvers.at(-MOST_TAKE_OVERS) ?? Number.NEGATIVE_INFINITY;
  return Math.max(TAKE_OVER_DELAY_MS, oldestThatCounts + TAKE_OVER_WINDOW_MS - now);
}
