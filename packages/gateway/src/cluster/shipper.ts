import { setTimeout as delay } from 'node:timers/promises';
import { deferred, errorText, GatewayError, isEventName, sessionId, settledWithin } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Cursor, Gap } from '../journal/cursor.ts';
import type { JournalRecord } from '../journal/frame.ts';
import type { Log } from '../log.ts';
import type { OwnJournal } from './cluster.ts';
import type { Engine } from './engine.ts';
import type { LogRecord } from './log-feed.ts';

interface Dependencies {
  readonly engine: Engine;
  readonly journal: OwnJournal;
  /** Called with what was appended; `last`: the place of the last one. */
  onShipped(records: readonly Omit<LogRecord, 'n'>[], last: number): void;
  readonly host: string;
  /** The epoch of this gateway's claim. */
  readonly epoch: () => number;
  readonly stopping: AbortSignal;
  readonly log: Log;
}

const RETRY_MS = 1_000;
/** Each written record wakes the shipper. It looks this often for records whose signal it missed. */
const IDLE_MS = 5_000;

/** The most records and characters of a batch; the last reading may exceed the latter. */
const [MAX_BATCH, MAX_BATCH_LENGTH] = [500, 524_288];

interface Row extends Omit<LogRecord, 'n'> {
  readonly seq: number;
}

/** The records of the journal after one seq, up to another. */
interface Batch {
  readonly after: number;
  readonly upTo: number;
  readonly rows: readonly Row[];
  /** A time of `performance.now()`. */
  readonly readAt: number;
  /** True if nothing else was in the journal then. */
  readonly isLast: boolean;
}

/**
 * Copies the events of this host's journal to the database: each exactly once, in order, as soon as it is on disk; what
 * has waited, in batches. The database knows how far it is, and refuses what does not follow.
 */
export class Shipper {
  readonly #dependencies: Dependencies;
  #cursor: Cursor | undefined;
  /** The next batch, which is read while one is shipped. */
  #ahead: Promise<Batch | undefined> | undefined;
  /** Up to this seq, the journal is in the database; undefined until it was asked. */
  #shipped: number | undefined;
  /** All records that wait were written later. */
  #waitingSince = performance.now();
  /** True if no record waits. */
  #isIdle = false;
  #more = deferred();
  #done = deferred();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    // Nothing expires before it is known to be in the database.
    dependencies.journal.keepAfter(() => this.#shipped ?? 0);
  }

