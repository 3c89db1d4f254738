import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, type FileHandle, lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Damage } from '../host/damage.ts';
import { removeTree } from '../host/remove-tree.ts';
import type { Contents } from './contents.ts';
import {
  claimedLength,
  type Frame,
  HEAD_BYTES,
  type JournalRecord,
  MAX_RECORD_BYTES,
  maxSeq,
  readFrame,
} from './frame.ts';

export interface Segment {
  /** The seq of its first record; its name begins with it. */
  readonly firstSeq: number;
  /** How often it was rewritten without deleted records. */
  readonly revision: number;
  readonly path: string;
  /** How much of it is committed. */
  bytes: number;
  /** No record is newer: Unix time in ms. */
  newestAt: number;
  /** Offsets of some of its records, in order: a reader that begins late need not read everything before. */
  readonly marks: Mark[];
  /** What it had when it was read to its end, and its size then. */
  contents?: { readonly of: Contents; readonly bytes: number };
}

interface Mark {
  readonly seq: number;
  readonly offset: number;
}

const NAME = /^(\d{16})\.(\d{1,9})\.journal$/;
const UNFINISHED = '.unfinished';
const OWN = 0o600;
/** Of revisions: then they begin again. The one that is replaced is removed. */
export const MAX_REVISIONS = 1_000_000_000;
/** More than a segment takes: 16 MB, or several times its checkpoint. */
export const MAX_SEGMENT_FILE_BYTES = 2 ** 31;

export function segmentPath(dir: string, firstSeq: number, revision: number): string {
  return join(dir, `${String(firstSeq).padStart(16, '0')}.${revision}.journal`);
}

/** Where a segment is written before it is renamed into place: a name that no worker can occupy before. */
export function unfinishedPath(path: string): string {
  return `${path}.${randomUUID()}${UNFINISHED}`;
}

/**
 * The segments in a folder, oldest first. With `damage`: sets aside what only has the name of a segment, and removes
 * unfinished or replaced files of a killed process.
 */
export async function segmentsIn(dir: string, damage?: Pick<Damage, 'setAside'>): Promise<Segment[]> {
  const newest = new Map<number, Segment>();
  const superfluous: string[] = [];
  for (const name of await readdir(dir)) {
    const path = join(dir, name);
    const [, seq, revision] = NAME.exec(name) ?? [];
    if (seq === undefined) {
      if (name.endsWith(UNFINISHED)) superfluous.push(path);
      continue;
    }
    const segment = await segmentAt(path, Number(seq), Number(revision), { repair: damage !== undefined });
    if (typeof segment === 'string') {
      await damage?.setAside(path, segment);
      continue;
    }
    const other = newest.get(segment.firstSeq);
    if (other) superfluous.push(other.revision < segment.revision ? other.path : path);
    if (!other || other.revision < segment.revision) newest.set(segment.firstSeq, segment);
  }
  // What cannot be removed is in nobody's way.
  if (damage) for (const path of superfluous) await removeTree(path).catch(() => {});
  return [...newest.values()].sort((one, other) => one.firstSeq - other.firstSeq);
}

/** The segment, or why it is none. `repair`: gives a file without permissions them back. */
async function segmentAt(
  path: string,
  firstSeq: number,
  revision: number,
  { repair }: { readonly repair: boolean },
): Promise<Segment | string> {
  try {
    const found = await lstat(path);
    if (!found.isFile()) return 'it is not a file';
    if (firstSeq < 1 || firstSeq > maxSeq()) return 'no journal has reached its number';
    if (found.size > MAX_SEGMENT_FILE_BYTES) return 'it is too large';
    if (repair && (found.mode & OWN) !== OWN) await chmod(path, OWN);
    if (repair) await (await open(path, constants.O_RDWR | constants.O_NOFOLLOW)).close();
    const newestAt = Math.min(found.mtimeMs, Date.now());
    return { firstSeq, revision, path, bytes: found.size, newestAt, marks: [] };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ELOOP', 'EACCES', 'EPERM', 'ENOENT'].includes(code)) return `it cannot be opened (${code})`;
    throw error;
  }
}

const CHUNK_BYTES = 262_144;
/** O_NONBLOCK: a pipe in its place would block a thread until it has a writer. */
const READ_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** How much of a segment is read and verified to find intact records after damaged parts: then the rest is lost. */
const MAX_SEARCH_BYTES = 268_435_456;

/** Consecutive frames of a segment. */
export interface Chunk {
  readonly frames: readonly Frame[];
  /** Where the last of them ends. */
  readonly end: number;
  /** The bytes before them are unreadable. Without frames: so is the rest of the segment. */
  readonly isAfterDamage: boolean;
}

/**
 * Reads a segment piece by piece, beginning at a record or shortly before. Skips damaged parts. Rejects with ENOENT if
 * the segment was removed or rewritten meanwhile: no file stays open between two pieces.
 */
export class SegmentReader {
  readonly segment: Segment;
  #offset: number;
  #lastSeq = 0;
  #searchBytes: number;

