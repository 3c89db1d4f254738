import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorText, settledWithin } from '@chat-web/protocol';
import { Damage } from '../host/damage.ts';
import { writeFully } from '../host/disk.ts';
import { errnoOf } from '../host/errno.ts';
import { makeFolder } from '../host/make-folder.ts';
import { syncFolder } from '../host/text-files.ts';
import type { Log } from '../log.ts';
import { AllFolds } from './all-folds.ts';
import { ANY_READER, Cursor, type Filter, findRecord, findRecords, type Source } from './cursor.ts';
import { Epochs, type Fold, Forgotten, PURGED } from './folds.ts';
import { type JournalRecord, maxBytesOf, type NewRecord, requireFits, writeFrame } from './frame.ts';
import { BEGIN, load } from './loading.ts';
import { memoryBytesOf, Recent } from './recent.ts';
import {
  MAX_REVISIONS,
  MAX_SEGMENT_FILE_BYTES,
  type Segment,
  SegmentReader,
  segmentPath,
  unfinishedPath,
} from './segment.ts';
import { Turns } from './turns.ts';

export interface JournalDependencies {
  readonly dir: string;
  readonly folds: readonly Fold[];
  /** The oldest segments are removed while the total exceeds this. */
  readonly maxBytes: number;
  /** Segments whose newest record is older are removed. */
  readonly maxAgeMs: number;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  /** Where to report what cannot be used. Default: only to the log. */
  readonly damage?: Pick<Damage, 'setAside' | 'skip'>;
}

export interface JournalStats {
  readonly bytes: number;
  /** The time of the oldest segment's newest record. */
  readonly oldestAt: Date;
  /** When storing began to fail; undefined while it works. */
  readonly failingSince: Date | undefined;
}

/** The record is not on disk, and no reader has seen it. */
export class NotStoredError extends Error {
  constructor(why: string) {
    super(`the journal could not be written: ${why}`);
    this.name = 'NotStoredError';
  }
}

/** Records on disk that are not visible yet. */
interface Written {
  readonly records: readonly JournalRecord[];
  readonly bytes: number;
}

interface Pending {
  readonly record: NewRecord;
  readonly at: number;
  /** `performance.now()` of its arrival. */
  readonly since: number;
  /** Readers that begin after this record. */
  readonly readers: Cursor[];
  resolve(): void;
  reject(error: Error): void;
}

const MAX_SEGMENT_BYTES = 16 * 1_048_576;
const MIN_SEGMENTS = 8;
/** The limits of one write, estimated before encoding: all its records are published in one turn. */
const MAX_WRITE_BYTES = 2 * 1_048_576;
const MAX_WRITE_RECORDS = 200;
const CHECKPOINT_WRITE_BYTES = 262_144;
const RECENT_BYTES = 1_048_576;
/** Above this, the disk is too slow for the incoming events. */
const MAX_QUEUED_BYTES = 32 * 1_048_576;
/** A disk that takes longer counts as hanging. */
const STALL_MS = 10_000;
const CLOSE_TIMEOUT_MS = 5_000;
const RETRY_MS = 1_000;
/** How many readers of the disk read at the same time: together, they delay other work by a few milliseconds. */
const MAX_READING = 2;
const HOUSEKEEPING_MS = 10 * 60_000;
/**
 * With O_DSYNC a write to the active segment returns once it is on disk: a separate fdatasync would need another thread
 * pool turn.
 */
const ACTIVE_FLAGS = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_DSYNC;
/** How much earlier than its newest record the time of a file may be, because file systems round. */
const FILE_TIME_MS = 2_000;
/** A segment spans at most this part of the maximum age. */
const AGE_PARTS = 12;

const BLANK = { session: '', key: '', text: '' } as const;
const CHECKPOINT_END: NewRecord = { ...BLANK, kind: 'checkpoint_end', name: '' };
const PURGE_BEGINS: NewRecord = { ...BLANK, kind: 'note', name: '$purge' };
const PROBE: NewRecord = { ...BLANK, kind: 'note', name: '$probe' };
const EXPIRY: NewRecord = { ...BLANK, kind: 'note', name: '$expiry' };

