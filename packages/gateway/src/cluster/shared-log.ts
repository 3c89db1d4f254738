import { EVENT_ID, type EventName } from '@chat-web/protocol';
import type { Entry, EventSource, FeedOptions } from '../events/feed.ts';
import type { ForReaders } from './cluster.ts';
import type { Engine } from './engine.ts';
import { type FoundPlace, LogFeed, type LogRecord, type LogRecords, type Place } from './log-feed.ts';

interface Row {
  readonly n: string;
  readonly origin: string;
  readonly seq: string;
  readonly at: string;
  readonly session: string;
  readonly name: string | null;
  readonly data: string;
}

interface EndsRow {
  readonly newest: string;
  readonly oldest: string;
  readonly timeline: string;
  readonly timeline_after: string;
}

const MAX_ROWS = 1_000;
/** Kept in memory for readers that keep up; a record takes more than its text. */
const RECENT_BYTES = 8 * 1_048_576;
const RECORD_BYTES = 300;

/**
 * The events of all hosts, as the database has them: each is in its host's journal first. The newest ones are kept in
 * memory, for all readers of this gateway.
 */
export class SharedLog implements EventSource, LogRecords {
  readonly #engine: Engine;
  #recent: LogRecord[] = [];
  #recentBytes = 0;
  #recentAfter = 0;
  /** The last event that this gateway knows; undefined until the database was reached. */
  #newest: Place | undefined;
  #oldest = 0;
  #timeline: string | undefined;
  /** How often a promoted standby lacked events that were read here. */
  #losses: { readonly after: number }[] = [];
  /** By session: the place up to which its events are deleted. */
  readonly #deleted = new Map<string, number>();
  readonly #listeners = new Set<() => void>();
  forReaders: ForReaders = { metadataOf: () => undefined, gaps: new Map() };

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  feed(options: FeedOptions): LogFeed {
    return new LogFeed(this, options);
  }

  /** Reads what is new. Rejects if the database cannot be reached. */
  async refresh(): Promise<void> {
    const [ends] = await this.#engine.query<EndsRow>('SELECT * FROM chat_web.log_ends()');
    if (!ends) return;
    const [newest, after] = [Number(ends.newest), Number(ends.timeline_after)];
    this.#oldest = Number(ends.oldest);
    const isOtherServer = this.#timeline !== undefined && this.#timeline !== ends.timeline;
    this.#timeline = ends.timeline;
    if (this.#newest === undefined) await this.#startAt(newest);
    else if (isOtherServer) await this.#goBackTo(Math.min(after, newest));
    await this.follow();
  }

  /** Reads the events after those that are known, until there are none. */
  async follow(): Promise<void> {
    for (;;) {
      const before = this.#newest;
      if (!before) return;
      const records = await this.#read(before.n, null);
      if (this.#newest !== before) continue; // Another call was faster.
      const last = records.at(-1);
      if (!last) return;
      this.#append(records, { n: last.n, id: last.id });
      if (records.length < MAX_ROWS) return;
    }
  }

  async #startAt(newest: number): Promise<void> {
    const [last] = await this.#read(newest - 1, null);
    this.#newest = { n: newest, id: last?.n === newest ? last.id : undefined };
    this.#recentAfter = newest;
  }

  /** A standby was promoted. What it lacks is shipped again, with the same ids at other places. */
  async #goBackTo(after: number): Promise<void> {
    if (!this.#newest || after >= this.#newest.n) return;
    this.#losses.push({ after });
    [this.#recent, this.#recentBytes] = [[], 0];
    await this.#startAt(after);
  }

  #append(records: readonly LogRecord[], newest: Place): void {
    this.#newest = newest;
    for (const record of records) {
      this.#recent.push(record);
      this.#recentBytes += RECORD_BYTES + record.text.length;
      if (record.name === undefined) this.#deleted.set(record.session, record.n);
    }
    let dropped = 0;
    for (const { n, text } of this.#recent) {
      if (this.#recentBytes <= RECENT_BYTES) break;
      this.#recentBytes -= RECORD_BYTES + text.length;
      this.#recentAfter = n;
      dropped += 1;
    }
    if (dropped > 0) this.#recent.splice(0, dropped);
    for (const listener of [...this.#listeners]) listener();
  }

  // For feeds.

  get newest(): Place | undefined {
    return this.#newest;
  }

  get oldest(): number {
    return this.#oldest;
  }

  get losses(): number {
    return this.#losses.length;
  }

  placeAfterLoss(n: number, known: number): number {
    return Math.min(n, ...this.#losses.slice(known).map(({ after }) => after));
  }

  recentAfter(n: number): readonly LogRecord[] | undefined {
    if (n < this.#recentAfter) return undefined;
    // They have no holes, except for deleted sessions.
    let [low, high] = [0, this.#recent.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#recent[middle]?.n ?? 0) > n) high = middle;
      else low = middle + 1;
    }
    return this.#recent.slice(low, low + MAX_ROWS);
  }

  async readAfter(n: number, session: string | undefined): Promise<readonly LogRecord[]> {
    return this.#read(n, session ?? null);
  }

  isDeleted({ session, n }: LogRecord): boolean {
    return n < (this.#deleted.get(session) ?? 0);
  }

  async find(id: string): Promise<FoundPlace> {
    const found = await this.#find(id);
    return { n: found?.n == null ? undefined : Number(found.n), isExpired: found?.is_expired === true };
  }

  async #find(id: string) {
    const [, origin = '', seq = ''] = EVENT_ID.exec(id) ?? [];
    const [row] = await this.#engine.query<{ n: string | null; is_there: boolean; is_expired: boolean }>(
      'SELECT * FROM chat_web.find_event($1, $2)',
      [origin, seq],
    );
    return row;
  }

  async findTime(since: number): Promise<number> {
    const [row] = await this.#engine.query<{ n: string }>('SELECT chat_web.find_time($1) AS n', [since]);
    return Number(row?.n ?? 0);
  }

  onMore(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The event with an id; undefined if it is not kept. */
  async entry(id: string): Promise<Entry | undefined> {
    const found = await this.#find(id);
    if (found?.n == null || !found.is_there) return undefined;
    const [record] = await this.#read(Number(found.n) - 1, null);
    return record?.id === id && record.name !== undefined ? this.entryOf(record) : undefined;
  }

  entryOf({ id, name, session, at, text }: LogRecord): Entry {
    const whose = session === '' ? undefined : session;
    return {
      id,
      event: name ?? 'gap',
      session: whose,
      at,
      text,
      metadata: whose === undefined ? undefined : this.forReaders.metadataOf(whose),
    };
  }

  async #read(after: number, session: string | null): Promise<LogRecord[]> {
    const rows = await this.#engine.query<Row>('SELECT * FROM chat_web.read_events($1, $2, $3)', [
      after,
      MAX_ROWS,
      session,
    ]);
    return rows.map(({ n, origin, seq, at, session: of, name, data }) => ({
      n: Number(n),
      id: `${origin}-${seq}`,
      name: name === null ? undefined : (name as EventName), // Of a gateway of this cluster.
      session: of,
      at: Number(at),
      text: data,
    }));
  }
}
