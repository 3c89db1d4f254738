import { Budget } from '../budget.ts';
import { frameBytesOf, type NewRecord } from '../journal/frame.ts';

/** The journal's limits. */
export interface SharedJournal {
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

/*
 * How much a session may store. The journal is bounded by size, and the oldest segments are removed first: a compromised
 * worker could push out the events of all other sessions by reporting its own, and so could imported archives. Imports
 * have a separate share of the same size, so that an archive leaves enough for the catch-up after it.
 *
 * At once: a quarter of the journal, 256 MB by default and 8 MB at least. A message of 100 characters takes about 420
 * bytes, an ack 100 to 150. A catch-up reports what the page has loaded, some 10,000 messages at most: 4 MB, or 10 MB if
 * each had a kilobyte.
 *
 * Then: another quarter in each retention time, or in 72 hours if that is shorter: 1,036 bytes a second by default, which
 * is 89 MB, or 200,000 typical messages, a day. At least 512 bytes a second, 100,000 messages a day, so that a small
 * journal does not end a busy account.
 *
 * So the worker of a session takes half of the default journal at most, and its imports as much again. Below 500 MB, the
 * other sessions lose events to a worker sooner than in 72 hours, but not at once: 32 MB last for 13 hours.
 */
const PART = 1 / 4;
const LONGEST_MS = 72 * 3_600_000;
const LEAST_PER_SECOND = 512;

/**
 * What each session has stored recently, through its worker or through imports. It outlives the session's runs and its
 * deletion, but not the gateway.
 */
export class JournalShares {
  readonly #limits: { readonly burst: number; readonly perSecond: number };
  readonly #budgets = new Map<string, Budget>();

  constructor({ maxBytes, maxAgeMs }: SharedJournal) {
    const burst = maxBytes * PART;
    const perSecond = burst / (Math.min(maxAgeMs, LONGEST_MS) / 1_000);
    this.#limits = { burst, perSecond: Math.max(LEAST_PER_SECOND, perSecond) };
  }

  /** Counts a record of a session. `now` in milliseconds, monotonic. */
  charge(record: NewRecord, now = performance.now()): void {
    this.#of(record.session, now).charge(frameBytesOf(record), now);
  }

  /** How many bytes a session may have stored at once. */
  get mostBytes(): number {
    return this.#limits.burst;
  }

  /** How many milliseconds from `now` until a session has this many bytes left, if nothing is stored meanwhile. */
  msUntil(session: string, bytes: number, now = performance.now()): number {
    return this.#of(session, now).msUntil(bytes, now);
  }

  #of(session: string, now: number): Budget {
    const known = this.#budgets.get(session);
    if (known) return known;
    // The events of a deleted session stay on disk for a while: its budget is kept until it is full again.
    for (const [other, one] of this.#budgets) if (one.isFull(now)) this.#budgets.delete(other);
    const budget = new Budget(this.#limits, now);
    this.#budgets.set(session, budget);
    return budget;
  }

  /** How many sessions have stored something recently. */
  get size(): number {
    return this.#budgets.size;
  }

  /** The record could not be stored: it may be reported again. */
  refund(record: NewRecord, now = performance.now()): void {
    this.#budgets.get(record.session)?.charge(-frameBytesOf(record), now);
  }

  /** True while a session has stored more than its share. `now` in milliseconds, monotonic. */
  isExceeded(session: string, now = performance.now()): boolean {
    return this.#budgets.get(session)?.isOverdrawn(now) ?? false;
  }
}
