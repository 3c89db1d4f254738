import { EVENT_ID, type EventName, writtenTime } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Cursor, Gap } from '../journal/cursor.ts';
import type { JournalRecord } from '../journal/frame.ts';
import type { Journal } from '../journal/journal.ts';

/** An event as readers get it. */
export interface Entry {
  /** Undefined if it is not stored. */
  readonly id: string | undefined;
  readonly event: EventName;
  /** Undefined for a gap in what the gateway has stored. */
  readonly session: string | undefined;
  /** Unix time in ms. */
  readonly at: number;
  /** Its data, as JSON. */
  readonly text: string;
}

/** Where a feed begins, and what is in it. */
export interface FeedOptions {
  /** An id, `oldest`, or a time in ISO 8601. Undefined: with what comes next. */
  readonly after: string | undefined;
  /** Events of this session alone. Undefined: of all that `sees` allows. */
  readonly session: string | undefined;
  takes(session: string, name: EventName): boolean;
}

/** The events after a position, in order, with what is missing told. */
export class Feed {
  readonly #journal: Journal;
  readonly #cursor: Cursor;
  readonly #session: string | undefined;
  readonly #onGap: (reason: string) => void;
  #first: Entry[] = [];

  /** `onGap`: called for each gap that its reader is told of. */
  constructor(journal: Journal, { after, session, takes }: FeedOptions, onGap: (reason: string) => void) {
    this.#journal = journal;
    this.#onGap = onGap;
    this.#session = session;
    const filter = (of: string, name: string) =>
      (session === undefined || of === session) && takes(of, name as EventName);
    this.#cursor = v.is(writtenTime, after)
      ? journal.cursorSince(Date.parse(after), filter)
      : journal.cursor(this.#positionOf(after), filter);
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

  /** The position of the last event that was looked at: what follows it is unread. */
  get position(): string {
    const { position } = this.#cursor;
    return position > 0 ? this.#journal.idOf(position) : OLDEST;
  }

  get isAtEnd(): boolean {
    return this.#first.length === 0 && this.#cursor.isAtEnd;
  }

  /** The next events. It may give none although more follow. To be called again when the call before has settled. */
  read(): Entry[] | Promise<Entry[]> {
    if (this.#first.length > 0) return this.#first.splice(0);
    const read = this.#cursor.read();
    return Array.isArray(read) ? this.#entries(read) : read.then((found) => this.#entries(found));
  }

  /**
   * Calls back once the position is final: it moves past records that were being written when the feed was made. Never
   * called if there were none.
   */
  onBegin(listener: () => void): void {
    this.#cursor.onBegin(listener);
  }

  /** Calls back each time that there may be more, until the returned function is called. */
  onMore(listener: () => void): () => void {
    return this.#journal.onCommit(listener);
  }

  #entries(found: readonly (JournalRecord | Gap)[]): Entry[] {
    return found.map((one) =>
      one.kind === 'gap'
        ? this.#gapEntry(one.reason, one.from > 0 ? this.#journal.idOf(one.from) : null, one.to)
        : entryOf(this.#journal.idOf(one.seq), one),
    );
  }

  #gapEntry(reason: 'expired' | 'damaged' | 'unknown_position', from: string | null, toSeq: number): Entry {
    this.#onGap(reason);
    const to = toSeq > 0 ? this.#journal.idOf(toSeq) : undefined;
    const text = JSON.stringify({ reason, from, to: to ?? null });
    return { id: to, event: 'gap', session: this.#session, at: Date.now(), text };
  }
}

/** An event as it was stored. */
export function entryOf(id: string, { name, session, at, text }: JournalRecord): Entry {
  return { id, event: name as EventName, session, at, text };
}

/** The position before all that is kept. */
export const OLDEST = 'oldest';

/** An event as Server-Sent Events have it. `withSession`: on a stream of all sessions, where its data says whose it is. */
export function frameOf({ id, event, session, at, text }: Entry, withSession: boolean): string {
  const head = id === undefined ? `event: ${event}\n` : `id: ${id}\nevent: ${event}\n`;
  if (withSession) return `${head}data: ${envelopeOf({ session, at, text })}\n\n`;
  // A QR is a plain string; JSON contains no line break, so one data line is enough.
  return `${head}data: ${event === 'qr' ? JSON.parse(text) : text}\n\n`;
}

function envelopeOf({ session, at, text }: Pick<Entry, 'session' | 'at' | 'text'>): string {
  const whose = session === undefined ? '' : `"session":${JSON.stringify(session)},`;
  return `{${whose}"at":"${new Date(at).toISOString()}","data":${text}}`;
}

/** An event as pages of JSON have it. */
export function jsonOf({ id, event, session, at, text }: Entry): string {
  const head = id === undefined ? '' : `"id":${JSON.stringify(id)},`;
  return `{${head}"event":"${event}",${envelopeOf({ session, at, text }).slice(1)}`;
}
