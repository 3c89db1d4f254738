import { setTimeout as delay } from 'node:timers/promises';
import { errorText, GatewayError, invalidRequest } from '@chat-web/protocol';
import type { Log } from '../log.ts';
import type { ArrivingArchive, ChosenMove, MoveView, OwnSessions } from './cluster.ts';
import type { Directory, HostRow, MoveRow } from './directory.ts';
import type { Engine } from './engine.ts';

/** How many sessions move at a time from this host, if it is drained, and to this host. */
const [MAX_LEAVING, MAX_ARRIVING] = [4, 4];
/** How often a move is tried, with a wait of 1, 2, 4, 8 and 16 s: a gateway that was killed is back by then. */
const MAX_ATTEMPTS = 6;
const FIRST_RETRY_MS = 1_000;
/** A drain waits this long before it tries again to move a session. */
const DRAIN_RETRY_MS = 60_000;
const MAX_WAIT_MS = 30_000;
const POLL_MS = 200;
const COMMIT_RETRY_MS = 1_000;
/** A retry would be refused as well. */
const FINAL: readonly (string | undefined)[] = [
  'session_not_found',
  'session_not_exportable',
  'stale_export',
  'body_too_large',
];
/** How much the fullest and the emptiest host may differ. */
const BALANCED = 0.1;

export interface MovesDependencies {
  readonly engine: Engine;
  readonly directory: Directory;
  /** The id of this host. */
  readonly own: string;
  epoch(): number;
  /** Requests the archive of a session from the gateway of another host. Rejects unless that sends it. */
  request(host: string, session: string): Promise<ArrivingArchive>;
  readonly stopping: AbortSignal;
  readonly log: Log;
}

/**
 * The moves of sessions between hosts. The target of a move drives it: it requests the archive from the source, which
 * stops the session; places the session; commits the move in the database; and only then starts it. A gateway that is
 * killed meanwhile continues after its next start. See `sql/4-placement.sql`.
 */
export class Moves {
  readonly #dependencies: MovesDependencies;
  /** Sessions that arrive now. */
  readonly #arriving = new Set<string>();
  /** How many are being driven here. */
  #arrivals = 0;
  /** Moves that have failed: how often, and when they may be tried again. */
  readonly #failed = new Map<string, { readonly attempts: number; readonly retryAt: number }>();
  /** Sessions whose last move from here has failed, with the time. */
  readonly #notMoved = new Map<string, number>();
  readonly #busy = new Set<string | undefined>();
  readonly #work = new Set<Promise<unknown>>();

  constructor(dependencies: MovesDependencies) {
    this.#dependencies = dependencies;
  }

  async ask(session: string, to: string | undefined): Promise<MoveView> {
    const { directory } = this.#dependencies;
    const id = await this.#ask(session, to);
    const endsAt = performance.now() + MAX_WAIT_MS;
    for (;;) {
      const move = (await directory.readMoves()).find((one) => one.id === id);
      if (!move) throw new GatewayError('session_not_found', `there is no session ${session}`);
      if (move.ended_at || performance.now() > endsAt) return this.#viewOf(move);
      await delay(POLL_MS);
    }
  }

