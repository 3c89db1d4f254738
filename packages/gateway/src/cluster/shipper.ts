import { setTimeout as delay } from 'node:timers/promises';
import { deferred, errorText, GatewayError } from '@chat-web/protocol';
import type { Cursor, Gap } from '../journal/cursor.ts';
import type { JournalRecord } from '../journal/frame.ts';
import type { Log } from '../log.ts';
import type { OwnJournal } from './cluster.ts';
import type { Engine } from './engine.ts';

interface Dependencies {
  readonly engine: Engine;
  readonly journal: OwnJournal;
  readonly host: string;
  /** Of the claim of this gateway. */
  readonly epoch: () => number;
  readonly stopping: AbortSignal;
  readonly log: Log;
}

const RETRY_MS = 1_000;
/** A record that is written wakes it; this is for those that are missed. */
const IDLE_MS = 5_000;

interface Columns {
  readonly origins: string[];
  readonly seqs: number[];
  readonly ats: number[];
  readonly sessions: string[];
  readonly names: (string | null)[];
  readonly texts: string[];
}

const NOTHING: Columns = { origins: [], seqs: [], ats: [], sessions: [], names: [], texts: [] };

/**
 * Copies the events of this host's journal to the database: each exactly once, in order, as soon as it is on disk; what
 * has waited, in batches. The database knows how far it is, and refuses what does not follow.
 */
export class Shipper {
  readonly #dependencies: Dependencies;
  #cursor: Cursor | undefined;
  /** Up to this seq, the journal is in the database; undefined until it was asked. */
  #shipped: number | undefined;
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

  /** Resolves with true once the journal is in the database up to a seq; with false if the time is up first. */
  async until(seq: number, timeoutMs: number): Promise<boolean> {
    const deadline = performance.now() + timeoutMs;
    while ((this.#shipped ?? 0) < seq) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0 || this.#dependencies.stopping.aborted) return false;
      await Promise.race([this.#done.promise, delay(Math.min(leftMs, IDLE_MS))]);
    }
    return true;
  }

  /** Until the signal aborts. Never rejects. */
  async run(): Promise<void> {
    const { journal, stopping, log } = this.#dependencies;
    const stop = journal.onCommit(() => this.#more.resolve());
    stopping.addEventListener('abort', () => this.#more.resolve(), { once: true });
    while (!stopping.aborted) {
      try {
        if (await this.#shipNext()) continue;
        await Promise.race([this.#more.promise, delay(IDLE_MS, undefined, { signal: stopping }).catch(() => {})]);
        this.#more = deferred();
      } catch (error) {
        this.#cursor = undefined;
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
    if (cursor.isAtEnd) return false;
    const after = this.#shipped ?? 0;
    const columns = columnsOf(await cursor.read(), journal, after);
    const upTo = cursor.position;
    if (upTo === after) return !cursor.isAtEnd;
    const shipped = await this.#ship(after, upTo, columns);
    // After an answer that was lost, or by a server that lacks the last ones.
    if (shipped !== upTo) this.#cursor = undefined;
    this.#shipped = shipped;
    this.#done.resolve();
    this.#done = deferred();
    return true;
  }

  async #begin(): Promise<number> {
    const { engine, journal } = this.#dependencies;
    const [row] = await engine.query<{ shipped: string }>('SELECT chat_web.shipped() AS shipped');
    const shipped = Number(row?.shipped ?? 0);
    // A journal that was lost was longer than the one that has replaced it, whose events have other ids.
    if (shipped > journal.lastSeq) await this.#ship(shipped, journal.lastSeq, NOTHING);
    this.#shipped = Math.min(shipped, journal.lastSeq);
    return this.#shipped;
  }

  /** Returns up to which seq the journal is in the database then. */
  async #ship(after: number, upTo: number, columns: Columns): Promise<number> {
    const { engine, host, epoch } = this.#dependencies;
    const { origins, seqs, ats, sessions, names, texts } = columns;
    const [row] = await engine.query<{ shipped: string | null }>(
      'SELECT chat_web.ship($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS shipped',
      [host, epoch(), after, upTo, origins, seqs, ats, sessions, names, texts],
    );
    if (row?.shipped == null) throw new Error('another gateway has claimed the data folder');
    return Number(row.shipped);
  }
}

function columnsOf(records: readonly (JournalRecord | Gap)[], journal: OwnJournal, after: number): Columns {
  const columns: Columns = { origins: [], seqs: [], ats: [], sessions: [], names: [], texts: [] };
  for (const record of records) {
    // What expired before this host joined was never in the database.
    if (record.kind === 'gap' && after === 0) continue;
    const seq = record.kind === 'gap' ? record.to : record.seq;
    const id = journal.idOf(seq);
    const dash = id.lastIndexOf('-');
    columns.origins.push(id.slice(0, dash));
    columns.seqs.push(seq);
    columns.ats.push(record.kind === 'gap' ? Date.now() : record.at);
    columns.sessions.push(record.kind === 'gap' ? '' : record.session);
    columns.names.push(record.kind === 'gap' ? 'gap' : record.kind === 'forget' ? null : record.name);
    columns.texts.push(record.kind === 'gap' ? gapText(record, journal) : record.text);
  }
  return columns;
}

function gapText({ reason, from, to }: Gap, journal: OwnJournal): string {
  return JSON.stringify({ reason, from: from > 0 ? journal.idOf(from) : null, to: journal.idOf(to) });
}
