import type { AnswerOf, aboutHost } from '@chat-web/protocol';
import type * as v from 'valibot';

export type AboutHost = v.InferOutput<typeof aboutHost>;

/** The end of the journal: what is on this disk. */
export interface JournalEnd {
  readonly lastSeq: number;
  idOf(seq: number): string;
  /** Undefined for an id that this journal has not issued. */
  seqOf(id: string): number | undefined;
}

export type HostView = AnswerOf<'listHosts'>['hosts'][number];

/** The hosts that share the sessions, of which this gateway is one. */
export interface Cluster {
  /**
   * Resolves once this gateway may run the sessions of its data folder, which takes until the last one has given them
   * up. Rejects with a ConfigError if the folder is an older copy, or of no host.
   */
  claim(journal: JournalEnd): Promise<void>;
  /** Tells the others that this gateway lives. `onDisplaced`: another one has claimed the folder. */
  begin(about: () => AboutHost, onDisplaced: () => void): void;
  hosts(): Promise<HostView[]>;
  /** An operator has checked that the machine of a host is off. `host_not_found`, `host_is_live`. */
  confirmOff(id: string): Promise<HostView>;
  /** Nothing of this gateway runs any more: another one may claim the folder. Never rejects. */
  release(): Promise<void>;
}