  async list(): Promise<MoveView[]> {
    return (await this.#dependencies.directory.readMoves()).map((move) => this.#viewOf(move));
  }

  async rebalance(hosts: readonly HostRow[], isDryRun: boolean): Promise<ChosenMove[]> {
    const { directory } = this.#dependencies;
    const open = directory.moves();
    const countOf = (end: 'source' | 'target', host: string) => open.filter((move) => move[end] === host).length;
    const after = hosts.map((row) => {
      const used = Number(row.used) + countOf('target', row.id) - countOf('source', row.id);
      return { ...row, used: String(used) };
    });
    const moving = new Set(open.map(({ session }) => session));
    const chosen = balancing(after, (host) => directory.idleFirst(host), moving);
    if (!isDryRun) for (const { session, to } of chosen) await this.#ask(session, to).catch(ignoreRefusals);
    return chosen;
  }

  isMoving(session: string): boolean {
    const state = this.#dependencies.directory.moveOf(session)?.state;
    return state === 'moving' || state === 'cancelling' || this.#arriving.has(session);
  }

  async ended(session: string, timeoutMs: number): Promise<boolean> {
    const endsAt = performance.now() + timeoutMs;
    while (this.isMoving(session)) {
      if (performance.now() >= endsAt) return false;
      await delay(POLL_MS);
      await this.#dependencies.directory.refresh().catch(ignoreGatewayErrors);
    }
    return true;
  }

  async mayTake(session: string, host: string): Promise<boolean> {
    const { directory, own } = this.#dependencies;
    await directory.refresh(); // From now on, calls of the session wait.
    const move = directory.moveOf(session);
    return move?.state === 'moving' && move.source === own && move.target === host;
  }

  /** Before the sessions of this host are reported, and with `isAtStart`, before any of them starts. */
  async settlePlaced(sessions: OwnSessions, isAtStart: boolean): Promise<void> {
    const { directory, own } = this.#dependencies;
    for (const session of sessions.placed()) {
      if (this.#arriving.has(session)) continue;
      if (directory.hostOf(session) === own) await sessions.takeBack(session, true);
      else if (isAtStart || !directory.moveOf(session)) await sessions.discard(session);
    }
  }

  /** Continues with the moves from and to this host. Call it once a second, after the directory was read. */
  advance(sessions: OwnSessions): void {
    const { directory, own } = this.#dependencies;
    const open = directory.moves();
    for (const id of [...this.#failed.keys()]) if (!open.some((move) => move.id === id)) this.#failed.delete(id);
    for (const move of open) {
      if (move.source === own) this.#run(move.session, () => this.#leave(move, sessions));
      const isDue = (this.#failed.get(move.id)?.retryAt ?? 0) <= performance.now();
      if (move.target !== own || move.state === 'cancelling' || !isDue) continue;
      if (!this.#busy.has(move.session) && this.#arrivals < MAX_ARRIVING)
        this.#run(move.session, () => this.#arrive(move, sessions));
    }
    for (const session of sessions.moved()) {
      // It belongs to another host now, or was deleted there.
      if (directory.hostOf(session) === own || directory.moveOf(session)) continue;
      this.#run(session, () => sessions.discard(session));
    }
    this.#run(undefined, () => this.#drain(sessions));
  }

  /** Resolves once nothing of it runs any more. */
  async stopped(): Promise<void> {
    await Promise.all(this.#work);
  }

  /** One piece of work for each session at a time, and one for the drain. */
  #run(session: string | undefined, work: () => Promise<void>): void {
    if (this.#busy.has(session)) return;
    this.#busy.add(session);
    const running = work()
      .catch((error: unknown) => {
        const isOutage = error instanceof GatewayError && error.code === 'engine_unavailable';
        if (!isOutage) this.#dependencies.log.warn({ session, error: errorText(error) }, 'move not continued');
      })
      .finally(() => {
        this.#busy.delete(session);
        this.#work.delete(running);
      });
    this.#work.add(running);
  }

  async #ask(session: string, to: string | undefined): Promise<string> {
    const { engine, directory, log } = this.#dependencies;
    const [row] = await engine.query<{ outcome: string; move: string }>('SELECT * FROM chat_web.ask_move($1, $2)', [
      session,
      to ?? null,
    ]);
    const { outcome, move } = row ?? { outcome: 'unknown_session', move: '' };
    if (outcome === 'asked') log.info({ session, move }, 'move asked for');
    if (outcome === 'asked' || outcome === 'moving') return move;
    if (outcome === 'unknown_session') throw new GatewayError('session_not_found', `there is no session ${session}`);
    if (outcome === 'is_moved')
      throw new GatewayError('session_moved', `session ${session} was moved away: it may run outside of the cluster`);
    if (outcome === 'unknown_host') throw new GatewayError('host_not_found', 'there is no host with this id or name');
    if (outcome === 'is_there')
      throw invalidRequest([{ path: 'to', message: 'must be another host: the session is there already' }]);
    const why =
      to === undefined
        ? 'no other host has room for it'
        : `host ${directory.nameOf(to)} has no room for it, or is not live`;
    throw new GatewayError('insufficient_resources', `session ${session} cannot be moved: ${why}`);
  }

  /** At the source: gives up the move if its target is lost, and takes the session back after a move was cancelled. */
  async #leave(move: MoveRow, sessions: OwnSessions): Promise<void> {
    const { engine, directory, epoch, log } = this.#dependencies;
    if (move.state !== 'cancelling') {
      if (directory.isGone(move.target)) await this.#cancel(move, `host ${directory.nameOf(move.target)} does not run`);
      return;
    }
    this.#notMoved.set(move.session, performance.now());
    const wasMoved = await sessions.takeBack(move.session, move.starts);
    log.warn({ session: move.session, why: move.message, wasMoved }, 'move cancelled, session continues here');
    await engine.query('SELECT chat_web.end_move($1, $2)', [move.id, epoch()]);
    await directory.refresh();
  }

  /** Runs at the target. */
  async #arrive(move: MoveRow, sessions: OwnSessions): Promise<void> {
    const { directory, stopping } = this.#dependencies;
    this.#arrivals += 1;
    try {
      await this.#tryToArrive(move, sessions);
    } catch (error) {
      if (!stopping.aborted) await this.#failedOnce(move, error);
    } finally {
      this.#arrivals -= 1;
      this.#arriving.delete(move.session);
      await directory.refresh().catch(ignoreGatewayErrors);
    }
  }

  async #tryToArrive({ id, session, source, starts, state }: MoveRow, sessions: OwnSessions): Promise<void> {
    const { engine, directory, epoch, request, log } = this.#dependencies;
    const startedAt = performance.now();
    if (sessions.isHere(session)) {
      if (state === 'asked') throw new GatewayError('session_exists', `there is another session ${session}`);
      await this.#commit(id); // It was committed before: the database has lost that in a fail-over.
      return;
    }
    // An earlier attempt failed after the session was placed.
    if (sessions.placed().includes(session)) await sessions.discard(session);
    await sessions.requireRoom(session); // Before the source stops it.
    const begun = await engine.query<{ is_open: boolean }>('SELECT chat_web.begin_move($1, $2) AS is_open', [
      id,
      epoch(),
    ]);
    if (!begun[0]?.is_open) return;
    this.#arriving.add(session);
    const archive = await request(source, session);
    await sessions.arrive(session, archive, { starts, commit: () => this.#commit(id) });
    const ms = Math.round(performance.now() - startedAt);
    log.info({ session, from: directory.nameOf(source), ms }, 'session moved here');
  }

  async #failedOnce(move: MoveRow, error: unknown): Promise<void> {
    const attempts = (this.#failed.get(move.id)?.attempts ?? 0) + 1;
    const retryAt = performance.now() + FIRST_RETRY_MS * 2 ** (attempts - 1);
    this.#failed.set(move.id, { attempts, retryAt });
    const why = errorText(error);
    this.#dependencies.log.warn({ session: move.session, attempts, error: why }, 'session not moved here');
    const code = error instanceof GatewayError ? error.code : undefined;
    // What is here may be the session itself, if the database has lost the commit: then both would run.
    const isFinal = FINAL.includes(code) || (code === 'session_exists' && move.state === 'asked');
    if (isFinal || (attempts >= MAX_ATTEMPTS && code !== 'session_exists')) await this.#cancel(move, why);
  }

  /** Tries until the database has answered: only it knows to whom the session belongs. */
  async #commit(move: string): Promise<boolean> {
    const { engine, epoch, stopping } = this.#dependencies;
    for (;;) {
      stopping.throwIfAborted();
      try {
        const [row] = await engine.query<{ is_own: boolean }>('SELECT chat_web.commit_move($1, $2) AS is_own', [
          move,
          epoch(),
        ]);
        return row?.is_own === true;
      } catch (error) {
        if (!(error instanceof GatewayError)) throw error;
      }
      await delay(COMMIT_RETRY_MS, undefined, { signal: stopping }).catch(() => {});
    }
  }

  async #cancel({ id }: MoveRow, why: string): Promise<void> {
    const { engine, directory, epoch } = this.#dependencies;
    await engine.query('SELECT chat_web.cancel_move($1, $2, $3)', [id, epoch(), why]);
    await directory.refresh();
  }

  async #drain(sessions: OwnSessions): Promise<void> {
    const { directory, own } = this.#dependencies;
    if (!directory.ownRow?.draining) return;
    await directory.readHosts(); // Read every 5 s: the drain may have ended since.
    if (!directory.ownRow?.draining) return;
    let leaving = directory.moves().filter(({ source }) => source === own).length;
    for (const session of sessions.movable()) {
      if (leaving >= MAX_LEAVING) return;
      if (directory.hostOf(session) !== own) continue;
      const failedAt = this.#notMoved.get(session) ?? Number.NEGATIVE_INFINITY;
      if (directory.moveOf(session) || performance.now() - failedAt < DRAIN_RETRY_MS) continue;
      await this.#ask(session, undefined).catch((error: unknown) => {
        this.#notMoved.set(session, performance.now());
        throw error;
      });
      leaving += 1;
    }
    await directory.refresh();
  }

