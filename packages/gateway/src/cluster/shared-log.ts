import { EVENT_ID, isEventName } from '@chat-web/protocol';
import type { Entry, EventSource, FeedOptions } from '../events/feed.ts';
import { firstAfter, Recent } from '../journal/recent.ts';
import { Turns } from '../journal/turns.ts';
import type { ForReaders } from './cluster.ts';
import type { Engine } from './engine.ts';
import { type FoundPosition, LogFeed, type LogPosition, type LogRecord, type LogRecords } from './log-feed.ts';

interface Row {
  readonly n: string;
  readonly origin: string;
  readonly seq: string;
  readonly at: string;
  readonly session: string;
  readonly name: string | null;
  readonly data: string;
}

interface FoundRow {
  readonly n: string | null;
  readonly is_expired: boolean;
}

interface EndsRow {
  readonly newest: string;
  readonly oldest: string;
  readonly timeline: string;
  readonly timeline_after: string;
}

const MAX_ROWS = 1_000;
/** A reading that is shorter was not cut off: that happens at about 1 MB. */
const FULL_LENGTH = 250_000;
const RECENT_BYTES = 8 * 1_048_576;
/** How many readers ask the database at a time: beats need a connection, too. */
const MAX_READING = 2;

/**
 * The events of all hosts, as the database has them: each is in its host's journal first. The newest ones are kept in
 * memory, for all readers of this gateway.
 */
export class SharedLog implements EventSource, LogRecords {
  readonly #engine: Engine;
  #recent = newRecent(0);
  /** The last event that this gateway knows; undefined until the database was reached. */
  #newest: LogPosition | undefined;
  #oldest = 0;
  #timeline: string | undefined;
  /** True after a loss that no caller of `refresh` knows of, since a later step has failed. */
  #hasNews = false;
  /** Everything after these places was read here, and lost there. */
  readonly #losses: number[] = [];
  readonly #turns = new Turns(MAX_READING);
  /** The place up to which the events of each session are deleted. */
  readonly #deleted = new Map<string, number>();
  readonly #listeners = new Set<() => void>();
  forReaders: ForReaders = { metadataOf: () => undefined, gaps: new Map() };
  /** Called when a session was deleted, with its events. */
  onDeleted: (session: string) => void = () => {};

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  feed(options: FeedOptions): LogFeed {
    return new LogFeed(this, options);
  }

