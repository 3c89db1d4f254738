import { BoundedMap, EVENT_ID, listOf } from '@chat-web/protocol';
import * as v from 'valibot';
import { chunksOf } from '../chunks-of.ts';
import { type JournalRecord, writtenSeq } from './frame.ts';

/** State of each session, in parts. A checkpoint has the parts of all sessions, a move those of one. */
interface StateParts {
  readonly name: string;
  /** The state of a session, as JSON values of up to 500 KB. */
  partsOf(session: string): Iterable<unknown>;
  /** Merges a part into the state of its session, which is older. `seq`: of the record with the part. */
  restore(session: string, part: unknown, seq: number): void | Promise<void>;
}

/**
 * State derived from the records, in order. Each segment begins with it, so that a start reads one segment, not all. It
 * must not keep anything of a session after `forget` was applied.
 */
export interface Fold extends StateParts {
  /** The schema of the parts in a checkpoint: a worker can write to the file. */
  readonly stored: v.GenericSchema;
  /** The schema of the parts of a move. Absent: none are moved. */
  readonly part?: v.GenericSchema;
  /**
   * Called for each record once it is on disk, and for those of earlier processes. Throws, and changes nothing, if its
   * content is not ours.
   */
  apply(record: JournalRecord): void;
  /** The sessions with state. An empty one: state that belongs to none. */
  sessions(): Iterable<string>;
}

export function* checkpointParts(fold: Fold): Iterable<{ readonly session: string; readonly text: string }> {
  for (const session of fold.sessions())
    for (const part of fold.partsOf(session)) yield { session, text: JSON.stringify(part) };
}

export interface RecordFinder {
  findAll(seqs: readonly number[]): AsyncIterable<JournalRecord>;
}

export interface MovingState extends StateParts {
  /** The schema of its parts: another gateway may send anything. */
  readonly part: v.GenericSchema;
  /** The parts of a move, if they differ from those of a checkpoint. */
  partsToMove?(session: string, journal: RecordFinder): AsyncIterable<unknown>;
  /**
   * Throws if these parts are more than it can keep for a session. Throws a `GatewayError` if they will fit later, when
   * its existing state has expired.
   */
  requireRoom?(session: string, parts: readonly unknown[]): void;
  /** Called for a session that arrives without parts: removes those of an earlier session with this id. */
  clear?(session: string): Promise<void>;
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

const epoch = v.strictObject({ id: v.pipe(v.string(), v.regex(/^[0-9a-z]{1,32}$/)), from: writtenSeq });
const forgotten = v.strictTuple([v.string(), writtenSeq]);
/** More than are deleted between two removals from the disk. */
const MAX_FORGOTTEN = 100_000;
/** So that a part stays below the limit. */
const FORGOTTEN_IN_A_PART = 5_000;

/**
 * The openings of the journal. A position belongs to the epoch that issued it: if the folder is restored from an older
 * copy, later positions of the epoch of that time are invalid, and so are those of later epochs.
 */
export class Epochs implements Fold {
  readonly name = 'epochs';
  readonly stored = listOf(epoch, MAX_EPOCHS);
  #epochs: Epoch[] = [];

  apply({ kind, name, text, seq }: JournalRecord): void {
    if (kind !== 'epoch') return;
    const begun = v.parse(epoch, { id: name, from: Number(text) });
    this.restore('', [...this.#epochs, begun], seq);
  }

  sessions(): string[] {
    return [''];
  }

  partsOf(): Epoch[][] {
    return [this.#epochs];
  }

  restore(_: string, epochs: readonly Epoch[], seq: number): void {
    this.#epochs = epochs.filter(({ from }) => from <= seq).slice(-MAX_EPOCHS);
  }

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
  readonly stored = listOf(forgotten, FORGOTTEN_IN_A_PART);
  readonly #sessions = new BoundedMap<string, { readonly until: number; isPurged: boolean }>(MAX_FORGOTTEN);

  apply({ kind, session, seq, name, key, text }: JournalRecord): void {
    if (kind === 'forget') this.#forget(session, seq);
    if (kind === 'note' && name === PURGED) this.#purge(key, Number(text));
  }

  #purge(session: string, until: number): void {
    const known = this.#sessions.get(session);
    if (known?.until === until) known.isPurged = true; // Otherwise it was deleted again meanwhile.
  }

  #forget(session: string, until: number): void {
    this.#sessions.setNewest(session, { until, isPurged: false });
  }

  sessions(): string[] {
    return [''];
  }

  partsOf(): Iterable<[string, number][]> {
    return chunksOf(this.unpurged, FORGOTTEN_IN_A_PART);
  }

  /** What follows the part is not forgotten. */
  restore(_: string, unpurged: readonly [string, number][], seq: number): void {
    for (const [session, until] of unpurged) if (until <= seq) this.#forget(session, until);
  }

  has(session: string, seq: number): boolean {
    return seq < (this.#sessions.get(session)?.until ?? 0);
  }

  /** Sessions whose records may still be on disk, each with the seq before which they are deleted. */
  get unpurged(): [session: string, seq: number][] {
    return [...this.#sessions].flatMap(([session, { until, isPurged }]) => (isPurged ? [] : [[session, until]]));
  }
}

/** The note that a session's records before a seq are off the disk. Its key is the session, its text the seq. */
export const PURGED = '$purged';
