import { sizeOf } from '../host/disk.ts';
import type { Log } from '../log.ts';
import { everyRound } from './rounds.ts';
import type { SavedSessions } from './saved-sessions.ts';
import type { Session } from './session.ts';
import type { Supervisor } from './supervisor.ts';

const INTERVAL_MS = 5 * 60_000;

/** When the folder of a session was measured, and what was running then. */
interface Look {
  readonly at: number;
  readonly workerPid: number | undefined;
  readonly wasReady: boolean;
}

/** Measures what sessions take of the disk: every few minutes, after each start, and as soon as one is ready. */
export class DiskWatch {
  readonly #supervisor: Supervisor;
  readonly #saved: SavedSessions;
  readonly #log: Log;
  readonly #over = new AbortController();
  readonly #looks = new WeakMap<Session, Look>();

  constructor(supervisor: Supervisor, saved: SavedSessions, log: Log) {
    this.#supervisor = supervisor;
    this.#saved = saved;
    this.#log = log;
  }

  /** Goes on until `stop`. */
  start(): void {
    void everyRound(this.#supervisor, this.#log, this.#over.signal, (session) => this.#measure(session));
  }

  stop(): void {
    this.#over.abort();
  }

  async #measure(session: Session): Promise<void> {
    const { workerPid } = session;
    const now = performance.now();
    const wasReady = session.state.status === 'ready';
    const last = this.#looks.get(session);
    const isSame = last?.workerPid === workerPid && last?.wasReady === wasReady;
    if (last && isSame && now - last.at < INTERVAL_MS) return;
    this.#looks.set(session, { at: now, workerPid, wasReady });
    session.vitals.diskBytes = await sizeOf(this.#saved.dirOf(session.id));
  }
}
