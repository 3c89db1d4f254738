export interface MemoryReading {
  readonly bytes: number;
  readonly pending: number;
  /** Time without traffic, in milliseconds. */
  readonly idleMs: number;
  /** Time since it was last recycled, in milliseconds; infinite if never. */
  readonly sinceRecycleMs: number;
}

export interface MemoryMarks {
  readonly softBytes: number;
  readonly hardBytes: number;
}

/** What is known about a session's memory over its runs. */
export interface MemoryHistory {
  /** Its level once it had settled, in bytes; absent before that. */
  readonly levelBytes?: number;
  /** Its memory before the last recycling, until the gain is known. */
  readonly recycledFromBytes?: number;
  /** How long to wait after one recycling before the next, in milliseconds. */
  readonly waitMs: number;
}

const IDLE_MS = 30_000;
const FIRST_WAIT_MS = 10 * 60_000;
/** The longest wait between two recyclings that gained nothing. */
export const MAX_WAIT_MS = 24 * 60 * 60_000;
/** Growth by half over its own level counts as a leak. */
const GROWTH = 1.5;
/** A recycling that leaves more than this share of the memory gained nothing. */
const NO_GAIN = 0.8;

/** The history of a session that has not settled yet. */
export const UNKNOWN: MemoryHistory = { waitMs: FIRST_WAIT_MS };

/**
 * The soft mark of one session, in bytes: an account with much history exceeds the setting from the start, and is
 * healthy. At most the middle between its level and the hard mark, unless the setting is higher: a leak should be
 * recycled while the session is idle, before the hard mark ends it while it is busy. Infinite before the level is
 * known.
 */
export function softMark({ levelBytes }: MemoryHistory, { softBytes, hardBytes }: MemoryMarks): number {
  if (levelBytes === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(softBytes, Math.min(GROWTH * levelBytes, (levelBytes + hardBytes) / 2));
}

export type MemoryVerdict = 'keep' | 'recycle' | 'end';

/**
 * What to do about a session's memory: `recycle` it above its soft mark while it is idle; `end` it above the hard mark,
 * busy or not, before the kernel kills another process.
 */
export function memoryVerdict(reading: MemoryReading, history: MemoryHistory, marks: MemoryMarks): MemoryVerdict {
  if (reading.bytes > marks.hardBytes) return 'end';
  const isIdle = reading.pending === 0 && reading.idleMs >= IDLE_MS;
  const mayGain = reading.sinceRecycleMs >= history.waitMs;
  return reading.bytes > softMark(history, marks) && isIdle && mayGain ? 'recycle' : 'keep';
}

/** The history after a run has settled at a level. Waits double, up to a day, if recycling gained nothing. */
export function settledAt(bytes: number, { recycledFromBytes, waitMs }: MemoryHistory): MemoryHistory {
  if (recycledFromBytes === undefined) return { levelBytes: bytes, waitMs };
  const hasGained = bytes <= NO_GAIN * recycledFromBytes;
  return { levelBytes: bytes, waitMs: hasGained ? FIRST_WAIT_MS : Math.min(MAX_WAIT_MS, 2 * waitMs) };
}

const INTERVAL_MS = 30_000;
const CLOSE_INTERVAL_MS = 5_000;
const CLOSEST_INTERVAL_MS = 2_000;

/** When to measure again, in milliseconds: more often near a mark, so that it is not overshot. */
export function measurementIntervalMs(bytes: number, history: MemoryHistory, marks: MemoryMarks): number {
  const nearest = Math.min(softMark(history, marks), marks.hardBytes);
  if (bytes > nearest) return CLOSEST_INTERVAL_MS;
  return bytes > nearest / 2 ? CLOSE_INTERVAL_MS : INTERVAL_MS;
}