  #viewOf({ session, source, target, state, asked_at, ended_at, message }: MoveRow): MoveView {
    const { directory } = this.#dependencies;
    return {
      session,
      from: directory.nameOf(source),
      to: directory.nameOf(target),
      state,
      askedAt: asked_at.toISOString(),
      ...(ended_at ? { endedAt: ended_at.toISOString() } : {}),
      ...(message ? { message } : {}),
    };
  }
}

/** During an outage of the database, what is known stays. */
function ignoreGatewayErrors(error: unknown): void {
  if (!(error instanceof GatewayError)) throw error;
}

/** A session that cannot be moved stays where it is. */
function ignoreRefusals(error: unknown): void {
  if (!(error instanceof GatewayError) || error.code === 'engine_unavailable') throw error;
}

/** The moves that fill the hosts evenly. `idleFirst`: the sessions of a host. `moving`: sessions that stay out of it. */
export function balancing(
  hosts: readonly HostRow[],
  idleFirst: (host: string) => readonly string[],
  moving: ReadonlySet<string>,
): ChosenMove[] {
  const places = hosts
    .filter(({ state, draining, capacity }) => state === 'live' && !draining && capacity > 0)
    .map(({ id, name, capacity, used }) => ({
      name,
      capacity,
      used: Number(used),
      sessions: idleFirst(id).filter((session) => !moving.has(session)),
    }));
  const moves: ChosenMove[] = [];
  for (;;) {
    places.sort((a, b) => a.used / a.capacity - b.used / b.capacity);
    const [emptiest, fullest] = [places[0], places.at(-1)];
    if (!emptiest || !fullest) return moves;
    const fullestShare = fullest.used / fullest.capacity;
    const isBalanced = fullestShare - emptiest.used / emptiest.capacity <= BALANCED;
    // Otherwise a move would only exchange the two.
    const isUseful = (emptiest.used + 1) / emptiest.capacity < fullestShare;
    if (isBalanced || !isUseful || emptiest.used >= emptiest.capacity) return moves;
    const session = fullest.sessions.shift();
    if (session === undefined) return moves;
    moves.push({ session, from: fullest.name, to: emptiest.name });
    fullest.used -= 1;
    emptiest.used += 1;
  }
}
