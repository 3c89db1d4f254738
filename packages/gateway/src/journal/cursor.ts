import { endOfTurn } from '../event-loop.ts';
import { errnoOf } from '../host/errno.ts';
import { Contents } from './contents.ts';
import { type Frame, hasData, type JournalRecord } from './frame.ts';
import { firstAfter } from './recent.ts';
import { type Segment, SegmentReader } from './segment.ts';
import type { Turns } from './turns.ts';

/** Records that a reader cannot get: those after `from`, up to `to`. */
export interface Gap {
  readonly kind: 'gap';
  /** `expired`: deleted because of age or size. `damaged`: unreadable on disk. */
  readonly reason: 'expired' | 'damaged';
  readonly from: number;
  readonly to: number;
}

/**
 * The events that a reader gets: true for those to include. The text is decoded when it is read: most readers choose
 * by session and name. Without an event: true if it may get some of this session with this name.
 */
export type Filter = (session: string, name: string, event?: Pick<JournalRecord, 'text'>) => boolean;

/** Who reads: those of one owner share their turns at the disk. */
export interface Reader {
  readonly owner: string;
  /** Throws once nothing more is wanted. */
  requireWanted(): void;
}

/** The gateway itself, or the operator. */
export const ANY_READER: Reader = { owner: '', requireWanted: () => {} };

export interface Source {
  /** The seq of the last record that is on disk. */
  readonly lastSeq: number;
  readonly segments: readonly Segment[];
  /** The newest records, without holes: all after `recentAfter`. */
  readonly recent: readonly JournalRecord[];
  readonly recentAfter: number;
  /** For readers of the disk. */
  readonly turns: Turns;
  isForgotten(session: string, seq: number): boolean;
}

/** The most that one call returns from memory: about as much as one piece of a segment. */
const MAX_RECORDS = 1_000;
const MAX_LENGTH = 262_144;
const MAX_ATTEMPTS = 5;

interface CursorOptions {
  readonly by?: Reader | undefined;
  readonly since?: number;
  readonly withDeletions?: boolean;
}

/** A reader's position. Its memory use does not depend on how far behind it is. */
export class Cursor {
  readonly #source: Source;
  readonly #filter: Filter;
  #position: number;
  /** Events up to this time are skipped, until the first later one. */
  #since: number | undefined;
  readonly #by: Reader;
  #reader: SegmentReader | undefined;
  /** Of its segment so far; undefined if that was not read from its beginning, or is damaged. */
  #contents: Contents | undefined;
  #onBegin = () => {};
  readonly #withDeletions: boolean;

  /**
   * Begins after the record with this seq; `since`: with the first event later than that, in Unix ms. `withDeletions`:
   * also reads the records by which sessions were deleted.
   */
  constructor(
    source: Source,
    position: number,
    filter: Filter,
    { by = ANY_READER, since, withDeletions = false }: CursorOptions = {},
  ) {
    this.#source = source;
    this.#withDeletions = withDeletions;
    this.#position = position;
    this.#filter = filter;
    this.#by = by;
    this.#since = since;
  }

  get position(): number {
    return Math.min(this.#position, this.#source.lastSeq);
  }

  /** Sets the beginning, if it was not known yet. */
  beginAfter(position: number): void {
    this.#position = position;
    this.#onBegin();
  }

  /** Calls back once the beginning is known. Never called if it is known already. */
  onBegin(listener: () => void): void {
    this.#onBegin = listener;
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#source.lastSeq;
  }

  /**
   * The next events and gaps, in order: synchronously if they are in memory. May return none although more follow,
   * because the filter skipped records. Call again only after the previous call has settled.
   */
  read(): (JournalRecord | Gap)[] | Promise<(JournalRecord | Gap)[]> {
    if (this.isAtEnd) return [];
    return this.#position >= this.#source.recentAfter ? this.#readRecent() : this.#readDisk();
  }

  #readRecent(): JournalRecord[] {
    this.#reader = undefined;
    const { recent, lastSeq } = this.#source;
    const start = firstAfter(recent, this.#position, seqOf);
    const found: JournalRecord[] = [];
    let length = 0;
    for (const record of recent.slice(start, start + MAX_RECORDS)) {
      if (length > MAX_LENGTH) return found;
      this.#position = record.seq;
      if (!this.#takes(record)) continue;
      found.push(record);
      length += record.text.length;
    }
    if (recent.length - start <= MAX_RECORDS) this.#position = lastSeq;
    return found;
  }

  /** In turn: until there are events, or the end of a segment. So of many that find none, the first reads for all. */
  #readDisk(): Promise<(JournalRecord | Gap)[]> {
    return this.#source.turns.run(this.#by.owner, async () => {
      for (;;) {
        this.#by.requireWanted();
        const found = await this.#readNext();
        if (found.length > 0 || this.#reader === undefined) return found;
        await endOfTurn(); // Those who read from memory come first.
      }
    });
  }

