import { crc32 } from 'node:zlib';
import * as v from 'valibot';

/** The kinds of records. The numbers are on disk. */
export const KINDS = {
  /** Shown to readers. */
  event: 1,
  /** Only for folds. */
  note: 2,
  /** Earlier records of its session count as deleted. */
  forget: 3,
  /** Ids from the seq in its text on begin with its name. */
  epoch: 4,
  /** The first of a segment. Its text: `{ version }`. */
  begin: 5,
  /** A part of a fold's state, when the segment began. */
  checkpoint: 6,
  /** The checkpoint is complete. */
  checkpoint_end: 7,
  /** A part of a fold's state of a session, from another gateway. */
  moved: 8,
} as const;

export type Kind = keyof typeof KINDS;

export interface NewRecord {
  readonly kind: Kind;
  /** The name of the event, note or fold; at most 255 bytes. */
  readonly name: string;
  /** The session that it belongs to, and is deleted with. At most 255 bytes; empty if none. */
  readonly session: string;
  /** Its subject, such as the id of a message; at most 65,535 bytes. */
  readonly key: string;
  /** JSON, or empty. */
  readonly text: string;
}

/** A note: a record that changes the state of a fold without an event. */
export function note(session: string, name: string, key: string, text: string): NewRecord {
  return { kind: 'note', name, session, key, text };
}

export interface JournalRecord extends NewRecord {
  /** Increases from record to record, with holes. From 1. */
  readonly seq: number;
  /** Unix time in ms. */
  readonly at: number;
}

export const MAX_RECORD_BYTES = 8 * 1_048_576;

/** 2026-01-01, before the first journal. */
const BEGAN_AT = 1_767_225_600_000;
/** More than a disk can store. */
const MAX_RECORDS_PER_MS = 100;
/** Even if the clock is wrong. */
const MIN_MAX_SEQ = 2 ** 40;

/**
 * The highest seq that a journal can have reached by now. It grows faster than a journal: whatever is accepted now,
 * there are numbers left for what follows, and they are accepted later.
 */
export function maxSeq(): number {
  return MIN_MAX_SEQ + MAX_RECORDS_PER_MS * Math.max(0, Date.now() - BEGAN_AT);
}

/** A seq in the text of a record. */
export const writtenSeq = v.pipe(v.number(), v.integer(), v.minValue(0));

/*
 * A frame: checksum (u32), length of what follows (u32), seq (u48), time (u48), kind (u8), lengths of name (u8), session
 * (u8) and key (u16), then these three and the text, all in UTF-8. The checksum covers all that follows it. Numbers are
 * little-endian.
 */
const LENGTH_AT = 4;
const BODY_AT = 8;
const SEQ_AT = 8;
const TIME_AT = 14;
const KIND_AT = 20;
const NAME_LENGTH_AT = 21;
const SESSION_LENGTH_AT = 22;
const KEY_LENGTH_AT = 23;
const STRINGS_AT = 25;
const MIN_LENGTH = STRINGS_AT - BODY_AT;
/** As much of a frame as `claimedLength` reads. */
export const HEAD_BYTES = KIND_AT + 1;

const KIND_OF = new Map<number, Kind>(
  Object.entries(KINDS).map(([kind, number]) => [number, kind as Kind]), // The keys of the table.
);

/** True for the text of an event: an object as JSON, without line breaks, which streams could not send. */
export function hasData({ text }: Pick<NewRecord, 'text'>): boolean {
  try {
    const data: unknown = JSON.parse(text);
    return typeof data === 'object' && data !== null && !/[\r\n]/.test(text);
  } catch {
    return false;
  }
}

class RecordTooLongError extends Error {
  constructor(what: string) {
    super(`the journal cannot store a record with such a long ${what}`);
    this.name = 'RecordTooLongError';
  }
}

/** The most bytes that a record can take as a frame. */
export function maxBytesOf({ name, session, key, text }: NewRecord): number {
  return STRINGS_AT + 3 * (name.length + session.length + key.length + text.length);
}