  /** How many records of the journal are not in the database. */
  get lag(): number {
    return Math.max(0, this.#dependencies.journal.lastSeq - (this.#shipped ?? 0));
  }

  /** For how long a record has waited at most, in ms; 0 if none waits. */
  get lagMs(): number {
    return this.lag === 0 ? 0 : performance.now() - this.#waitingSince;
  }

  /** True once what was in the journal when it was opened is in the database. */
  get hasCaughtUp(): boolean {
    return (this.#shipped ?? -1) >= this.#dependencies.journal.openedAfter;
  }

  /** The database is another one, or has lost something: asks it again how far it is. */
  again(): void {
    this.#beginAgain();
    this.#more.resolve();
  }

  /** Resolves with true once all that is in the journal now is in the database; with false if the time is up first. */
  async untilEnd(timeoutMs: number): Promise<boolean> {
    const seq = this.#dependencies.journal.lastSeq;
    const deadline = performance.now() + timeoutMs;
    while ((this.#shipped ?? 0) < seq) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0 || this.#dependencies.stopping.aborted) return false;
      await settledWithin(this.#done.promise, Math.min(leftMs, IDLE_MS));
    }
    return true;
  }

  /** Ships until the signal aborts. Never rejects. */
  async run(): Promise<void> {
    const { journal, stopping, log } = this.#dependencies;
    const stop = journal.onCommit(() => {
      if (this.#isIdle) this.#waitingSince = performance.now();
      this.#isIdle = false;
      this.#more.resolve();
    });
    stopping.addEventListener('abort', () => this.#more.resolve(), { once: true });
    while (!stopping.aborted) {
      try {
        this.#isIdle = false;
        if (await this.#shipNext()) continue;
        this.#isIdle = this.lag === 0;
        await settledWithin(this.#more.promise, IDLE_MS);
        this.#more = deferred();
      } catch (error) {
        this.#beginAgain();
        if (!(error instanceof GatewayError)) log.error({ error: errorText(error) }, 'events not shipped');
        await delay(RETRY_MS, undefined, { signal: stopping }).catch(() => {});
      }
    }
    stop();
  }

  /** False if there is nothing to ship. */
  async #shipNext(): Promise<boolean> {
    const { journal } = this.#dependencies;
    this.#cursor ??= journal.cursorOfAll(await this.#begin());
    const cursor = this.#cursor;
    const batch = await (this.#ahead ?? this.#read(cursor));
    this.#ahead = undefined;
    if (!batch) return !cursor.isAtEnd;
    // Meanwhile, the next one is read.
    if (!cursor.isAtEnd) this.#ahead = this.#read(cursor);
    this.#ahead?.catch(() => {}); // Handled in its turn.
    const shipped = await this.#ship(batch);
    // After an answer that was lost, or by a server that lacks the last ones.
    if (shipped !== batch.upTo) this.#beginAgain();
    else if (batch.isLast) this.#waitingSince = batch.readAt;
    this.#shipped = shipped;
    this.#done.resolve();
    this.#done = deferred();
    return true;
  }

  /** Undefined if there is nothing new. */
  async #read(cursor: Cursor): Promise<Batch | undefined> {
    const { journal } = this.#dependencies;
    const [after, readAt] = [cursor.position, performance.now()];
    const rows: Row[] = [];
    for (let [length, before] = [0, -1]; rows.length < MAX_BATCH && length < MAX_BATCH_LENGTH; ) {
      if (cursor.isAtEnd || cursor.position === before) break;
      before = cursor.position;
      const records = await cursor.read();
      // What expired before this host joined was never in the database.
      const known = after === 0 ? records.filter(({ kind }) => kind !== 'gap') : records;
      for (const record of known) {
        const row = rowOf(record, journal);
        rows.push(row);
        length += row.text.length;
      }
    }
    const upTo = cursor.position;
    return upTo === after ? undefined : { after, upTo, rows, readAt, isLast: cursor.isAtEnd };
  }

  /** What the database has is asked first. */
  #beginAgain(): void {
    this.#cursor = undefined;
    this.#ahead = undefined;
  }

  async #begin(): Promise<number> {
    const { engine, journal } = this.#dependencies;
    const [row] = await engine.query<{ shipped: string }>('SELECT chat_web.shipped() AS shipped');
    const shipped = Number(row?.shipped ?? 0);
    // In the life of this gateway, no more is shipped than the journal has: the one before was lost, or longer.
    const isOther = this.#shipped === undefined && shipped > journal.openedAfter;
    const passed = { after: shipped, upTo: journal.openedAfter, rows: [], readAt: 0, isLast: false };
    this.#shipped = isOther ? await this.#ship(passed) : shipped;
    return this.#shipped;
  }

  /** Returns up to which seq the journal is in the database then. */
  async #ship({ after, upTo, rows }: Batch): Promise<number> {
    const { engine, host, epoch, onShipped } = this.#dependencies;
    const [row] = await engine.query<{ shipped: string | null; last: string | null }>(
      'SELECT * FROM chat_web.ship($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
      [
        host,
        epoch(),
        after,
        upTo,
        rows.map(({ id }) => originOf(id)),
        rows.map(({ seq }) => seq),
        rows.map(({ at }) => at),
        rows.map(({ session }) => session),
        rows.map(({ name = null }) => name),
        rows.map(({ text }) => text).join('\n'), // JSON on one line: cheaper than an array, in which each is escaped.
      ],
    );
    if (row?.shipped == null) throw new Error('another gateway has claimed the data folder');
    if (row.last != null) onShipped(rows, Number(row.last));
    return Number(row.shipped);
  }
}

/** The epoch of a journal, with which an id begins. */
function originOf(id: string): string {
  return id.slice(0, id.lastIndexOf('-'));
}

/** A record that the database would refuse is a gap: a worker can write to the files of the journal. */
function rowOf(record: JournalRecord | Gap, journal: OwnJournal): Row {
  if (record.kind === 'gap') return gapRow(record, journal);
  const { kind, seq, at, session, name, text } = record;
  const about = { seq, id: journal.idOf(seq), at, session };
  if (v.is(sessionId, session)) {
    if (kind === 'forget') return { ...about, name: undefined, text: '' };
    if (isEventName(name)) return { ...about, name, text };
  }
  return gapRow({ kind: 'gap', reason: 'damaged', from: seq - 1, to: seq }, journal);
}

function gapRow({ reason, from, to }: Gap, journal: OwnJournal): Row {
  const text = JSON.stringify({ reason, from: from > 0 ? journal.idOf(from) : null, to: journal.idOf(to) });
  return { seq: to, id: journal.idOf(to), at: Date.now(), session: '', name: 'gap', text };
}
