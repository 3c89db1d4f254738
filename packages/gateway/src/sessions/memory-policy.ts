/** What a session takes, and what it is doing. */
export interface MemoryReading {
  readonly bytes: number;
  readonly pending: number;
  /** For how long nothing has come in or gone out, in milliseconds. */
  readonly idleMs: number;
  /** Since it was last recycled; infinite for one that never was. Milliseconds. */
  readonly sinceRecycleMs: number;
}

/** The marks, in bytes. */
export interface MemoryMarks {
  readonly softBytes: number;
  readonly hardBytes: number;
}

const IDLE_MS = 30_000;
/** One that takes as much again at once has gained nothing by it. */
const RECYCLE_INTERVAL_MS = 10 * 60_000;

/**
 * What is to be done about a session's memory: `recycle` one that is above the soft mark, when nobody misses it;
 * `end` one above the hard mark whatever it does, before the kernel ends somebody else.
 */
export function memoryVerdict(
  reading: MemoryReading,
  { softBytes, hardBytes }: MemoryMarks,
): 'keep' | 'recycle' | 'end' {
  if (reading.bytes > hardBytes) return 'end';
  const isIdle = reading.pending === 0 && reading.idleMs >= IDLE_MS;
  const mayGain = reading.sinceRecycleMs >= RECYCLE_INTERVAL_MS;
  return reading.bytes > softBytes && isIdle && mayGain ? 'recycle' : 'keep';
}

const INTERVAL_MS = 30_000;
const CLOSE_INTERVAL_MS = 5_000;
const CLOSEST_INTERVAL_MS = 2_000;

/** How soon to look again, in milliseconds: what grows is watched more closely, so that no mark is overshot by much. */
export function nextLook(bytes: number, { softBytes }: MemoryMarks): number {
  if (bytes > softBytes) return CLOSEST_INTERVAL_MS;
  return bytes > softBytes / 2 ? CLOSE_INTERVAL_MS : INTERVAL_MS;
}