export function frameBytesOf({ name, session, key, text }: NewRecord): number {
  return STRINGS_AT + [name, session, key, text].reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

export function requireFits({ name, session, key, text }: NewRecord): void {
  if (Buffer.byteLength(name) > 0xff) throw new RecordTooLongError('name');
  if (Buffer.byteLength(session) > 0xff) throw new RecordTooLongError('session');
  if (Buffer.byteLength(key) > 0xff_ff) throw new RecordTooLongError('key');
  if (STRINGS_AT + 0xff * 2 + 0xff_ff + Buffer.byteLength(text) > MAX_RECORD_BYTES)
    throw new RecordTooLongError('text');
}

/** Writes a record that fits into a buffer with enough room. Returns where its frame ends. */
export function writeFrame(buffer: Buffer, start: number, record: JournalRecord): number {
  const { seq, at, kind, name, session, key, text } = record;
  let end = start + STRINGS_AT;
  const nameLength = buffer.write(name, end);
  end += nameLength;
  const sessionLength = buffer.write(session, end);
  end += sessionLength;
  const keyLength = buffer.write(key, end);
  end += keyLength;
  end += buffer.write(text, end);
  buffer.writeUInt32LE(end - start - BODY_AT, start + LENGTH_AT);
  buffer.writeUIntLE(seq, start + SEQ_AT, 6);
  buffer.writeUIntLE(at, start + TIME_AT, 6);
  buffer[start + KIND_AT] = KINDS[kind];
  buffer[start + NAME_LENGTH_AT] = nameLength;
  buffer[start + SESSION_LENGTH_AT] = sessionLength;
  buffer.writeUInt16LE(keyLength, start + KEY_LENGTH_AT);
  buffer.writeUInt32LE(crc32(buffer.subarray(start + LENGTH_AT, end)), start);
  return end;
}

/** The whole frame at `start`; `incomplete` if the buffer ends first; `damaged` if it is not a frame. */
export type Read = Frame | 'incomplete' | 'damaged';

export function readFrame(buffer: Buffer, start: number): Read {
  if (buffer.length - start < BODY_AT) return 'incomplete';
  const length = buffer.readUInt32LE(start + LENGTH_AT);
  if (length < MIN_LENGTH || length > MAX_RECORD_BYTES) return 'damaged';
  if (buffer.length > start + KIND_AT && !KIND_OF.has(buffer[start + KIND_AT] ?? 0)) return 'damaged';
  const end = start + BODY_AT + length;
  if (end > buffer.length) return 'incomplete';
  if (crc32(buffer.subarray(start + LENGTH_AT, end)) !== buffer.readUInt32LE(start)) return 'damaged';
  const frame = new Frame(buffer, start, end);
  return frame.isSound ? frame : 'damaged';
}

/** The length of the frame that may begin at `start`; undefined if none does. Nothing is verified yet. */
export function claimedLength(buffer: Buffer, start: number): number | undefined {
  if (!KIND_OF.has(buffer[start + KIND_AT] ?? 0)) return undefined;
  const length = buffer.readUInt32LE(start + LENGTH_AT);
  return length < MIN_LENGTH || length > MAX_RECORD_BYTES ? undefined : BODY_AT + length;
}

/** A record in a buffer, whose parts are decoded on demand. */
export class Frame {
  readonly end: number;
  readonly seq: number;
  readonly #buffer: Buffer;
  readonly #start: number;

  constructor(buffer: Buffer, start: number, end: number) {
    this.#buffer = buffer;
    this.#start = start;
    this.end = end;
    this.seq = buffer.readUIntLE(start + SEQ_AT, 6);
  }

  get isSound(): boolean {
    return KIND_OF.has(this.#buffer[this.#start + KIND_AT] ?? 0) && this.#textAt <= this.end;
  }

  get kind(): Kind {
    return KIND_OF.get(this.#buffer[this.#start + KIND_AT] ?? 0) ?? 'note';
  }

  get at(): number {
    return this.#buffer.readUIntLE(this.#start + TIME_AT, 6);
  }

  get name(): string {
    return this.#buffer.toString('utf8', this.#nameAt, this.#sessionAt);
  }

  get session(): string {
    return this.#buffer.toString('utf8', this.#sessionAt, this.#keyAt);
  }

  get text(): string {
    return this.#buffer.toString('utf8', this.#textAt, this.end);
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(this.#start, this.end);
  }

  /** The record, decoded. It shares no memory with the buffer. */
  record(): JournalRecord {
    const { seq, at, kind, name, session } = this;
    const key = this.#buffer.toString('utf8', this.#keyAt, this.#textAt);
    return { seq, at, kind, name, session, key, text: this.text };
  }

  get #nameAt(): number {
    return this.#start + STRINGS_AT;
  }

  get #sessionAt(): number {
    return this.#nameAt + (this.#buffer[this.#start + NAME_LENGTH_AT] ?? 0);
  }

  get #keyAt(): number {
    return this.#sessionAt + (this.#buffer[this.#start + SESSION_LENGTH_AT] ?? 0);
  }

  get #textAt(): number {
    return this.#keyAt + this.#buffer.readUInt16LE(this.#start + KEY_LENGTH_AT);
  }
}
