import { EVENT_ID, type EventName, type GAP_REASONS, type SessionEvent, writtenTime } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Cursor, Filter, Gap, Reader } from '../journal/cursor.ts';
import type { JournalRecord } from '../journal/frame.ts';
import type { Journal } from '../journal/journal.ts';

/** An event as readers receive it. */
export interface Entry {
  /** Undefined if it is not stored. */
  readonly id: string | undefined;
  /** Its position in the order of the feed, if that is not its id. */
  readonly place?: string | undefined;
  readonly event: EventName;
  /** Undefined for a gap of the whole journal. */
  readonly session: string | undefined;
  /** Unix time in ms. */
  readonly at: number;
  /** Its data, as JSON. */
  readonly text: string;
  /** The metadata of its session now, as JSON. Undefined if there is none. */
  readonly metadata?: string | undefined;
}

export interface FeedOptions {
  /** An id, `oldest`, or a time in ISO 8601. Undefined: only new events. */
  readonly after: string | undefined;
  /** Only events of this session. Undefined: of all that `takes` allows. */
  readonly session: string | undefined;
  takes: Takes;
  /** Whose turn at the disk it is; the gateway's own if absent. */
  readonly by?: Reader | undefined;
}

/**
 * True for the events that a reader gets. `event` has the data as JSON; undefined for one that is not stored, which has
 * no chat, and to ask whether there may be any.
 */
export type Takes = (session: string, name: EventName, event?: Pick<Entry, 'text'>) => boolean;

/** The metadata of a session, as JSON. */
export type MetadataOf = (session: string) => string | undefined;

/** The events after a position, in order, with gaps for missing ones. */
export interface Feed {
  /** The position of the last event that was read: everything after it is unread. */
  readonly position: string;
  readonly isAtEnd: boolean;
  /**
   * The next events. May return none although more follow. Call again only after the previous call has settled. Rejects
   * with `engine_unavailable` if they are in the database of a cluster, which cannot be reached now.
   */
  read(): Entry[] | Promise<Entry[]>;
  /**
   * Calls back once the position is final: it moves past records that were being written when the feed was created.
   * Never called if there were none.
   */
  onBegin(listener: () => void): void;
  /** Calls back each time that more events may be available, until the returned function is called. */
  onMore(listener: () => void): () => void;
}

/** Where readers get events from. */
export interface EventSource {
  feed(options: FeedOptions): Feed;
}

/** Events of this gateway's journal. */
export class JournalFeed implements Feed {
  readonly #journal: Journal;
  readonly #cursor: Cursor;
  readonly #session: string | undefined;
  readonly #onGap: (reason: string) => void;
  readonly #metadataOf: MetadataOf;
  #first: Entry[] = [];

  constructor(
    journal: Journal,
    { after, session, takes, by }: FeedOptions,
    onGap: (reason: string) => void,
    metadataOf: MetadataOf,
  ) {
    this.#journal = journal;
    this.#onGap = onGap;
    this.#metadataOf = metadataOf;
    this.#session = session;
    const filter: Filter = (of, name, event) =>
      (session === undefined || of === session) && takes(of, name as EventName, event);
    this.#cursor = v.is(writtenTime, after)
      ? journal.cursorSince(Date.parse(after), filter, by)
      : journal.cursor(this.#positionOf(after), filter, by);
  }

  #positionOf(after: string | undefined): number | undefined {
    const { oldestSeq } = this.#journal;
    if (after === undefined) return undefined;
    if (after === OLDEST) return oldestSeq - 1;
    const known = this.#journal.seqOf(after);
    if (known !== undefined) return known;
    this.#first = [this.#gapEntry('unknown_position', EVENT_ID.test(after) ? after : null, oldestSeq - 1)];
    return oldestSeq - 1;
  }

  get position(): string {
    const { position } = this.#cursor;
    return position > 0 ? this.#journal.idOf(position) : OLDEST;
  }

  get isAtEnd(): boolean {
    return this.#first.length === 0 && this.#cursor.isAtEnd;
  }

  read(): Entry[] | Promise<Entry[]> {
    if (this.#first.length > 0) return this.#first.splice(0);
    const read = this.#cursor.read();
    return Array.isArray(read) ? this.#entries(read) : read.then((found) => this.#entries(found));
  }

  onBegin(listener: () => void): void {
    this.#cursor.onBegin(listener);
  }

  onMore(listener: () => void): () => void {
    return this.#journal.onCommit(listener);
  }

  #entries(found: readonly (JournalRecord | Gap)[]): Entry[] {
    return found.map((one) =>
      one.kind === 'gap'
        ? this.#gapEntry(one.reason, one.from > 0 ? this.#journal.idOf(one.from) : null, one.to)
        : entryOf(this.#journal.idOf(one.seq), one, this.#metadataOf(one.session)),
    );
  }

  #gapEntry(reason: MissingEvents['reason'], from: string | null, toSeq: number): Entry {
    this.#onGap(reason);
    const to = toSeq > 0 ? this.#journal.idOf(toSeq) : null;
    return gapEntry({ reason, from, to }, this.#session, this.#metadataOf);
  }
}

export function entryOf(id: string, { name, session, at, text }: JournalRecord, metadata?: string): Entry {
  return { id, event: name as EventName, session, at, text, metadata };
}

/** An event that is shown now, and not stored. */
export function shownEntry(session: string, { name, data }: SessionEvent, metadata?: string): Entry {
  return { id: undefined, event: name, session, at: Date.now(), text: JSON.stringify(data), metadata };
}

/** Events after the id `from`, up to the id `to`, are missing. Null: unknown. */
interface MissingEvents {
  readonly reason: (typeof GAP_REASONS)[number];
  readonly from: string | null;
  readonly to: string | null;
}

/** A gap that one reader gets, of a session or of all. */
export function gapEntry(gap: MissingEvents, session: string | undefined, metadataOf: MetadataOf): Entry {
  const metadata = session === undefined ? undefined : metadataOf(session);
  return { id: gap.to ?? undefined, event: 'gap', session, at: Date.now(), text: JSON.stringify(gap), metadata };
}

/** The position before the oldest event that is kept. */
export const OLDEST = 'oldest';

/**
 * An event in the format of Server-Sent Events. `withSession`: on a stream of all sessions, the data names the session.
 */
export function sseEvent(entry: Entry, withSession: boolean): string {
  const { id, event, text } = entry;
  const head = id === undefined ? `event: ${event}\n` : `id: ${id}\nevent: ${event}\n`;
  if (withSession) return `${head}data: ${envelopeOf(entry)}\n\n`;
  // A QR is a plain string; JSON contains no line break, so one data line is enough.
  return `${head}data: ${event === 'qr' ? JSON.parse(text) : text}\n\n`;
}

function envelopeOf({ session, at, text, metadata }: Omit<Entry, 'id' | 'event'>): string {
  return `{${sessionFields(session, metadata)}"at":"${new Date(at).toISOString()}","data":${text}}`;
}

/** The fields of an event that name its session, each with a comma. */
export function sessionFields(session: string | undefined, metadata: string | undefined): string {
  const whose = session === undefined ? '' : `"session":${JSON.stringify(session)},`;
  return metadata === undefined ? whose : `${whose}"metadata":${metadata},`;
}

/** An event in the format of JSON pages. */
export function jsonOf(entry: Entry): string {
  const { id, event } = entry;
  const head = id === undefined ? '' : `"id":${JSON.stringify(id)},`;
  return `{${head}"event":"${event}",${envelopeOf(entry).slice(1)}`;
}
