import { EVENT_ID } from '@chat-web/protocol';
import type { JournalRecord } from './frame.ts';

/** A part of a fold's state, as JSON. Deleted with its session; an empty `session`: belongs to none. */
export interface FoldPart {
  readonly session: string;
  readonly text: string;
}

/**
 * State derived from the records, in order. Each segment begins with it, so that a start reads one segment, not all. It
 * must not keep anything of a session after `forget` was applied.
 */
export interface Fold {
  /** Identifies its parts on disk. */
  readonly name: string;
  /** Called for each record once it is on disk, and for those of earlier processes. */
  apply(record: JournalRecord): void;
  /** Its current state, in parts of a few hundred KB at most. */
  parts(): Iterable<FoldPart>;
  /** Called with the parts of an earlier process, before any record. */
  restore(part: FoldPart): void;
}

/** Where the ids of one opening of the journal begin. */
interface Epoch {
  readonly id: string;
  readonly from: number;
}

/** A kill may leave a first segment with only a checkpoint: its end is a position, but no epoch is on disk. */
const BEFORE_ALL: Epoch = { id: '0', from: 0 };

/** Expired epochs are remembered up to this number: their ids are then known to be too old, not unknown. */
const MAX_EPOCHS = 1_000;

/**
 * The openings of the journal. A position belongs to the epoch that issued it: if the folder is restored from an older
 * copy, later positions of the epoch of that time are invalid, and so are those of later epochs.
 */
export class Epochs implements Fold {
  readonly name = 'epochs';
  #epochs: Epoch[] = [];

  apply({ kind, name, text }: JournalRecord): void {
    if (kind === 'epoch') this.#epochs = [...this.#epochs, { id: name, from: Number(text) }].slice(-MAX_EPOCHS);
  }

  *parts(): Iterable<FoldPart> {
    yield { session: '', text: JSON.stringify(this.#epochs) };
  }

  restore({ text }: FoldPart): void {
    this.#epochs = JSON.parse(text) as Epoch[]; // Ours: the checksum matches.
  }

  /** The id of the record with this seq. */
  idOf(seq: number): string {
    const { id } = this.#epochs.findLast(({ from }) => from <= seq) ?? BEFORE_ALL;
    return `${id}-${seq}`;
  }

  /** The seq of an id; undefined unless it was issued before `last`. */
  seqOf(id: string, last: number): number | undefined {
    const [, name, digits] = EVENT_ID.exec(id) ?? [];
    const epochs = [BEFORE_ALL, ...this.#epochs];
    const at = epochs.findIndex((epoch) => epoch.id === name);
    const [epoch, following] = [epochs[at], epochs[at + 1]];
    const seq = Number(digits);
    return epoch && seq >= epoch.from && seq < (following?.from ?? last + 1) ? seq : undefined;
  }
}

/** Sessions whose earlier records count as deleted. */
export class Forgotten implements Fold {
  readonly name = 'forgotten';
  readonly #seqs = new Map<string, number>();
  readonly #purged = new Set<string>();

  apply({ kind, session, seq, name, key, text }: JournalRecord): void {
    if (kind === 'forget') {
      this.#seqs.set(session, seq);
      this.#purged.delete(session);
    }
    // It may have been deleted again meanwhile.
    if (kind === 'note' && name === PURGED && this.#seqs.get(key) === Number(text)) this.#purged.add(key);
  }

  *parts(): Iterable<FoldPart> {
    yield { session: '', text: JSON.stringify(this.unpurged) };
  }

  restore({ text }: FoldPart): void {
    for (const [session, seq] of JSON.parse(text) as [string, number][]) this.#seqs.set(session, seq);
  }

  /** True for a record that must not be shown. */
  has(session: string, seq: number): boolean {
    const until = this.#seqs.get(session);
    return until !== undefined && seq < until;
  }

  /** Sessions whose records may still be on disk, each with the seq before which they are deleted. */
  get unpurged(): [session: string, seq: number][] {
    return [...this.#seqs].filter(([session]) => !this.#purged.has(session));
  }
}

/** The note that a session's records before a seq are off the disk. Its key is the session, its text the seq. */
export const PURGED = '$purged';
