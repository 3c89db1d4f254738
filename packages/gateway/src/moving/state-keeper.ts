import type { NewRecord } from '../journal/frame.ts';

/** Keeps state of each session outside of its folder. The state moves along with the session. */
export interface StateKeeper {
  /** Its name in archives. */
  readonly name: string;
  /** Its state of a session, as JSON values of up to 500 KB. */
  partsOf(session: string): Iterable<unknown> | AsyncIterable<unknown>;
  /**
   * Prepares to take over a part from another gateway; its own state of the session is older. Throws if the part is
   * invalid, since it may be anything. Nothing changes until the returned records are in the journal or, for a keeper
   * without state on disk, the returned function is called.
   */
  learn(session: string, part: unknown): readonly NewRecord[] | (() => void);
  /**
   * Throws if that is more than it can keep: `records` are all that it has learned from an archive. Throws a
   * `GatewayError` if they will fit later, when its existing state has expired.
   */
  requireRoom?(session: string, records: readonly NewRecord[]): void;
}
