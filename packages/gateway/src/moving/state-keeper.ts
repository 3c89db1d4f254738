import type { NewRecord } from '../journal/frame.ts';

/** What keeps something of each session outside of its folder: it moves along with the session. */
export interface StateKeeper {
  /** In archives. */
  readonly name: string;
  /** What it knows of a session, as JSON values of up to 500 KB. */
  partsOf(session: string): Iterable<unknown> | AsyncIterable<unknown>;
  /**
   * Takes over a part from another gateway. What it knows of the session already is older. Throws if the part is invalid:
   * it may be anything. Otherwise nothing is known yet; that takes the records to be in the journal, or, where it keeps
   * nothing on disk, the function to be called.
   */
  learn(session: string, part: unknown): readonly NewRecord[] | (() => void);
  /**
   * Throws if that is more than it can keep: `records` are all that it has learned from an archive. A `GatewayError` if they
   * fit later, when what it knows already has expired.
   */
  requireRoom?(session: string, records: readonly NewRecord[]): void;
}
