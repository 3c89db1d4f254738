import { GatewayError, SECOND_MS } from '@chat-web/protocol';
import { frameBytesOf, type NewRecord } from '../journal/frame.ts';
import type { Journal } from '../journal/journal.ts';
import { JournalShares, type SharedJournal } from './journal-shares.ts';

/** One key cannot use up the share of a session: the rest is for other keys and the operator. */
const PART_OF_KEY = 3 / 4;

/** A session or key, whose share a record counts in. */
interface Payer {
  readonly shares: JournalShares;
  readonly name: string;
  readonly whose: string;
}

/**
 * What must be left of the shares for a record: `room` for itself; more, `half` or an `eighth` of the share, for one that
 * can be done without, or stored later, so that these leave room for others; `nothing` for one that has to follow another.
 */
export type Needs = 'room' | 'half' | 'eighth' | 'nothing';
const PARTS = { room: 0, half: 1 / 2, eighth: 1 / 8 } as const;

/**
 * The journal for what is stored because of requests, besides the events of workers: each record is charged to its
 * session, if it has one, and to the key that caused it.
 */
export class RequestJournal {
  readonly #journal: Pick<Journal, 'append' | 'find'>;
  readonly #sessions: JournalShares;
  readonly #keys: JournalShares;

  constructor(journal: Pick<Journal, 'append' | 'find'>, limits: SharedJournal) {
    this.#journal = journal;
    this.#sessions = new JournalShares(limits);
    this.#keys = new JournalShares(limits, PART_OF_KEY);
  }

  /**
   * Resolves when the record is on disk. Rejects as `Journal.append`, and with `rate_limited` if the shares lack what it
   * needs. `keyId`: undefined for the operator.
   */
  async append(record: NewRecord, keyId: string | undefined, needs: Needs = 'room'): Promise<void> {
    const bytes = frameBytesOf(record);
    const payers = this.#payersOf(record, keyId);
    if (needs !== 'nothing')
      for (const payer of payers) requireShare(payer, bytes + PARTS[needs] * payer.shares.maxBytes);
    for (const { shares, name } of payers) shares.charge(name, bytes);
    try {
      await this.#journal.append(record);
    } catch (error) {
      for (const { shares, name } of payers) shares.refund(name, bytes);
      throw error;
    }
  }

  /** Charges a key for what others are about to store because of its request. `rate_limited` as `append`. */
  chargeKey(keyId: string, bytes: number): void {
    requireShare(this.#ofKey(keyId), bytes);
    this.#keys.charge(keyId, bytes);
  }

  find(...asked: Parameters<Journal['find']>): ReturnType<Journal['find']> {
    return this.#journal.find(...asked);
  }

  #payersOf({ session }: NewRecord, keyId: string | undefined): Payer[] {
    const ofSession = { shares: this.#sessions, name: session, whose: `for session ${session}` };
    const ofKey = keyId === undefined ? [] : [this.#ofKey(keyId)];
    return session === '' ? ofKey : [...ofKey, ofSession];
  }

  #ofKey(keyId: string): Payer {
    return { shares: this.#keys, name: keyId, whose: 'with this key' };
  }
}

function requireShare({ shares, name, whose }: Payer, bytes: number): void {
  const waitMs = shares.msUntil(name, bytes);
  if (waitMs === 0) return;
  throw new GatewayError(
    'rate_limited',
    `nothing was done: requests ${whose} have stored too much recently (CHAT_WEB_JOURNAL_MAX_MB)`,
    { retryAfterSeconds: Math.ceil(waitMs / SECOND_MS) },
  );
}