  async #readNext(): Promise<(JournalRecord | Gap)[]> {
    for (let attempt = 1; ; attempt += 1) {
      const reader = this.#readerHere();
      if (reader === undefined) return [];
      if ('kind' in reader) return [this.#skipTo(reader)];
      try {
        return await this.#readPiece(reader);
      } catch (error) {
        if (!isGone(error)) throw error;
        this.#reader = undefined;
        if (attempt < MAX_ATTEMPTS) continue;
        // By a worker, not by the journal.
        const to = this.#endOf(reader.segment) - 1;
        return [this.#skipTo({ kind: 'gap', reason: 'damaged', from: this.#position, to })];
      }
    }
  }

  #skipTo(gap: Gap): Gap {
    this.#position = gap.to;
    return gap;
  }

  /** The reader of the segment with the next record, or the gap before it; undefined after a segment that was skipped. */
  #readerHere(): SegmentReader | Gap | undefined {
    const { segments } = this.#source;
    // It may have expired or been rewritten since.
    if (this.#reader && segments.includes(this.#reader.segment)) return this.#reader;
    this.#reader = undefined;
    const segment = segments.findLast(({ firstSeq }) => firstSeq <= this.#position + 1);
    if (segment && this.#hasNothingIn(segment)) return this.#pass(segment);
    if (segment) {
      this.#reader = new SegmentReader(segment, this.#position + 1);
      this.#contents = this.#reader.isAtBeginning ? new Contents() : undefined;
      return this.#reader;
    }
    const to = (segments[0]?.firstSeq ?? this.#source.lastSeq + 1) - 1;
    return { kind: 'gap', reason: 'expired', from: this.#position, to };
  }

  /** True if it is known that this reader gets nothing from the segment. */
  #hasNothingIn({ contents, bytes }: Segment): boolean {
    if (contents?.bytes !== bytes || this.#since !== undefined || this.#withDeletions) return false;
    return !contents.of.some((session, name) => this.#filter(session, name));
  }

  #pass(segment: Segment): undefined {
    this.#position = Math.max(this.#position, this.#endOf(segment) - 1);
    this.#reader = undefined;
  }

  async #readPiece(reader: SegmentReader): Promise<(JournalRecord | Gap)[]> {
    const { segment } = reader;
    const { bytes } = segment;
    const endsBefore = this.#endOf(segment); // Before the wait: more may be written meanwhile.
    const chunk = await reader.next();
    const found: (JournalRecord | Gap)[] = [];
    // Each segment begins with a record: an empty one was truncated.
    if (chunk?.isAfterDamage || bytes === 0) {
      this.#contents = undefined;
      const to = Math.min(chunk?.frames[0]?.seq ?? endsBefore, endsBefore) - 1;
      if (to > this.#position) found.push({ kind: 'gap', reason: 'damaged', from: this.#position, to });
    }
    for (const frame of chunk?.frames ?? []) {
      if (frame.kind === 'event') this.#contents?.add(frame.session, frame.name);
      if (frame.seq <= this.#position || frame.seq >= endsBefore) continue;
      const taken = this.#taken(frame);
      if (taken) found.push(taken);
      this.#position = frame.seq;
    }
    if (this.#contents?.isTooLarge) this.#contents = undefined;
    if (!chunk || chunk.frames.length === 0) {
      if (this.#contents) segment.contents = { of: this.#contents, bytes };
      this.#position = Math.max(this.#position, endsBefore - 1);
      this.#reader = undefined;
    }
    return found;
  }

  /** The record, if it is for this reader; a gap if its text is not that of an event: a worker can write to the file. */
  #taken(frame: Frame): JournalRecord | Gap | undefined {
    try {
      if (!this.#takes(frame)) return undefined;
      const record = frame.record();
      if (record.kind === 'forget' || hasData(record)) return record;
    } catch (error) {
      if (hasData(frame)) throw error; // Otherwise the filter has read the text.
    }
    return { kind: 'gap', reason: 'damaged', from: this.#position, to: frame.seq };
  }

  /** The seq at which the next segment begins: higher ones in this segment were never confirmed. */
  #endOf(segment: Segment): number {
    const { segments, lastSeq } = this.#source;
    return segments.find(({ firstSeq }) => firstSeq > segment.firstSeq)?.firstSeq ?? lastSeq + 1;
  }

  #takes(record: Omit<JournalRecord, 'key'>): boolean {
    if (record.kind === 'forget') return this.#withDeletions;
    if (record.kind !== 'event') return false;
    if (this.#since !== undefined && record.at <= this.#since) return false;
    this.#since = undefined; // Later records follow, even if the clock was set back meanwhile.
    const { session, name, seq } = record;
    return !this.#source.isForgotten(session, seq) && this.#filter(session, name, record);
  }
}

export async function findRecord(source: Source, seq: number, owner: string): Promise<JournalRecord | undefined> {
  const { recent, recentAfter, turns } = source;
  return seq > recentAfter
    ? recent[firstAfter(recent, seq - 1, seqOf)]
    : turns.run(owner, () => findOnDisk(source, seq));
}

async function findOnDisk(source: Source, seq: number): Promise<JournalRecord | undefined> {
  for (let attempt = 1; ; attempt += 1) {
    const segment = source.segments.findLast(({ firstSeq }) => firstSeq <= seq);
    if (!segment) return undefined;
    try {
      const reader = new SegmentReader(segment, seq);
      for (let chunk = await reader.next(); chunk; chunk = await reader.next()) {
        const found = chunk.frames.find((frame) => frame.seq >= seq);
        if (found) return found.seq === seq ? found.record() : undefined;
      }
      return undefined;
    } catch (error) {
      if (!isGone(error)) throw error;
      if (attempt === MAX_ATTEMPTS) return undefined;
    }
  }
}

/** The records with these seqs that are kept; reads each segment once, in turn. */
export async function* findRecords(
  source: Source,
  seqs: readonly number[],
  owner: string,
): AsyncGenerator<JournalRecord> {
  const wanted = new Set(seqs);
  for (const { firstSeq } of [...source.segments]) {
    const next = source.segments.find((other) => other.firstSeq > firstSeq)?.firstSeq ?? Number.POSITIVE_INFINITY;
    if (![...wanted].some((seq) => seq >= firstSeq && seq < next)) continue;
    // It may have been rewritten or have expired meanwhile.
    const segment = source.segments.find((one) => one.firstSeq === firstSeq);
    if (!segment) continue;
    yield* await source.turns.run(owner, async () => {
      const found: JournalRecord[] = [];
      const reader = new SegmentReader(segment);
      try {
        for (let chunk = await reader.next(); chunk; chunk = await reader.next())
          for (const frame of chunk.frames)
            if (frame.seq < next && wanted.delete(frame.seq)) found.push(frame.record());
      } catch (error) {
        if (!isGone(error)) throw error;
      }
      return found;
    });
  }
}

/** The segment was removed or rewritten, or a worker has put something else in its place. */
function isGone(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'EACCES', 'ESPIPE', 'ENXIO'].includes(errnoOf(error) ?? '');
}

function seqOf({ seq }: JournalRecord): number {
  return seq;
}
