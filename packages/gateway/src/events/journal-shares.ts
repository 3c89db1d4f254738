import { GatewayError, MB } from '@chat-web/protocol';
import { Budget } from '../budget.ts';
import { frameBytesOf, type NewRecord } from '../journal/frame.ts';

export interface SharedJournal {
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

/*
 * How much a session may store. The journal is bounded by size, and the oldest segments are removed first: a compromised
 * worker could push out the events of all other sessions by reporting its own, and so could imported archives, and
 * requests with what is noted of them. Imports have a separate share of the same size, so that an archive leaves enough
 * for the catch-up after it; so have requests, which must not end the session. Keys have shares, too: one may cover many
 * sessions.
 *
 * At once: a quarter of the journal, 256 MB by default and 8 MB at least. A message of 100 characters takes about 420
 * bytes, an ack 100 to 150. A catch-up reports what the page has loaded, some 10,000 messages at most: 4 MB, or 10 MB if
 * each had a kilobyte.
 *
 * Then: another quarter in each retention time, or in 72 hours if that is shorter: 1,036 bytes a second by default, which
 * is 89 MB, or 200,000 typical messages, a day. At least 512 bytes a second, 100,000 messages a day, so that a small
 * journal does not end a busy account.
 *
 * So the worker of a session takes half of the default journal at most, its imports and its requests as much. Below
 * 500 MB, the other sessions lose events to a worker sooner than in 72 hours, but not at once: 32 MB last for 13 hours.
 */
const PART = 1 / 4;
const MAX_MS = 72 * 3_600_000;
const MIN_PER_SECOND = 512;

/**
 * What each session, or each key, has stored recently in one way. It outlives the session's runs and its deletion, but
 * not the gateway.
 */
export class JournalShares {
  readonly #limits: { readonly burst: number; readonly perSecond: number };
  readonly #budgets = new Map<string, Budget>();

  /** `part`: of the share above. */
  constructor({ maxBytes, maxAgeMs }: SharedJournal, part = 1) {
    const burst = maxBytes * PART;
    const perSecond = Math.max(MIN_PER_SECOND, burst / (Math.min(maxAgeMs, MAX_MS) / 1_000));
    this.#limits = { burst: burst * part, perSecond: perSecond * part };
  }

  /** Counts bytes of a session or key. `now` in milliseconds, monotonic. */
  charge(payer: string, bytes: number, now = performance.now()): void {
    this.#of(payer, now).charge(bytes, now);
  }

  /** How many bytes each may have stored at once. */
  get maxBytes(): number {
    return this.#limits.burst;
  }

  /** How many milliseconds from `now` until this many bytes are left, if nothing is stored meanwhile. */
  msUntil(payer: string, bytes: number, now = performance.now()): number {
    return this.#of(payer, now).msUntil(bytes, now);
  }

  #of(payer: string, now: number): Budget {
    const known = this.#budgets.get(payer);
    if (known) return known;
    // The events of a deleted session stay on disk for a while: its budget is kept until it is full again.
    for (const [other, one] of this.#budgets) if (one.isFull(now)) this.#budgets.delete(other);
    const budget = new Budget(this.#limits, now);
    this.#budgets.set(payer, budget);
    return budget;
  }

  /** How many have stored something recently. */
  get size(): number {
    return this.#budgets.size;
  }

  /** These bytes could not be stored: they may be reported again. */
  refund(payer: string, bytes: number, now = performance.now()): void {
    this.#budgets.get(payer)?.charge(-bytes, now);
  }

  /** True while more was stored than the share. `now` in milliseconds, monotonic. */
  isExceeded(payer: string, now = performance.now()): boolean {
    return this.#budgets.get(payer)?.isOverdrawn(now) ?? false;
  }
}

/** What imports have stored recently, for each session and each key. */
export class ImportShares {
  readonly #sessions: JournalShares;
  readonly #keys: JournalShares;
  readonly #journalBytes: number;

  constructor(limits: SharedJournal) {
    this.#sessions = new JournalShares(limits);
    this.#keys = new JournalShares(limits);
    this.#journalBytes = limits.maxBytes;
  }

  /**
   * Charges what an import is about to store, or throws and charges nothing: `body_too_large` if it can never fit,
   * `insufficient_resources` if other imports of this session, or with this key, were stored a short time ago.
   */
  charge(session: string, keyId: string | undefined, records: readonly NewRecord[]): void {
    const bytes = records.reduce((sum, record) => sum + frameBytesOf(record), 0);
    if (bytes > this.#sessions.maxBytes) {
      const [size, journal] = [bytes, this.#journalBytes].map((one) => `${Math.ceil(one / MB)} MB`);
      throw new GatewayError(
        'body_too_large',
        `the state of the archive (${size}) is more than a quarter of the journal of this gateway (${journal}): raise CHAT_WEB_JOURNAL_MAX_MB; nothing was changed`,
      );
    }
    const ofSession = this.#sessions.msUntil(session, bytes);
    const ofKey = keyId === undefined ? 0 : this.#keys.msUntil(keyId, bytes);
    const waitMs = Math.max(ofSession, ofKey);
    if (waitMs > 0)
      throw new GatewayError(
        'insufficient_resources',
        `imports ${ofKey > 0 ? 'with this key' : `of session ${session}`} have stored too much recently: retry later, or raise CHAT_WEB_JOURNAL_MAX_MB; nothing was changed`,
        { retryAfterSeconds: Math.ceil(waitMs / 1_000) },
      );
    this.#sessions.charge(session, bytes);
    if (keyId !== undefined) this.#keys.charge(keyId, bytes);
  }

  /** These records were not stored: they may be sent again. */
  refund(session: string, keyId: string | undefined, records: Iterable<NewRecord>): void {
    for (const record of records) {
      this.#sessions.refund(session, frameBytesOf(record));
      if (keyId !== undefined) this.#keys.refund(keyId, frameBytesOf(record));
    }
  }
}
