import { GatewayError } from '@chat-web/protocol';
import { Budget } from '../budget.ts';
import { frameBytesOf, type NewRecord } from '../journal/frame.ts';

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
const MAX_MS = 72 * 3_600_000;
const MIN_PER_SECOND = 512;
const MB = 1_048_576;

/**
 * What each session has stored recently, through its worker or through imports. It outlives the session's runs and its
 * deletion, but not the gateway.
 */
export class JournalShares {
  readonly #limits: { readonly burst: number; readonly perSecond: number };
  readonly #budgets = new Map<string, Budget>();

  constructor({ maxBytes, maxAgeMs }: SharedJournal) {
    const burst = maxBytes * PART;
    const perSecond = burst / (Math.min(maxAgeMs, MAX_MS) / 1_000);
    this.#limits = { burst, perSecond: Math.max(MIN_PER_SECOND, perSecond) };
  }

  /** Counts a record of a session. `now` in milliseconds, monotonic. */
  charge(record: NewRecord, now = performance.now()): void {
    this.#of(record.session, now).charge(frameBytesOf(record), now);
  }

  /** How many bytes a session may have stored at once. */
  get maxBytes(): number {
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

/** What imports have stored recently, for each session. */
export class ImportShares {
  readonly #shares: JournalShares;
  readonly #journalBytes: number;

  constructor(limits: SharedJournal) {
    this.#shares = new JournalShares(limits);
    this.#journalBytes = limits.maxBytes;
  }

  /**
   * Charges what an import is about to store, or throws and charges nothing: `body_too_large` if it can never fit,
   * `insufficient_resources` if other imports of this session were stored a short time ago.
   */
  charge(session: string, records: readonly NewRecord[]): void {
    const bytes = records.reduce((sum, record) => sum + frameBytesOf(record), 0);
    if (bytes > this.#shares.maxBytes) {
      const [size, journal] = [bytes, this.#journalBytes].map((one) => `${Math.ceil(one / MB)} MB`);
      throw new GatewayError(
        'body_too_large',
        `the state of the archive (${size}) is more than a quarter of the journal of this gateway (${journal}): raise CHAT_WEB_JOURNAL_MAX_MB; nothing was changed`,
      );
    }
    const waitMs = this.#shares.msUntil(session, bytes);
    if (waitMs > 0)
      throw new GatewayError(
        'insufficient_resources',
        `imports of session ${session} have stored too much recently: retry later, or raise CHAT_WEB_JOURNAL_MAX_MB; nothing was changed`,
        { retryAfterSeconds: Math.ceil(waitMs / 1_000) },
      );
    for (const record of records) this.#shares.charge(record);
  }

  /** These records were not stored: they may be sent again. */
  refund(records: Iterable<NewRecord>): void {
    for (const record of records) this.#shares.refund(record);
  }
}
