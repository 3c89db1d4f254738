import { setTimeout as delay } from 'node:timers/promises';
import { GatewayError, reasons, type SessionView, sessionId, sessionView } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Peer, ReportedSession } from './cluster.ts';
import type { Engine } from './engine.ts';

const MIN_READ_MS = 1_000;
const GONE_MS = 30_000;

interface SessionRow {
  readonly id: string;
  readonly host: string | null;
  readonly change: string;
  readonly view: unknown;
}

export interface HostRow {
  readonly id: string;
  readonly name: string;
  readonly state: 'live' | 'released' | 'lost';
  readonly silent_ms: number | null;
  readonly beat_at: Date | null;
  readonly is_off: boolean;
  readonly about: unknown;
  readonly address: string | null;
  readonly public_key: Buffer | null;
  readonly capacity: number;
  readonly used: string;
  readonly draining: boolean;
}

/** A move as the database has it. */
export interface MoveRow {
  readonly id: string;
  readonly session: string;
  /** `source` and `target` are ids of hosts. */
  readonly source: string;
  readonly target: string | null;
  readonly starts: boolean;
  readonly state: 'asked' | 'moving' | 'done' | 'cancelling' | 'cancelled';
  readonly asked_at: Date;
  readonly ended_at: Date | null;
  readonly message: string | null;
}

interface Entry {
  readonly host: string;
  readonly view: SessionView | undefined;
  readonly number: string | undefined;
}

const linkedNumber = v.object({ number: v.pipe(v.string(), v.regex(/^\d{5,20}$/)) });

/** Which host has which session: a copy in memory of what the database knows, at most a second old. */
export class Directory {
  readonly #engine: Engine;
  readonly #own: string;
  readonly #sessions = new Map<string, Entry>();
  #hosts = new Map<string, HostRow>();
  /** The moves that are not finished, by session. */
  #moves = new Map<string, MoveRow>();
  #hostsReadAt = Number.NEGATIVE_INFINITY;
  #change = '0';
  #reading: Promise<void> = Promise.resolve();
  /** Begins once the reading that is under way has ended: that may not see what has changed since. */
  #nextReading: Promise<void> | undefined;
  #readingHosts: Promise<void> | undefined;
  /** What was reported last, by session. */
  #reported = new Map<string, string>();

  constructor(engine: Engine, own: string) {
    this.#engine = engine;
    this.#own = own;
  }

  hostOf(session: string): string | undefined {
    return this.#sessions.get(session)?.host;
  }

