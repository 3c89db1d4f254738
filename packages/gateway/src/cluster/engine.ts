import { setTimeout as delay } from 'node:timers/promises';
import { errorText, GatewayError } from '@chat-web/protocol';
import type pg from 'pg';
import type { Log } from '../log.ts';

const CONNECTION = {
  application_name: 'chat-web',
  connectionTimeoutMillis: 3_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
};
/** The server gives up first, so that its answer is known. */
const [STATEMENT_TIMEOUT_MS, QUERY_TIMEOUT_MS] = [4_000, 5_000];
const MAX_CONNECTIONS = 4;
/** SQLSTATE: no connection, no resources, shutting down or starting up, a timeout, or a standby, which is read-only. */
const OUTAGE = /^(08|53|57|55P03|25006)/;
/** Of one server: another may accept the role, or have the database. */
const REFUSAL = /^(28|3D)/;
const NETWORK = /^(E(CONN|HOST|NET)\w+|ETIMEDOUT|EPIPE|ENOTFOUND|EAI_AGAIN|ENOENT)$/;
const LOST = /timeout|terminated|closed|not queryable/i;

export class EngineUnavailable extends GatewayError {
  /** False if the query was not carried out. */
  readonly mayHaveRun: boolean;

  constructor(mayHaveRun: boolean) {
    super('engine_unavailable', 'the database of the cluster cannot be reached');
    this.mayHaveRun = mayHaveRun;
  }
}

class StandbyError extends Error {
  constructor() {
    super('the server is a standby');
  }
}

/** A connection that listens is opened again after this wait. */
const LISTEN_RETRY_MS = 2_000;

/** The PostgreSQL server of the cluster. If there are several, it uses the first that accepts writes. */
export class Engine {
  readonly #pools: readonly pg.Pool[];
  readonly #newListener: (at: number) => pg.Client;
  readonly #log: Log;
  /** The one that has answered last. */
  #current: pg.Pool | undefined;
  #isDown = false;

  private constructor(pools: readonly pg.Pool[], newListener: (at: number) => pg.Client, log: Log) {
    this.#pools = pools;
    this.#newListener = newListener;
    this.#log = log;
  }

  /** `urls`: of one server and its standbys. Connects when it is first asked. */
  static async open(urls: readonly string[], log: Log): Promise<Engine> {
    // Loaded only here: a gateway without a cluster does not need it.
    const { default: postgres } = await import('pg');
    const pools = urls.map((connectionString) => {
      const pool = new postgres.Pool({
        ...CONNECTION,
        connectionString,
        max: MAX_CONNECTIONS,
        query_timeout: QUERY_TIMEOUT_MS,
        statement_timeout: STATEMENT_TIMEOUT_MS,
        // A standby accepts no writes, and what it knows may be old.
        verify: (client, done) => void requirePrimary(client).then(() => done(), done),
        allowExitOnIdle: true,
      });
      pool.on('error', () => {}); // Of an idle connection. The next query opens another one.
      // The pool listens to a connection that is idle or has a query of ours, but not while it is verified.
      return pool.on('connect', (client) => void client.on('error', () => {}));
    });
    const newListener = (at: number) => new postgres.Client({ ...CONNECTION, connectionString: urls[at] });
    return new Engine(pools, newListener, log);
  }

  /**
   * Calls back when a channel is notified, each its own function, with what was sent, until the signal aborts. While no connection is open,
   * notifications are missed: read what may have changed every now and then as well.
   */
  async listen(listeners: Readonly<Record<string, (payload: string) => void>>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // Only the server that accepts writes has changes.
      const client = this.#newListener(Math.max(0, this.#current ? this.#pools.indexOf(this.#current) : 0));
      const end = () => void client.end().catch(() => {});
      try {
        const closed = new Promise((resolve) => void client.once('end', resolve).on('error', resolve));
        await client.connect();
        client.on('notification', ({ channel, payload = '' }) => listeners[channel]?.(payload));
        for (const channel of Object.keys(listeners)) await client.query(`LISTEN ${channel}`);
        signal.addEventListener('abort', end, { once: true });
        if (!signal.aborted) await closed;
      } catch {
        // The next query says why, if it fails as well.
      } finally {
        signal.removeEventListener('abort', end);
        end();
      }
      await delay(LISTEN_RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }

  /**
   * The rows of a query. Rejects with EngineUnavailable if no server can be reached or accepts writes, and otherwise with
   * the error of the server.
   */
  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    let why: unknown;
    let mayHaveRun = false;
    for (const pool of this.#fromCurrent()) {
      let isConnected = false;
      try {
        const client = await pool.connect();
        isConnected = true;
        const rows = await queryOnce<Row>(client, text, values);
        if (this.#isDown) this.#log.info('database of the cluster reached again');
        this.#isDown = false;
        this.#current = pool;
        return rows;
      } catch (error) {
        // Another server may have carried it out.
        if (!isOutage(error)) throw mayHaveRun ? new EngineUnavailable(true) : error;
        why ??= error;
        mayHaveRun ||= isConnected && !isOfServer(error);
        if (isLate(error)) break; // It may have been carried out.
      }
    }
    if (!this.#isDown) this.#log.warn({ error: errorText(why) }, 'database of the cluster not reached');
    this.#isDown = true;
    if (!mayHaveRun && REFUSAL.test((why as { code?: string }).code ?? '')) throw why;
    throw new EngineUnavailable(mayHaveRun);
  }

  #fromCurrent(): Iterable<pg.Pool> {
    return new Set([...(this.#current ? [this.#current] : []), ...this.#pools]);
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.end()));
  }
}

/** Rejects for a standby. */
export async function requirePrimary(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby');
  if (rows[0]?.standby) throw new StandbyError();
}

async function queryOnce<Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  try {
    const { rows } = await client.query<Row>(text, [...values]);
    client.release();
    return rows;
  } catch (error) {
    // It is lost, or is being closed, or the answer that is late would be taken for that of the next query.
    client.release(!isOfServer(error) || isOutage(error));
    throw error;
  }
}

/** An error with which a server has answered: it has not carried out the query. */
function isOfServer(error: unknown): boolean {
  return (error as { severity?: string }).severity !== undefined;
}

function isOutage(error: unknown): boolean {
  const { code = '', message } = error as { code?: string; message: string };
  if (error instanceof StandbyError) return true;
  if (isOfServer(error)) return OUTAGE.test(code) || REFUSAL.test(code);
  return NETWORK.test(code) || LOST.test(message);
}

function isLate(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}