/**
 * An append-only log in segments. Records appended during a write go into the next one: one fdatasync serves them all.
 * Folds and readers see a record only once it is on disk.
 */
export class Journal implements Source {
  readonly turns = new Turns(MAX_READING);
  readonly #dependencies: JournalDependencies;
  readonly #damage: Pick<Damage, 'setAside' | 'skip'>;
  readonly #epochs = new Epochs();
  readonly #forgotten = new Forgotten();
  readonly #folds: AllFolds;
  readonly #segmentBytes: number;
  #segments: Segment[] = [];
  #file: FileHandle | undefined;
  /** The active segment can no longer be trusted: the next write begins another. */
  #mustRoll = false;
  /** A checkpoint may be larger than a segment: this keeps checkpoints from outgrowing the records. */
  #rollAtBytes = 0;
  #beganAt = 0;
  #lastSeq = 0;
  /**
   * The last seq in use. A new segment has its checkpoint before its first record. Until that is written, these seqs
   * must not become positions: they belong to the epoch of this opening, which may not be on disk yet.
   */
  #usedSeq = 0;
  #openedAfter = 0;
  #hasEpoch = false;
  #recent = newRecent(0);
  /** No record that is only on disk is later: Unix ms. */
  #recentSince = 0;
  #queue: Pending[] = [];
  #queuedBytes = 0;
  #inFlight: readonly Pending[] = [];
  #writing: Promise<void> | undefined;
  #isRetrying = false;
  #failing: { readonly since: Date; readonly why: string } | undefined;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #listeners = new Set<() => void>();
  readonly #writeListeners = new Set<(ms: number, records: number) => void>();
  readonly #resumeListeners = new Set<() => void>();
  #keptAfter = () => Number.POSITIVE_INFINITY;
  #housekeeping: Promise<void> = Promise.resolve();
  #isClosed = false;

  private constructor(dependencies: JournalDependencies) {
    this.#dependencies = dependencies;
    this.#damage = dependencies.damage ?? new Damage(dirname(dependencies.dir), dependencies.log);
    this.#folds = new AllFolds([this.#epochs, this.#forgotten, ...dependencies.folds], this.#damage);
    this.#segmentBytes = Math.min(MAX_SEGMENT_BYTES, Math.ceil(dependencies.maxBytes / MIN_SEGMENTS));
  }

  /**
   * Opens the journal of a folder, creating it if needed, and restores the folds. The caller ensures that no other
   * process has it open. Sets aside or skips what cannot be used. Rejects if the folder cannot be read; a full disk does
   * not reject.
   */
  static async open(dependencies: JournalDependencies): Promise<Journal> {
    const journal = new Journal(dependencies);
    await journal.#load();
    journal.#every(HOUSEKEEPING_MS, () => void journal.housekeep());
    return journal;
  }

  // Writing.

