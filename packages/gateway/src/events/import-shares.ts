import { GatewayError } from '@chat-web/protocol';
import { frameBytesOf, type NewRecord } from '../journal/frame.ts';
import { JournalShares, type SharedJournal } from './journal-shares.ts';

const MB = 1_048_576;

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
    if (bytes > this.#shares.mostBytes) {
      const [most, journal] = [bytes, this.#journalBytes].map((one) => `${Math.ceil(one / MB)} MB`);
      throw new GatewayError(
        'body_too_large',
        `the state of the archive (${most}) is more than a quarter of the journal of this gateway (${journal}): raise CHAT_WEB_JOURNAL_MAX_MB; nothing was changed`,
      );
    }
    const waitMs = this.#shares.msUntil(session, bytes);
    if (waitMs > 0)
      throw new GatewayError(
        'insufficient_resources',
        `imports of session ${session} have stored too much of late: try again later, or raise CHAT_WEB_JOURNAL_MAX_MB; nothing was changed`,
        { retryAfterSeconds: Math.ceil(waitMs / 1_000) },
      );
    for (const record of records) this.#shares.charge(record);
  }

  /** These records were not stored: they may be sent again. */
  refund(records: Iterable<NewRecord>): void {
    for (const record of records) this.#shares.refund(record);
  }
}
