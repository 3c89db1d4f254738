import { EVENT_ID, type EventName, writtenTime } from '@chat-web/protocol';
import * as v from 'valibot';
import { type Entry, type Feed, type FeedOptions, gapEntry, OLDEST } from '../events/feed.ts';
import type { ForReaders } from './cluster.ts';
import { EngineUnavailable } from './engine.ts';

/** An event of any host, at its place in the order of all. */
export interface LogRecord {
  readonly n: number;
  readonly id: string;
  /** Undefined: the session was deleted, with its events up to here. Empty: it was deleted. */
  readonly name: EventName | '' | undefined;
  /** A gap of a whole journal has an empty one. */
  readonly session: string;
  readonly at: number;
  readonly text: string;
}

/** A place in the order: events after it are unread. */
export interface LogPosition {
  readonly n: number;
  /** The id of the event at this place; undefined: the one before the oldest event. */
  readonly id: string | undefined;
}

export interface FoundPosition {
  /** Its place, or that of what was before it in its journal; undefined if neither is kept. */
  readonly n: number | undefined;
  /** What followed it in its journal is kept. */
  readonly isExpired: boolean;
}

/**
 * The events of all hosts, in one order. The methods that ask the database reject with `engine_unavailable`. `owner`:
 * whose turn it is.
 */
export interface LogRecords {
  /** The position of the last event; undefined until the database was reached. */
  readonly newest: LogPosition | undefined;
  /** The place before the oldest event that is kept. */
  readonly oldest: number;
  /** How often a promoted standby lacked events so far. */
  readonly losses: number;
  /** The place from which everything has to be read again: `known` losses were considered. */
  placeAfterLoss(n: number, known: number): number;
  /** The records after a place, up to 1,000, if all of them are in memory. */
  recentAfter(n: number): readonly LogRecord[] | undefined;
  /** Reads the records after a place, up to 1,000, of one session or of all. `oldest` is as new as these. */
  readAfter(n: number, session: string | undefined, owner?: string): Promise<readonly LogRecord[]>;
  /** The record at a place; undefined if it is not kept. */
  at(n: number, owner: string): Promise<LogRecord | undefined>;
  /** Where to read on after an id. */
  find(id: string, owner?: string): Promise<FoundPosition>;
  /** The place before the first one later than a time, in Unix ms. */
  findTime(since: number, owner?: string): Promise<number>;
  isDeleted(record: Pick<LogRecord, 'session' | 'n'>): boolean;
  entryOf(record: LogRecord): Entry;
  /** Called each time there are more, until the returned function is called. */
  onMore(listener: () => void): () => void;
  readonly forReaders: ForReaders;
}

const PLACE = /^log-(\d{1,15})$/;

/** A place as a position. */
export function placeText(n: number): string {
  return `log-${n}`;
}