  /** `maxSearchBytes`: 0 to read only what is before the first damaged part. */
  constructor(segment: Segment, seq = segment.firstSeq, maxSearchBytes = MAX_SEARCH_BYTES) {
    this.segment = segment;
    this.#searchBytes = maxSearchBytes;
    this.#offset = segment.marks.findLast((mark) => mark.seq <= seq)?.offset ?? 0;
  }

  get isAtBeginning(): boolean {
    return this.#offset === 0;
  }

  /** The next frames. Undefined at the end of the committed part. */
  async next(): Promise<Chunk | undefined> {
    const limit = this.segment.bytes;
    if (this.#offset >= limit) return undefined;
    const file = await open(this.segment.path, READ_FLAGS);
    try {
      for (let size = CHUNK_BYTES; ; size = MAX_RECORD_BYTES + CHUNK_BYTES) {
        const buffer = await readAll(file, this.#offset, Math.min(size, limit - this.#offset));
        const chunk = this.#parse(buffer, this.#offset, false);
        if (chunk.frames.length > 0) return this.#take(chunk);
        const isCut = this.#offset + buffer.length < limit && size === CHUNK_BYTES;
        if (isCut && readFrame(buffer, 0) === 'incomplete') continue; // A long record.
        return this.#take(await this.#pastDamage(file, limit));
      }
    } finally {
      await file.close();
    }
  }

  #take(chunk: Chunk): Chunk {
    this.#mark(chunk);
    this.#offset = chunk.end;
    this.#lastSeq = chunk.frames.at(-1)?.seq ?? this.#lastSeq;
    return chunk;
  }

  #mark({ frames: [first], isAfterDamage }: Chunk): void {
    const { marks } = this.segment;
    const last = marks.at(-1)?.offset ?? 0;
    if (first && !isAfterDamage && this.#offset - last >= CHUNK_BYTES / 2)
      marks.push({ seq: first.seq, offset: this.#offset });
  }

  /** The frames from the start of a buffer on, until one is incomplete or damaged. */
  #parse(buffer: Buffer, offset: number, isAfterDamage: boolean): Chunk {
    const frames: Frame[] = [];
    const highest = maxSeq();
    let [end, lastSeq] = [0, this.#lastSeq];
    for (let frame = readFrame(buffer, end); typeof frame === 'object'; frame = readFrame(buffer, end)) {
      if (frame.seq <= lastSeq || frame.seq > highest) break;
      frames.push(frame);
      lastSeq = frame.seq;
      end = frame.end;
    }
    return { frames, end: offset + end, isAfterDamage };
  }

  /**
   * Searches for the next frame byte by byte. JSON has no zero bytes, and each frame has some: the text of a message
   * cannot pass for a frame. But a worker can write many bytes that look like the beginning of a long one.
   */
  async #pastDamage(file: FileHandle, limit: number): Promise<Chunk> {
    for (let start = this.#offset + 1; start < limit && this.#searchBytes > 0; start += CHUNK_BYTES) {
      await nextTurn();
      const buffer = await readAll(file, start, Math.min(CHUNK_BYTES + HEAD_BYTES, limit - start));
      this.#searchBytes -= buffer.length;
      for (let at = 0; at < buffer.length - HEAD_BYTES; at += 1) {
        const length = claimedLength(buffer, at);
        if (length === undefined || start + at + length > limit || this.#searchBytes <= 0) continue;
        this.#searchBytes -= length;
        const chunk = await this.#chunkAt(file, start + at, buffer.subarray(at), length);
        if (chunk.frames.length > 0) return chunk;
      }
    }
    return { frames: [], end: limit, isAfterDamage: true };
  }

  async #chunkAt(file: FileHandle, offset: number, buffer: Buffer, length: number): Promise<Chunk> {
    return this.#parse(length <= buffer.length ? buffer : await readAll(file, offset, length), offset, true);
  }
}

async function readAll(file: FileHandle, offset: number, size: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await file.read(buffer, length, size - length, offset + length);
    if (bytesRead === 0) break; // Shorter than before: truncated.
    length += bytesRead;
  }
  return buffer.subarray(0, length);
}

interface Inspector {
  onSegment(segment: Segment): void;
  onRecord(record: JournalRecord): void;
  /** Records after `afterSeq` are unreadable. `atEnd`: nothing readable follows in the newest segment. */
  onDamage(segment: Segment, afterSeq: number, atEnd: boolean): void;
}

/**
 * Reads a journal from its beginning, without changing it, even while a gateway writes to it. Rejects if the folder
 * cannot be read.
 */
export async function inspectJournal(dir: string, inspector: Inspector): Promise<void> {
  const segments = await segmentsIn(dir);
  let lastSeq = 0;
  for (const [index, segment] of segments.entries()) {
    inspector.onSegment(segment);
    const endsBefore = segments[index + 1]?.firstSeq ?? Number.POSITIVE_INFINITY;
    const reader = new SegmentReader(segment);
    for (let chunk = await reader.next(); chunk; chunk = await reader.next()) {
      const isEnd = chunk.frames.length === 0 && index === segments.length - 1;
      if (chunk.isAfterDamage) inspector.onDamage(segment, lastSeq, isEnd);
      for (const frame of chunk.frames) {
        if (frame.seq >= endsBefore) break;
        lastSeq = frame.seq;
        inspector.onRecord(frame.record());
      }
    }
  }
}
