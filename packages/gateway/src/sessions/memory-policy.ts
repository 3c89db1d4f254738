/** What a session takes, and what it is doing. */
export interface MemoryReading {
  readonly bytes: number;
  readonly pending: number;
  /** For how long nothing has come in or gone out, in milliseconds. */
  readonly idleMs: number;
  /** Since it was last recycled; infinite for one that never was. Milliseconds. */
  readonly sinceRecycleMs: number;
}

/** The settings, in bytes. */
export interface MemoryMarks {
  readonly softBytes: number;
  readonly hardBytes: number;
}

/** What is known of a session's memory over its runs. */
export interface MemoryHistory {
  /** What it took once it had settled, in bytes; unknown before its first run has. */
  readonly levelBytes?: number;
  /** What it took when it was last recycled, until it is known what that has gained. */
  readonly recycledFromBytes?: number;
  /** How long to wait after one recycling before the next, in milliseconds. */
  readonly waitMs: number;
}

const IDLE_MS = 30_000;
const FIRST_WAIT_MS = 10 * 60_000;
const LONGEST_WAIT_MS = 24 * 60 * 60_000;
/** A session may grow by half over its own level before that counts as a leak. */
const GROWTH = 1.5;
/** A recycling that leaves the session with more than this share of what it took before has gained nothing. */
const NO_GAIN = 0.8;

/** Of a session that has not settled yet, and was never recycled. */
export const UNKNOWN: MemoryHistory = { waitMs: FIRST_WAIT_MS };

/**
 * The soft mark of one session, in bytes: an account with much history takes more than the setting from the start, and
 * is healthy. Never above the middle between its level and the hard mark, unless the setting is: one that leaks is
 * recycled while it is idle, before the hard mark ends it while it is busy. Infinite before its level is known.
 */
export function softMark({ levelBytes }: MemoryHistory, { softBytes, hardBytes }: MemoryMarks): number {
  if (levelBytes === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(softBytes, Math.min(GROWTH * levelBytes, (levelBytes + hardBytes) / 2));
}

/**
 * What to do about a session's memory: `recycle` one that is above its soft mark while it is idle; `end` one above the
 * hard mark whatever it does, before the kernel ends another process.
 */
export function memoryVerdict(
  reading: MemoryReading,
  history: MemoryHistory,
  marks: MemoryMarks,
): 'keep' | 'recycle' | 'end' {
  if (reading.bytes > marks.hardBytes) return 'end';
  const isIdle = reading.pending === 0 && reading.idleMs >= IDLE_MS;
  const mayGain = reading.sinceRecycleMs >= history.waitMs;
  return reading.bytes > softMark(history, marks) && isIdle && mayGain ? 'recycle' : 'keep';
}

/** The history once a run has settled at so many bytes. Waits double, up to a day, where a recycling gained nothing. */
export function settledAt(bytes: number, { recycledFromBytes, waitMs }: MemoryHistory): MemoryHistory {
  if (recycledFromBytes === undefined) return { levelBytes: bytes, waitMs };
  const hasGained = bytes <= NO_GAIN * recycledFromBytes;
  return { levelBytes: bytes, waitMs: hasGained ? FIRST_WAIT_MS : Math.min(LONGEST_WAIT_MS, 2 * waitMs) };
}

const INTERVAL_MS = 30_000;
const CLOSE_INTERVAL_MS = 5_000;
const CLOSEST_INTERVAL_MS = 2_000;

/** How soon to look again, in milliseconds: growth towards a mark is watched more closely, so that it is not overshot. */
export function nextLook(bytes: number, history: MemoryHistory, marks: MemoryMarks): number {
  const nearest = Math.min(softMark(history, marks), marks.hardBytes);
  if (bytes > nearest) return CLOSEST_INTERVAL_MS;
  return bytes > nearest / 2 ? CLOSE_INTERVAL_MS : INTERVAL_MS;
}