  /**
   * Reads what is new. Resolves with true if the database has lost events that were read here: its standby was promoted,
   * or it was restored. Rejects if it cannot be reached.
   */
  async refresh(): Promise<boolean> {
    const known = this.#newest?.n; // Own events may be added while the database answers.
    const [ends] = await this.#engine.query<EndsRow>('SELECT * FROM chat_web.log_ends()');
    if (!ends) return false;
    const [newest, timelineAfter] = [Number(ends.newest), Number(ends.timeline_after)];
    const isOtherServer = this.#timeline !== undefined && this.#timeline !== ends.timeline;
    const after = isOtherServer ? Math.min(timelineAfter, newest) : newest;
    const hasLost = known !== undefined && after < known;
    if (known === undefined || hasLost) await this.#startAt(after);
    this.#hasNews ||= isOtherServer || hasLost;
    this.#timeline = ends.timeline;
    this.#oldest = Number(ends.oldest);
    for (const [session, n] of this.#deleted) if (n <= this.#oldest) this.#deleted.delete(session);
    await this.follow();
    const hadNews = this.#hasNews;
    this.#hasNews = false;
    return hadNews;
  }

  /** Reads the events after those that are known, until there are none. */
  async follow(): Promise<void> {
    for (;;) {
      if (!this.#newest) return;
      const records = await this.#read(this.#newest.n, undefined);
      if (records.length === 0) return;
      this.#append(records.filter(({ n }) => this.isBefore(n))); // Own ones may have been added meanwhile.
      const length = records.reduce((sum, { text }) => sum + text.length, 0);
      if (records.length < MAX_ROWS && length < FULL_LENGTH) return;
    }
  }

  /** What is after this place is read again, also by feeds. */
  async #startAt(n: number): Promise<void> {
    const [last] = await this.#read(n - 1, undefined, 1);
    // This is one turn of the event loop: a feed must not see a part of it.
    if (this.#newest) this.#losses.push(n);
    this.#newest = { n, id: last?.n === n ? last.id : undefined };
    this.#recent = newRecent(n);
    for (const [session, deletedAt] of this.#deleted) if (deletedAt > n) this.#deleted.delete(session);
    this.#notify();
  }

  /** Whether there are events up to a place that are not known. */
  isBefore(n: number): boolean {
    return this.#newest === undefined || this.#newest.n < n;
  }

  /**
   * What this host has appended, up to a place. False if it has to be read in its order: others have appended as well,
   * or a session was deleted, and the database knows whether another host has it.
   */
  add(records: readonly Omit<LogRecord, 'n'>[], last: number): boolean {
    const first = last - records.length + 1;
    if (this.#newest?.n !== first - 1 || records.some(({ name }) => name === undefined)) return false;
    this.#append(records.map((record, at) => ({ ...record, n: first + at })));
    return true;
  }

  #append(records: readonly LogRecord[]): void {
    const last = records.at(-1);
    if (last) this.#newest = { n: last.n, id: last.id };
    for (const record of records) {
      this.#recent.add(record);
      if (record.name !== undefined) continue;
      this.#deleted.set(record.session, record.n);
      this.onDeleted(record.session);
    }
    this.#recent.drop();
    this.#notify();
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  // For feeds.

  get newest(): LogPosition | undefined {
    return this.#newest;
  }

  get oldest(): number {
    return this.#oldest;
  }

  /** The timeline of the server that was read last. */
  get timeline(): string | undefined {
    return this.#timeline;
  }

  get losses(): number {
    return this.#losses.length;
  }

  placeAfterLoss(n: number, known: number): number {
    return Math.min(n, ...this.#losses.slice(known));
  }

  recentAfter(n: number): readonly LogRecord[] | undefined {
    const { records, after } = this.#recent;
    if (n < after) return undefined;
    const first = firstAfter(records, n, placeOf);
    return records.slice(first, first + MAX_ROWS);
  }

  readAfter(n: number, session: string | undefined, owner = ''): Promise<readonly LogRecord[]> {
    return this.#turns.run(owner, async () => {
      const records = await this.#read(n, session);
      const [ends] = await this.#engine.query<EndsRow>('SELECT * FROM chat_web.log_ends()');
      this.#oldest = Math.max(this.#oldest, Number(ends?.oldest ?? 0));
      return records;
    });
  }

  async at(n: number, owner: string): Promise<LogRecord | undefined> {
    const [record] = await this.#turns.run(owner, () => this.#read(n - 1, undefined, 1));
    return record?.n === n ? record : undefined;
  }

  isDeleted({ session, n }: Pick<LogRecord, 'session' | 'n'>): boolean {
    return n < (this.#deleted.get(session) ?? 0);
  }

  async find(id: string, owner = ''): Promise<FoundPosition> {
    const [, origin = '', seq = ''] = EVENT_ID.exec(id) ?? [];
    const query = () => this.#engine.query<FoundRow>('SELECT * FROM chat_web.find_event($1, $2)', [origin, seq]);
    const [found] = await this.#turns.run(owner, query);
    return { n: found?.n == null ? undefined : Number(found.n), isExpired: found?.is_expired === true };
  }

  async findTime(since: number, owner = ''): Promise<number> {
    const query = () => this.#engine.query<{ n: string }>('SELECT chat_web.find_time($1) AS n', [since]);
    const [row] = await this.#turns.run(owner, query);
    return Number(row?.n ?? 0);
  }

  onMore(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  entryOf({ id, name, session, at, text }: LogRecord): Entry {
    const whose = session === '' ? undefined : session;
    return {
      id,
      event: name || 'gap',
      session: whose,
      at,
      text,
      metadata: whose === undefined ? undefined : this.forReaders.metadataOf(whose),
    };
  }

  async #read(after: number, session: string | undefined, maxRows = MAX_ROWS): Promise<LogRecord[]> {
    const rows = await this.#engine.query<Row>('SELECT * FROM chat_web.read_events($1, $2, $3)', [
      after,
      maxRows,
      session ?? null,
    ]);
    return rows.map(({ n, origin, seq, at, session: of, name, data }) => ({
      n: Number(n),
      id: `${origin}-${seq}`,
      name: name === null ? undefined : isEventName(name) ? name : '', // Not of a newer version.
      session: of,
      at: Number(at),
      text: data,
    }));
  }
}

const placeOf = ({ n }: LogRecord) => n;
const newRecent = (after: number) => new Recent(RECENT_BYTES, placeOf, after);
