import { GatewayError } from '@chat-web/protocol';
import { frameBytesOf, type NewRecord } from '../journal/frame.ts';
import type { Journal } from '../journal/journal.ts';
import { JournalShares, type SharedJournal } from './journal-shares.ts';

/** One key cannot use up the share of a session: the rest is for other keys and the operator. */
const PART_OF_KEY = 3 / 4;
const SECOND_MS = 1_000;

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
    for (const { shares, name, whose } of payers) {
      const waitMs = needs === 'nothing' ? 0 : shares.msUntil(name, bytes + PARTS[needs] * shares.maxBytes);
      if (waitMs > 0)
        throw new GatewayError(
          'rate_limited',
          `nothing was done: requests ${whose} have stored too much recently (CHAT_WEB_JOURNAL_MAX_MB)`,
          { retryAfterSeconds: Math.ceil(waitMs / SECOND_MS) },
        );
    }
    for (const { shares, name } of payers) shares.charge(name, bytes);
    try {
      await this.#journal.append(record);
    } catch (error) {
      for (const { shares, name } of payers) shares.refund(name, bytes);
      throw error;
    }
  }

  find(...asked: Parameters<Journal['find']>): ReturnType<Journal['find']> {
    return this.#journal.find(...asked);
  }

  #payersOf({ session }: NewRecord, keyId: string | undefined) {
    const ofSession = { shares: this.#sessions, name: session, whose: `for session ${session}` };
    const ofKey = keyId === undefined ? [] : [{ shares: this.#keys, name: keyId, whose: 'with this key' }];
    return session === '' ? ofKey : [...ofKey, ofSession];
  }
}