  /** Resolves when the record is on disk. Rejects with a NotStoredError, or with a RecordTooLongError. */
  append(record: NewRecord): Promise<void> {
    if (this.#isClosed) return Promise.reject(new NotStoredError('it is closed'));
    if (this.#queuedBytes > MAX_QUEUED_BYTES) this.#fail('the disk is too slow', []);
    if (this.#failing) return Promise.reject(new NotStoredError(this.#failing.why));
    return this.#enqueue(record);
  }

  #enqueue(record: NewRecord): Promise<void> {
    try {
      requireFits(record);
    } catch (error) {
      return Promise.reject(error);
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ record, at: Date.now(), since: performance.now(), readers: [], resolve, reject });
      this.#queuedBytes += memoryBytesOf(record);
      this.#writing ??= this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    await Promise.resolve(); // Records appended in one turn are written together.
    while (this.#queue.length > 0) {
      const batch = this.#takeBatch();
      // If the disk hangs, waiting callers are rejected; the write in progress stays open.
      const stall = setTimeout(() => this.#fail('the disk does not respond', []), STALL_MS);
      try {
        this.#inFlight = batch;
        this.#commit(await this.#write(batch), batch);
        for (const { resolve } of batch) resolve();
        const [first] = batch;
        if (first) for (const listener of this.#writeListeners) listener(performance.now() - first.since, batch.length);
      } catch (error) {
        this.#fail(errorText(error), batch);
      } finally {
        clearTimeout(stall);
        this.#inFlight = [];
      }
    }
    this.#writing = undefined;
  }

  #takeBatch(): Pending[] {
    let [bytes, count] = [0, 0];
    for (const { record } of this.#queue) {
      bytes += maxBytesOf(record);
      if (count > 0 && (bytes > MAX_WRITE_BYTES || count === MAX_WRITE_RECORDS)) break;
      count += 1;
    }
    const batch = this.#queue.splice(0, count);
    for (const { record } of batch) this.#queuedBytes -= memoryBytesOf(record);
    return batch;
  }

  async #write(batch: readonly Pending[]): Promise<Written> {
    const { file, segment } = await this.#activeSegment();
    const epoch = this.#hasEpoch ? [] : [{ record: this.#epochRecord(), at: Date.now() }];
    const records = [...epoch, ...batch].map(({ record, at }, n) => ({ ...record, at, seq: this.#usedSeq + 1 + n }));
    const bytes = encode(records);
    try {
      await writeFully(file, bytes, segment.bytes);
    } catch (error) {
      this.#mustRoll = !isShortOfSpace(error); // The kernel reports dropped pages only once.
      await file.truncate(segment.bytes).catch(() => {
        this.#mustRoll = true;
      });
      throw error;
    }
    this.#hasEpoch = true;
    return { records, bytes: bytes.length };
  }

  #commit({ records, bytes }: Written, batch: readonly Pending[]): void {
    const segment = this.#segments.at(-1);
    if (segment) segment.bytes += bytes;
    for (const record of records) {
      this.#lastSeq = this.#usedSeq = record.seq;
      this.#folds.apply(record);
      this.#recent.add(record);
      if (segment) segment.newestAt = Math.max(segment.newestAt, record.at);
    }
    this.#dropRecent();
    const first = records.length - batch.length;
    for (const [n, { readers }] of batch.entries())
      for (const reader of readers) reader.beginAfter(records[first + n]?.seq ?? this.#lastSeq);
    for (const listener of [...this.#listeners]) listener();
  }

  /** Drops the oldest records from memory: those beyond the limit, and all up to a seq. */
  #dropRecent(upTo?: number): void {
    for (const { at } of this.#recent.drop(upTo)) this.#recentSince = Math.max(this.#recentSince, at);
  }

  #fail(why: string, batch: readonly Pending[]): void {
    for (const { reject, readers } of [...batch, ...this.#queue.splice(0)]) {
      for (const reader of readers) reader.beginAfter(this.#lastSeq);
      reject(new NotStoredError(why));
    }
    this.#queuedBytes = 0;
    if (!this.#failing) {
      this.#failing = { since: new Date(), why };
      const hint = 'free space on the disk, or check its health; the gateway retries every second';
      this.#dependencies.log.error({ error: why, hint }, 'journal not written');
    }
    if (!this.#isRetrying) this.#after(RETRY_MS, () => void this.#resume());
    this.#isRetrying = true;
  }

  async #resume(): Promise<void> {
    this.#isRetrying = false;
    try {
      await this.#probe();
    } catch {
      return; // The failure has scheduled the next attempt.
    }
    const since = this.#failing?.since;
    this.#failing = undefined;
    if (!since) return;
    this.#dependencies.log.info({ failedForMs: Date.now() - since.getTime() }, 'journal written again');
    for (const listener of this.#resumeListeners) listener();
  }

  #probe(): Promise<void> {
    return this.#enqueue(PROBE);
  }

  /** Written with the first record of this opening. */
  #epochRecord(): NewRecord {
    return { ...BLANK, kind: 'epoch', name: randomBytes(6).toString('hex'), text: String(this.#openedAfter + 1) };
  }

  // Segments.

  async #activeSegment(): Promise<{ readonly file: FileHandle; readonly segment: Segment }> {
    const segment = this.#segments.at(-1);
    if (this.#file && segment && !this.#mustRoll && segment.bytes < this.#rollAtBytes)
      return { file: this.#file, segment };
    return this.#roll();
  }

  /** Begins a segment with a checkpoint of all folds. It is renamed into place once it is complete. */
  async #roll(): Promise<{ readonly file: FileHandle; readonly segment: Segment }> {
    const firstSeq = this.#usedSeq + 1;
    const { dir, log } = this.#dependencies;
    const path = segmentPath(dir, firstSeq, 0);
    const unfinished = unfinishedPath(path);
    makeFolder(dir, log); // A worker may have moved it.
    const file = await open(unfinished, 'wx+', 0o600);
    try {
      const { bytes, lastSeq } = await this.#writeCheckpoint(file, firstSeq);
      await file.datasync();
      await this.#putInPlace(unfinished, path);
      const segment = { firstSeq, revision: 0, path, bytes, newestAt: Date.now(), marks: [] };
      const active = await open(path, ACTIVE_FLAGS);
      await file.close().catch(() => {});
      await this.#file?.close().catch(() => {});
      this.#file = active;
      this.#segments = [...this.#segments, segment];
      this.#usedSeq = lastSeq;
      this.#rollAtBytes = this.#endAfter(bytes);
      this.#mustRoll = false;
      this.#beganAt = Date.now();
      this.#expireSoon();
      return { file: active, segment };
    } catch (error) {
      await file.close().catch(() => {});
      await rm(unfinished, { force: true }).catch(() => {});
      throw error;
    }
  }

  /** Where a segment with this checkpoint ends. */
  #endAfter(checkpointBytes: number): number {
    const records = Math.min(2 * checkpointBytes, MAX_SEGMENT_FILE_BYTES / 2);
    return checkpointBytes + Math.max(this.#segmentBytes, records);
  }

  async #putInPlace(unfinished: string, path: string): Promise<void> {
    const found = await lstat(path).catch(() => undefined);
    if (found && !found.isFile()) await this.#damage.setAside(path, 'it is not a file');
    await rename(unfinished, path);
    await syncFolder(this.#dependencies.dir);
  }

  async #writeCheckpoint(file: FileHandle, firstSeq: number): Promise<{ bytes: number; lastSeq: number }> {
    const at = Date.now();
    let [seq, position] = [firstSeq, 0];
    let pieces: JournalRecord[] = [{ ...BEGIN, at, seq }];
    let size = 0;
    const flush = async () => {
      const bytes = encode(pieces);
      await writeFully(file, bytes, position);
      position += bytes.length;
      [pieces, size] = [[], 0];
    };
    for (const part of this.#folds.parts()) {
      seq += 1;
      pieces.push({ ...part, kind: 'checkpoint', key: '', at, seq });
      size += part.text.length;
      if (size > CHECKPOINT_WRITE_BYTES) await flush();
    }
    seq += 1;
    pieces.push({ ...CHECKPOINT_END, at, seq });
    await flush();
    return { bytes: position, lastSeq: seq };
  }

  // Starting.

  async #load(): Promise<void> {
    const { dir, log } = this.#dependencies;
    makeFolder(dir, log);
    const loaded = await load(dir, { folds: this.#folds, damage: this.#damage, log });
    this.#segments = loaded.segments;
    this.#beganAt = loaded.beganAt;
    this.#mustRoll = loaded.isUnreadable;
    this.#lastSeq = this.#usedSeq = this.#openedAfter = loaded.lastSeq;
    this.#recent = newRecent(loaded.lastSeq);
    this.#recentSince = this.#segments.reduce((latest, { newestAt }) => Math.max(latest, newestAt), 0) + FILE_TIME_MS;
    const last = this.#segments.at(-1);
    if (!last) return;
    this.#file = await open(last.path, ACTIVE_FLAGS);
    this.#rollAtBytes = this.#endAfter(loaded.checkpointEnd);
  }

  // Reading.

  /** The seq of the last record that is on disk and visible. Its id stays valid, even across a crash. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  get oldestSeq(): number {
    return this.#segments[0]?.firstSeq ?? this.#lastSeq + 1;
  }

  get segments(): readonly Segment[] {
    return this.#segments;
  }

  get recent(): readonly JournalRecord[] {
    return this.#recent.records;
  }

  get recentAfter(): number {
    return this.#recent.after;
  }

  isForgotten(session: string, seq: number): boolean {
    return this.#forgotten.has(session, seq);
  }

  /** A reader of the events after this seq; undefined: after all records appended so far, on disk or not. */
  cursor(after: number | undefined, filter: Filter, by = ANY_READER): Cursor {
    if (after !== undefined) return new Cursor(this, after, filter, { by });
    const last = this.#queue.at(-1) ?? this.#inFlight.at(-1);
    const cursor = new Cursor(this, last ? Number.POSITIVE_INFINITY : this.#lastSeq, filter, { by });
    last?.readers.push(cursor);
    return cursor;
  }

  /** The last seq when it was opened. */
  get openedAfter(): number {
    return this.#openedAfter;
  }

  /** A reader of all events after this seq, and of deletions of sessions. */
  cursorOfAll(after: number): Cursor {
    return new Cursor(this, after, () => true, { withDeletions: true });
  }

  /** From now on, segments with records after the seq that `seq` returns are kept. */
  keepAfter(seq: () => number): void {
    this.#keptAfter = seq;
  }

  /**
   * A reader that begins with the first event later than a time, in Unix ms; for a future time, with the next record.
   * Earlier records are not read, except for part of one segment.
   */
  cursorSince(time: number, filter: Filter, by = ANY_READER): Cursor {
    if (time >= Date.now()) return this.cursor(undefined, filter, by);
    if (time >= this.#recentSince) return new Cursor(this, this.recentAfter, filter, { by, since: time });
    const segment = this.#segments.find(({ newestAt }) => newestAt + FILE_TIME_MS > time);
    return new Cursor(this, (segment?.firstSeq ?? this.#lastSeq + 1) - 1, filter, { by, since: time });
  }

  /** The record with this seq; undefined if it is not kept, or damaged. `owner`: whose turn at the disk it is. */
  find(seq: number, owner = ANY_READER.owner): Promise<JournalRecord | undefined> {
    return findRecord(this, seq, owner);
  }

  findAll(seqs: readonly number[], owner = ANY_READER.owner): AsyncIterable<JournalRecord> {
    return findRecords(this, seqs, owner);
  }

  /** Called each time new records can be read, until the returned function is called. */
  onCommit(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Called for each write: how long its first record waited until it was on disk, in ms, and the number of records. */
  onWrite(listener: (ms: number, records: number) => void): void {
    this.#writeListeners.add(listener);
  }

  /** Called when records can be stored again, after that failed. */
  onResumed(listener: () => void): void {
    this.#resumeListeners.add(listener);
  }

  idOf(seq: number): string {
    return this.#epochs.idOf(seq);
  }

  /** The seq of an id; undefined if this journal has not issued it. The record may have expired. */
  seqOf(id: string): number | undefined {
    return this.#epochs.seqOf(id, this.#lastSeq);
  }

  get stats(): JournalStats {
    return {
      bytes: this.#segments.reduce((sum, { bytes }) => sum + bytes, 0),
      oldestAt: new Date(this.#segments[0]?.newestAt ?? Date.now()),
      failingSince: this.#failing?.since,
    };
  }

  // Retention.

  /** Removes segments that exceed the limits, and deleted sessions from the disk. Never rejects. */
  housekeep(): Promise<void> {
    return this.#cleanUp(async () => {
      await this.#endOldSegment();
      await this.#expire();
      await this.#purge();
    });
  }

  /** Without the removal of deleted sessions, which begins a segment: each deletion would begin one, with a checkpoint. */
  #expireSoon(): void {
    this.#after(0, () => void this.#cleanUp(() => this.#expire()));
  }

  #cleanUp(work: () => Promise<void>): Promise<void> {
    this.#housekeeping = this.#housekeeping.then(async () => {
      if (this.#isClosed) return;
      try {
        await work();
      } catch (error) {
        this.#dependencies.log.error({ error: errorText(error) }, 'journal not cleaned up');
      }
    });
    return this.#housekeeping;
  }

  /** Ends a segment that spans a long time, even if no records are added. */
  async #endOldSegment(): Promise<void> {
    const { maxAgeMs } = this.#dependencies;
    const now = Date.now();
    if (now - this.#beganAt > maxAgeMs / AGE_PARTS) this.#mustRoll = true;
    if ((this.#segments.at(-1)?.newestAt ?? now) < now - maxAgeMs) await this.append(EXPIRY);
  }

  async #expire(): Promise<void> {
    const { maxBytes, maxAgeMs } = this.#dependencies;
    const isSuperfluous = (oldest: Segment) => this.stats.bytes > maxBytes || oldest.newestAt < Date.now() - maxAgeMs;
    while (this.#segments.length > 1) {
      const [oldest, ...others] = this.#segments;
      if (!oldest || !isSuperfluous(oldest) || (others[0]?.firstSeq ?? 0) > this.#keptAfter() + 1) return;
      this.#segments = others;
      this.#dropRecent(this.oldestSeq - 1);
      await rm(oldest.path, { force: true });
    }
  }

  async #purge(): Promise<void> {
    const { unpurged } = this.#forgotten;
    if (unpurged.length === 0) return;
    // Their last records are in the active segment: the next write, the note below, closes it.
    this.#mustRoll = true;
    await this.append(PURGE_BEGINS);
    const until = new Map(unpurged);
    const last = unpurged.reduce((latest, [, seq]) => Math.max(latest, seq), 0);
    for (const segment of this.#segments.slice(0, -1)) {
      if (this.#isClosed) return;
      if (segment.firstSeq < last) await this.#rewrite(segment, until);
    }
    for (const [session, seq] of until)
      await this.append({ ...BLANK, kind: 'note', name: PURGED, key: session, text: String(seq) });
  }

  async #rewrite(segment: Segment, until: ReadonlyMap<string, number>): Promise<void> {
    const isDeleted = (session: string, seq: number) => seq < (until.get(session) ?? 0);
    if (!(await contains(segment, isDeleted))) return;
    const revision = (segment.revision + 1) % MAX_REVISIONS;
    const path = segmentPath(this.#dependencies.dir, segment.firstSeq, revision);
    const unfinished = unfinishedPath(path);
    const file = await open(unfinished, 'wx', 0o600);
    let bytes = 0;
    try {
      const reader = new SegmentReader(segment);
      for (let chunk = await reader.next(); chunk; chunk = await reader.next()) {
        const kept = chunk.frames.filter(({ session, seq }) => !isDeleted(session, seq)).map((frame) => frame.bytes);
        const piece = Buffer.concat(kept);
        await writeFully(file, piece, bytes);
        bytes += piece.length;
      }
      await file.utimes(new Date(), new Date(segment.newestAt));
      await file.sync();
      await this.#putInPlace(unfinished, path);
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => {});
      throw error;
    } finally {
      await file.close();
    }
    this.#segments = this.#segments.map((one) =>
      one === segment ? { ...segment, revision, path, bytes, marks: [] } : one,
    );
    await rm(segment.path, { force: true });
  }

  // Closing.

  /** Writes all appended records, and closes the file. Later appends are rejected. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    const done = (async () => {
      await this.#writing;
      await this.#housekeeping;
      await this.#file?.close();
    })();
    await settledWithin(done, CLOSE_TIMEOUT_MS); // A disk may hang.
    this.#file = undefined;
  }

  #after(ms: number, work: () => void): void {
    if (this.#isClosed) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, ms).unref();
    this.#timers.add(timer);
  }

  #every(ms: number, work: () => void): void {
    this.#timers.add(setInterval(work, ms).unref());
  }
}

const newRecent = (after: number) => new Recent<JournalRecord>(RECENT_BYTES, ({ seq }) => seq, after);

function encode(records: readonly JournalRecord[]): Buffer {
  const buffer = Buffer.allocUnsafe(records.reduce((sum, record) => sum + maxBytesOf(record), 0));
  let end = 0;
  for (const record of records) end = writeFrame(buffer, end, record);
  return buffer.subarray(0, end);
}

/** True for errors after which the disk has written nothing. */
function isShortOfSpace(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes(errnoOf(error) ?? '');
}

async function contains(segment: Segment, isWanted: (session: string, seq: number) => boolean): Promise<boolean> {
  const reader = new SegmentReader(segment);
  for (let chunk = await reader.next(); chunk; chunk = await reader.next())
    if (chunk.frames.some(({ session, seq }) => isWanted(session, seq))) return true;
  return false;
}