export function placeIn(position: string): number | undefined {
  const [, digits] = PLACE.exec(position) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The most that one call returns from memory. */
const MAX_LENGTH = 262_144;

/** Events of all hosts, from a gateway's copy of the newest ones or from the database. */
export class LogFeed implements Feed {
  readonly #log: LogRecords;
  readonly #options: FeedOptions;
  readonly #isByPlace: boolean;
  /** Undefined until it is known where to begin. */
  #n: number | undefined;
  #position: string;
  #losses: number;
  #onBegin = () => {};

  /** `isByPlace`: positions are places, not ids. */
  constructor(log: LogRecords, options: FeedOptions, isByPlace = false) {
    this.#log = log;
    this.#options = options;
    this.#isByPlace = isByPlace;
    this.#losses = log.losses;
    const { after } = options;
    // A time that is not reached yet is a position as well.
    this.#position = after !== undefined && (EVENT_ID.test(after) || v.is(writtenTime, after)) ? after : OLDEST;
    if (after === undefined && log.newest) this.#moveTo(log.newest.n, log.newest.id);
  }

  get #owner(): string | undefined {
    return this.#options.by?.owner;
  }

  get position(): string {
    return this.#isByPlace && this.#n !== undefined ? placeText(this.#n) : this.#position;
  }

  get isAtEnd(): boolean {
    this.#noteLosses();
    return this.#n !== undefined && this.#n >= (this.#log.newest?.n ?? 0);
  }

  read(): Entry[] | Promise<Entry[]> {
    if (this.isAtEnd) return [];
    const records = this.#n === undefined ? undefined : this.#log.recentAfter(this.#n);
    return records && records.length > 0 ? this.#readRecent(records) : this.#readDatabase();
  }

  onBegin(listener: () => void): void {
    this.#onBegin = listener;
  }

  onMore(listener: () => void): () => void {
    return this.#log.onMore(listener);
  }

  #readRecent(records: readonly LogRecord[]): Entry[] {
    const found: Entry[] = [];
    let length = 0;
    for (const record of records) {
      if (length > MAX_LENGTH) break;
      this.#moveTo(record.n, record.id);
      if (!this.#takes(record)) continue;
      found.push(this.#entryOf(record));
      length += record.text.length;
    }
    return found;
  }

  async #readDatabase(): Promise<Entry[]> {
    this.#options.by?.requireWanted();
    const { newest } = this.#log;
    if (!newest) throw new EngineUnavailable(false);
    if (this.#n === undefined) {
      const gap = await this.#begin(newest);
      this.#onBegin();
      if (gap) return [gap];
    }
    const after = this.#n ?? 0;
    if (after < this.#log.oldest) return [this.#skipTo(this.#log.oldest)];
    const records = await this.#log.readAfter(after, this.#options.session, this.#owner);
    if (this.#n !== after) return []; // It went back meanwhile.
    if (after < this.#log.oldest) return [this.#skipTo(this.#log.oldest)]; // Some have expired just before.
    const found: Entry[] = [];
    for (const record of records) {
      this.#moveTo(record.n, record.id);
      if (this.#takes(record)) found.push(this.#entryOf(record));
    }
    // Behind these, there was nothing when they were read.
    if (records.length === 0 && after < newest.n) this.#moveTo(newest.n, newest.id);
    return found;
  }

  /** Finds the place to begin at. Returns a gap if it is unknown. */
  async #begin(newest: LogPosition): Promise<Entry | undefined> {
    const { after } = this.#options;
    if (after === undefined) {
      this.#moveTo(newest.n, newest.id);
      return undefined;
    }
    const place = placeIn(after);
    if (place !== undefined) {
      this.#n = Math.min(place, newest.n);
      return undefined;
    }
    if (v.is(writtenTime, after)) {
      this.#n = await this.#log.findTime(Date.parse(after), this.#owner);
      if (this.#n === this.#log.newest?.n) this.#moveTo(this.#n, this.#log.newest.id);
      return undefined;
    }
    if (!EVENT_ID.test(after)) {
      this.#n = this.#log.oldest;
      return after === OLDEST ? undefined : this.#gap('unknown_position', null);
    }
    const found = await this.#log.find(after, this.#owner);
    this.#n = found.n ?? this.#log.oldest;
    if (found.n !== undefined) return undefined;
    return this.#gap(found.isExpired ? 'expired' : 'unknown_position', after);
  }

  /** The events up to a place have expired. */
  #skipTo(n: number): Entry {
    const from = this.#position === OLDEST || this.#isByPlace ? null : this.#position;
    this.#n = n;
    return this.#gap('expired', from);
  }

  #gap(reason: 'expired' | 'unknown_position', from: string | null): Entry {
    const { gaps, metadataOf } = this.#log.forReaders;
    gaps.set(reason, (gaps.get(reason) ?? 0) + 1);
    this.#position = OLDEST; // All that is kept follows.
    const gap = gapEntry({ reason, from, to: null }, this.#options.session, metadataOf);
    return this.#isByPlace ? { ...gap, place: this.position } : gap;
  }

  #entryOf(record: LogRecord): Entry {
    const entry = this.#log.entryOf(record);
    return this.#isByPlace ? { ...entry, place: placeText(record.n) } : entry;
  }

  #moveTo(n: number, id: string | undefined): void {
    this.#n = n;
    if (id !== undefined) this.#position = id;
  }

  /** What a promoted standby lacks is read again. */
  #noteLosses(): void {
    const { losses } = this.#log;
    if (losses === this.#losses) return;
    if (this.#n !== undefined) this.#n = this.#log.placeAfterLoss(this.#n, this.#losses);
    this.#losses = losses;
  }

  #takes(record: LogRecord): boolean {
    const { session, takes } = this.#options;
    if (!record.name || this.#log.isDeleted(record)) return false;
    if (record.session === '') return true; // A gap of a journal.
    return (session === undefined || record.session === session) && takes(record.session, record.name, record);
  }
}
