import { errorText, type SessionStatus } from '@chat-web/protocol';
import { sizeOf } from '../host/disk.ts';
import type { Log } from '../log.ts';
import type { SavedSessions } from './saved-sessions.ts';

const INTERVAL_MS = 5 * 60_000;

interface MeasuredSession {
  readonly id: string;
  readonly phase: { readonly status: SessionStatus };
  readonly workerPid: number | undefined;
  readonly stats: { diskBytes: number | undefined };
}

/** When the folder of a session was last measured, and what was running then. */
interface LastMeasured {
  readonly at: number;
  readonly workerPid: number | undefined;
  readonly wasReady: boolean;
}

/** Measures the disk usage of sessions: every five minutes, after each start, and as soon as one is ready. */
export class DiskWatch {
  readonly #saved: SavedSessions;
  readonly #log: Log;
  readonly #lastMeasured = new WeakMap<MeasuredSession, LastMeasured>();

  constructor(saved: SavedSessions, log: Log) {
    this.#saved = saved;
    this.#log = log;
  }

  /** Measures the sessions that are due, one at a time. Never rejects. */
  async check(sessions: readonly MeasuredSession[]): Promise<void> {
    for (const session of sessions) {
      await this.#measure(session).catch((error: unknown) =>
        this.#log.error({ session: session.id, error: errorText(error) }, 'session not measured'),
      );
    }
  }

  async #measure(session: MeasuredSession): Promise<void> {
    const { workerPid } = session;
    const now = performance.now();
    const wasReady = session.phase.status === 'ready';
    const last = this.#lastMeasured.get(session);
    const isSame = last?.workerPid === workerPid && last?.wasReady === wasReady;
    if (last && isSame && now - last.at < INTERVAL_MS) return;
    this.#lastMeasured.set(session, { at: now, workerPid, wasReady });
    session.stats.diskBytes = await sizeOf(this.#saved.dirOf(session.id));
  }
}