  /** The sessions of all hosts, by their ids. `own`: those of this one, as they are now. */
  allViews(own: readonly SessionView[]): SessionView[] {
    const foreign = [...this.#sessions.keys()].flatMap((id) => this.foreignView(id) ?? []);
    const elsewhere = new Set(foreign.map(({ id }) => id)); // While it is moved, a session is on two disks.
    const here = own.filter(({ id }) => !elsewhere.has(id)).map((view) => ({ ...view, host: this.ownName }));
    return [...here, ...foreign].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** A session of another host, as that has reported it. While its host is lost, it is disconnected. */
  foreignView(session: string): SessionView | undefined {
    const { host = this.#own, view } = this.#sessions.get(session) ?? {};
    if (host === this.#own || !view) return undefined;
    const row = this.#hosts.get(host);
    if (row?.state !== 'lost') return { ...view, host: row?.name };
    const since = row.beat_at?.toISOString() ?? view.since;
    const { id, restarts, metadata, proxy, deviceName } = view;
    const message = `${reasons.HOST_LOST}: ${row.name}`;
    const lost = { status: 'disconnected', reason: 'HOST_LOST', message, since, restarts } as const;
    return { id, host: row.name, ...lost, metadata, proxy, deviceName };
  }

  /** The moves that are not finished. */
  moves(): MoveRow[] {
    return [...this.#moves.values()];
  }

  /** The move of a session that is not finished. */
  moveOf(session: string): MoveRow | undefined {
    return this.#moves.get(session);
  }

  /** This host, as the database knows it. */
  get ownRow(): HostRow | undefined {
    return this.#hosts.get(this.#own);
  }

  get ownName(): string | undefined {
    return this.ownRow?.name;
  }

  nameOf(host: string | null): string {
    return host === null ? 'a removed host' : (this.#hosts.get(host)?.name ?? host);
  }

  /** Its gateway has not run for some time, whether it was stopped or is lost. */
  isGone(host: string | null): boolean {
    if (host === null) return true;
    const row = this.#hosts.get(host); // Undefined for one that has just been added.
    return row !== undefined && row.state !== 'live' && (row.silent_ms ?? 0) > GONE_MS;
  }

  /** The sessions of a host, as they are shown now. */
  viewsOf(host: string): SessionView[] {
    return [...this.#sessions].flatMap(([id, entry]) => (entry.host === host && this.foreignView(id)) || []);
  }

  numbersElsewhere(): { readonly id: string; readonly number: string }[] {
    return [...this.#sessions].flatMap(([id, { host, number }]) =>
      number !== undefined && host !== this.#own ? { id, number } : [],
    );
  }

  /** The sessions of a host that can be moved, the one without messages for the longest time first. */
  idleFirst(host: string): string[] {
    const views = [...this.#sessions.values()].flatMap((entry) => (entry.host === host && entry.view) || []);
    const linked = views.filter(
      ({ status }) => status === 'ready' || status === 'disconnected' || status === 'stopped',
    );
    return linked.sort((a, b) => (a.lastEventAt ?? '').localeCompare(b.lastEventAt ?? '')).map(({ id }) => id);
  }

  peer(host: string): Peer | undefined {
    const row = this.#hosts.get(host);
    if (!row) return undefined;
    const { id, name, state, address, public_key } = row;
    return { id, name, isLost: state === 'lost', address: address ?? undefined, publicKey: public_key ?? undefined };
  }

  /** Reads what has changed until now. Callers at the same time share a reading. */
  refresh(): Promise<void> {
    this.#nextReading ??= this.#reading
      .catch(() => {})
      .then(() => {
        this.#nextReading = undefined;
        this.#reading = this.#read();
        return this.#reading;
      });
    return this.#nextReading;
  }

  /** Waits until a second has passed since they were read. Callers at the same time share a reading. */
  readHostsOnceASecond(): Promise<void> {
    this.#readingHosts ??= delay(Math.max(0, this.#hostsReadAt + MIN_READ_MS - performance.now()))
      .then(() => this.readHosts())
      .then(() => {})
      .finally(() => {
        this.#readingHosts = undefined;
      });
    return this.#readingHosts;
  }

  async readHosts(): Promise<readonly HostRow[]> {
    this.#hostsReadAt = performance.now();
    const rows = await this.#engine.query<HostRow>('SELECT * FROM chat_web.list_hosts()');
    this.#hosts = new Map(rows.map((row) => [row.id, row]));
    return rows;
  }

  /** The moves that are not finished, and those of the last day, the last first. */
  readMoves(): Promise<MoveRow[]> {
    return this.#engine.query<MoveRow>('SELECT * FROM chat_web.list_moves(true)');
  }

  /**
   * Chooses a host for a session, unless it has one. `notOn`: hosts that do not answer; `wanted`: the id or the name of
   * a host. `host_not_found`; `insufficient_resources` if none has room.
   */
  async place(session: string, notOn: readonly string[], wanted: string | undefined): Promise<void> {
    const [row] = await this.#engine.query<{ host: string | null }>('SELECT chat_web.place($1, $2, $3) AS host', [
      session,
      notOn,
      wanted ?? null,
    ]);
    if (!row?.host) {
      const isKnown = (await this.readHosts()).some(({ id, name }) => id === wanted || name === wanted);
      if (wanted !== undefined && !isKnown)
        throw new GatewayError('host_not_found', 'there is no host with this id or name');
      const why =
        wanted === undefined
          ? 'no host of the cluster has room for another session: add a host'
          : `host ${this.nameOf(wanted)} has no room for another session, or is not live`;
      throw new GatewayError('insufficient_resources', why);
    }
    await this.refresh();
  }

  /**
   * Reports the sessions of this host: those that have changed since the last report, or all. Returns those that
   * belong to another host, which must not run here.
   */
  async report(epoch: number, views: readonly ReportedSession[], isAll: boolean): Promise<string[]> {
    const texts = new Map(views.map((view) => [view.id, JSON.stringify(view, storable)]));
    const removed = [...this.#reported.keys()].filter((id) => !texts.has(id));
    const changed = [...texts].filter(([id, text]) => isAll || this.#reported.get(id) !== text);
    if (!isAll && changed.length === 0 && removed.length === 0) return [];
    const parts = [
      ...changed.map(([id, text]) => `${JSON.stringify(id)}:${text}`),
      ...removed.map((id) => `${JSON.stringify(id)}:null`),
    ];
    const rows = await this.#engine.query<{ id: string }>('SELECT id FROM chat_web.report($1, $2, $3) AS id', [
      epoch,
      `{${parts.join(',')}}`,
      isAll,
    ]);
    this.#reported = texts;
    return rows.map(({ id }) => id);
  }

  async #read(): Promise<void> {
    // First: a session may be known to have arrived before its move is known to have ended, and not the other way.
    const moves = await this.#engine.query<MoveRow>('SELECT * FROM chat_web.list_moves(false)');
    const rows = await this.#engine.query<SessionRow>('SELECT * FROM chat_web.sessions_since($1)', [this.#change]);
    for (const { id, host, change, view } of rows) {
      this.#change = change;
      if (!v.is(sessionId, id)) continue;
      if (host === null) this.#sessions.delete(id);
      else this.#sessions.set(id, { host, view: viewIn(id, view), number: numberIn(view) });
    }
    this.#moves = new Map(moves.map((move) => [move.session, move]));
    const isUnknown = rows.some(({ host }) => host !== null && !this.#hosts.has(host));
    if (isUnknown) await this.readHosts();
  }
}

/** The database stores neither NUL nor half a surrogate pair, which notes on a session may have. */
function storable(_: string, value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value;
}

function numberIn(view: unknown): string | undefined {
  const parsed = v.safeParse(linkedNumber, view);
  return parsed.success ? parsed.output.number : undefined;
}

/** A host that was taken over can write anything into its own views. */
function viewIn(id: string, view: unknown): SessionView | undefined {
  const parsed = v.safeParse(sessionView, view);
  return parsed.success && parsed.output.id === id ? parsed.output : undefined;
}
