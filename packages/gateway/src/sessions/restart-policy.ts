/** The failures of a session since it was last healthy. */
export interface RestartHistory {
  readonly failedStarts: number;
  /** When runs that were up failed, in milliseconds of the monotonic clock, oldest first. */
  readonly crashes: readonly number[];
}

/** The history of a healthy session: at its first start, or after five minutes of `ready`. */
export const HEALTHY: RestartHistory = { failedStarts: 0, crashes: [] };

/** A session that has been ready for this long is healthy. */
export const RECOVERED_AFTER_MS = 5 * 60_000;

const FIRST_DELAY_MS = 1_000;
/** A session that was up is retried early. */
const MAX_DELAY_AFTER_CRASH_MS = 5_000;
const TRIAL_INTERVAL_MS = 5 * 60_000;
/** With the trial that follows, at most six starts in ten minutes. */
const MAX_FAILED_STARTS = 5;
const CRASH_WINDOW_MS = 10 * 60_000;
const MAX_CRASHES_IN_WINDOW = 30;
/** After a refused start; nothing ran, so the delay does not grow. */
export const REFUSED_DELAY_MS = 30_000;
/** A restart does not help a page that lacks an essential part; its next build may. */
export const UNSUPPORTED_DELAY_MS = 60 * 60_000;

export interface RunEnd {
  readonly at: number;
  /** The run had shown a QR or become ready. */
  readonly wasUp: boolean;
}

export function afterFailure({ failedStarts, crashes }: RestartHistory, { at, wasUp }: RunEnd): RestartHistory {
  const recent = crashes.filter((time) => at - time < CRASH_WINDOW_MS);
  return wasUp ? { failedStarts: 0, crashes: [...recent, at] } : { failedStarts: failedStarts + 1, crashes: recent };
}

/** True while frequent retries do not help: then there is one every five minutes, for as long as it takes. */
export function isBroken({ failedStarts, crashes }: RestartHistory): boolean {
  return failedStarts >= MAX_FAILED_STARTS || crashes.length >= MAX_CRASHES_IN_WINDOW;
}

/**
 * How long to wait before the next start, in milliseconds. Delays double. Retries never end: a network that is down for a
 * night comes back.
 */
export function restartDelay(history: RestartHistory, random: () => number): number {
  if (isBroken(history)) return TRIAL_INTERVAL_MS; // Already spread by the jitter of the earlier delays.
  const { failedStarts, crashes } = history;
  const doubled =
    failedStarts > 0
      ? FIRST_DELAY_MS * 2 ** (failedStarts - 1)
      : Math.min(MAX_DELAY_AFTER_CRASH_MS, FIRST_DELAY_MS * 2 ** Math.max(0, crashes.length - 1));
  return withJitter(doubled, random);
}

/** So that sessions that failed together do not restart together. */
export function withJitter(delayMs: number, random: () => number): number {
  return Math.round(delayMs * (0.5 + random() / 2));
}

const HOST_WINDOW_MS = 60_000;
const MIN_FAILURES_FOR_HOST = 3;

/**
 * True if so many sessions failed within a minute, and are still down, that the host or its network is at fault.
 * `failedAt`: when each session that is down failed; `running`: how many sessions should run.
 */
export function isHostAtFault(failedAt: readonly number[], running: number, now: number): boolean {
  const recent = failedAt.filter((time) => now - time < HOST_WINDOW_MS).length;
  return recent >= Math.max(MIN_FAILURES_FOR_HOST, running / 2);
}

const FIRST_PAUSE_MS = 30_000;

/** How long all starts pause when the host is at fault, the nth time in a row (from 0), in milliseconds. */
export function pauseLength(nth: number): number {
  return Math.min(TRIAL_INTERVAL_MS, FIRST_PAUSE_MS * 2 ** nth);
}

const TAKE_OVER_WINDOW_MS = 60 * 60_000;
const TAKE_OVER_DELAY_MS = 30_000;
/** The most take-overs in an hour, and how many are remembered. */
export const MAX_TAKE_OVERS = 3;

/**
 * How long to wait before taking back an account that is used elsewhere, in milliseconds: the other side may do the
 * same. `takeOvers`: when it was taken back before, oldest first.
 */
export function takeOverDelay(takeOvers: readonly number[], now: number): number {
  const oldestThatCounts = takeOvers.at(-MAX_TAKE_OVERS) ?? Number.NEGATIVE_INFINITY;
  return Math.max(TAKE_OVER_DELAY_MS, oldestThatCounts + TAKE_OVER_WINDOW_MS - now);
}
