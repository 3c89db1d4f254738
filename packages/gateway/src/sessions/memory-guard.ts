import { type Cause, count, errorText, getOrAdd, MB, type SessionStatus } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Config } from '../config.ts';
import { MemoryMeter, memoryBytes } from '../host/memory.ts';
import { listRelatives, type Relative } from '../host/processes.ts';
import type { MovingState } from '../journal/folds.ts';
import type { Log } from '../log.ts';
import {
  MAX_WAIT_MS,
  type MemoryHistory,
  type MemoryMarks,
  type MemoryVerdict,
  measurementIntervalMs,
  memoryVerdict,
  settledAt,
  softMark,
  UNKNOWN,
} from './memory-policy.ts';
import type { SessionStats } from './session-stats.ts';

const RECYCLE_TIMEOUT_MS = 60_000;
/** In between, growth is estimated: see `MemoryMeter`. */
const EXACT_INTERVAL_MS = 10 * 60_000;
/** A session whose memory has changed by more than this share is measured again. */
const MAX_DRIFT = 0.1;

const historyPart = v.strictObject({ levelBytes: count(2 ** 40), waitMs: count(MAX_WAIT_MS) });
type HistoryPart = v.InferOutput<typeof historyPart>;

export interface GuardedSession {
  readonly id: string;
  readonly phase: { readonly status: SessionStatus };
  readonly workerPid: number | undefined;
  readonly pending: number;
  readonly stats: Pick<SessionStats, 'memory' | 'measured' | 'idleMs'>;
  fail(cause: Cause): void;
  /** False if it was declined. */
  recycle(): Promise<boolean>;
  up(timeoutMs: number): Promise<void>;
}

interface GuardedSessions {
  session(id: string): GuardedSession | undefined;
}

/** When a session was measured, on the monotonic clock, and what is known about it. */
interface Tracking {
  readonly meter: MemoryMeter;
  /** The last exact measurement, in bytes, and when it was. */
  exactBytes: number;
  exactAt: number;
  nextMemoryAt: number;
  recycledAt: number;
  /** The worker that was measured, when it was first found ready, and whether it has settled since. */
  workerPid: number | undefined;
  readyAt: number | undefined;
  hasSettled: boolean;
  history: MemoryHistory;
}

/** Measures the memory of sessions and limits it, so that a leak in one does not harm the others. */
export class MemoryGuard implements MovingState {
  readonly name = 'memory';
  readonly part = historyPart;
  readonly #marks: MemoryMarks;
  readonly #settleMs: number;
  readonly #sessions: GuardedSessions;
  readonly #log: Log;
  readonly #tracking = new WeakMap<GuardedSession, Tracking>();
  /** One at a time is recycled, since each boots a browser. */
  #isRecycling = false;

  constructor(config: Config, sessions: GuardedSessions, log: Log) {
    this.#sessions = sessions;
    this.#marks = { softBytes: config.memorySoftBytes, hardBytes: config.memoryHardBytes };
    this.#settleMs = config.memorySettleMs;
    this.#log = log;
  }

  /**
   * Measures the sessions that are due, and recycles or fails those above their marks. Rejects if no more files can be
   * opened.
   */
  async check(sessions: readonly GuardedSession[]): Promise<void> {
    const due = sessions.filter((session) => this.#isDue(session));
    if (due.length === 0) return;
    const processes = await listRelatives();
    for (const session of due) {
      await this.#measure(session, processes).catch((error: unknown) =>
        this.#log.error({ session: session.id, error: errorText(error) }, 'session not measured'),
      );
    }
  }

  *partsOf(id: string): Iterable<HistoryPart> {
    const session = this.#sessions.session(id);
    const { levelBytes, waitMs } = (session && this.#tracking.get(session)?.history) ?? UNKNOWN;
    if (levelBytes !== undefined) yield { levelBytes, waitMs };
  }

  restore(id: string, { levelBytes, waitMs }: HistoryPart): void {
    const session = this.#sessions.session(id);
    if (session) this.#trackingOf(session).history = { levelBytes, waitMs };
  }

  #isDue(session: GuardedSession): boolean {
    const { workerPid, stats } = session;
    if (workerPid === undefined) {
      stats.measured(undefined);
      return false;
    }
    return (
      isFirstReady(session, this.#trackingOf(session)) || performance.now() >= this.#trackingOf(session).nextMemoryAt
    );
  }

  async #measure(session: GuardedSession, processes: readonly Relative[]): Promise<void> {
    const { workerPid, stats } = session;
    if (workerPid === undefined) return; // It ended meanwhile.
    const tracking = this.#trackingOf(session);
    const now = performance.now();
    const mustBeExact =
      tracking.workerPid !== workerPid ||
      isFirstReady(session, tracking) ||
      this.#isSettling(tracking, now) ||
      now - tracking.exactAt >= EXACT_INTERVAL_MS;
    let memory = await tracking.meter.measure(workerPid, { exact: mustBeExact, processes });
    // Estimates are never acted on.
    const isExact = mustBeExact || this.#needsExactMeasurement(session, memoryBytes(memory), tracking);
    if (isExact && !mustBeExact) memory = await tracking.meter.measure(workerPid, { exact: true, processes });
    if (session.workerPid !== workerPid || memory.processes === 0) return; // It ended meanwhile.
    stats.measured(memory);
    const bytes = memoryBytes(memory);
    if (isExact) Object.assign(tracking, { exactBytes: bytes, exactAt: now });
    this.#settle(session, bytes, tracking);
    tracking.nextMemoryAt = this.#nextMeasurementAt(bytes, tracking);
    this.#bound(session, bytes, tracking);
  }

  /** True if an estimate is far from what was last measured, or above a mark. */
  #needsExactMeasurement(session: GuardedSession, bytes: number, tracking: Tracking): boolean {
    const driftBytes = Math.abs(bytes - tracking.exactBytes);
    return driftBytes > MAX_DRIFT * tracking.exactBytes || this.#verdict(session, bytes, tracking) !== 'keep';
  }

  /** Learns the session's level once it has been ready for a while. */
  #settle(session: GuardedSession, bytes: number, tracking: Tracking): void {
    const { workerPid } = session;
    if (tracking.workerPid !== workerPid) Object.assign(tracking, { workerPid, readyAt: undefined, hasSettled: false });
    const now = performance.now();
    if (session.phase.status === 'ready') tracking.readyAt ??= now;
    if (!this.#isSettling(tracking, now)) return;
    const { waitMs } = tracking.history;
    tracking.history = settledAt(bytes, tracking.history);
    tracking.hasSettled = true;
    const settled = { session: session.id, bytes, softBytes: Math.round(softMark(tracking.history, this.#marks)) };
    this.#log.info(settled, 'memory settled');
    if (tracking.history.waitMs > waitMs) {
      this.#log.warn({ session: session.id, waitMs: tracking.history.waitMs }, 'recycling gained nothing');
    }
  }

  #isSettling({ hasSettled, readyAt }: Tracking, now: number): boolean {
    return !hasSettled && readyAt !== undefined && now - readyAt >= this.#settleMs;
  }

  /** Aligned to a grid: sessions with the same interval are measured together, from one list of processes. */
  #nextMeasurementAt(bytes: number, { history, hasSettled, readyAt }: Tracking): number {
    const now = performance.now();
    const intervalMs = measurementIntervalMs(bytes, history, this.#marks);
    const next = (Math.floor(now / intervalMs) + 1) * intervalMs;
    return hasSettled || readyAt === undefined ? next : Math.min(next, Math.max(now, readyAt + this.#settleMs));
  }

  #verdict({ stats, pending }: GuardedSession, bytes: number, tracking: Tracking): MemoryVerdict {
    const sinceRecycleMs = performance.now() - tracking.recycledAt;
    return memoryVerdict({ bytes, pending, idleMs: stats.idleMs, sinceRecycleMs }, tracking.history, this.#marks);
  }

  #bound(session: GuardedSession, bytes: number, tracking: Tracking): void {
    const verdict = this.#verdict(session, bytes, tracking);
    if (verdict === 'end') {
      const mark = `more than CHAT_WEB_MEMORY_HARD_MB (${Math.round(this.#marks.hardBytes / MB)})`;
      session.fail({ reason: 'MEMORY_LIMIT', detail: `${Math.round(bytes / MB)} MB, ${mark}` });
    } else if (verdict === 'recycle' && !this.#isRecycling) {
      void this.#recycle(session, bytes, tracking);
    }
  }

  /** Never rejects. */
  async #recycle(session: GuardedSession, bytes: number, tracking: Tracking): Promise<void> {
    this.#isRecycling = true;
    const softBytes = Math.round(softMark(tracking.history, this.#marks));
    try {
      // If it was declined, it is tried again at the next measurement.
      if (await session.recycle()) {
        tracking.recycledAt = performance.now();
        tracking.history = { ...tracking.history, recycledFromBytes: bytes };
        this.#log.warn({ session: session.id, bytes, softBytes }, 'session recycled');
        await session.up(RECYCLE_TIMEOUT_MS);
      }
    } catch (error) {
      this.#log.error({ session: session.id, error: errorText(error) }, 'recycling failed');
    }
    this.#isRecycling = false;
  }

  #trackingOf(session: GuardedSession): Tracking {
    const never = Number.NEGATIVE_INFINITY;
    return getOrAdd(this.#tracking, session, () => ({
      meter: new MemoryMeter(),
      exactBytes: 0,
      exactAt: never,
      nextMemoryAt: never,
      recycledAt: never,
      workerPid: undefined,
      readyAt: undefined,
      hasSettled: false,
      history: UNKNOWN,
    }));
  }
}

/** Memory during boot says little: a session is measured as soon as it is ready. */
function isFirstReady({ phase, workerPid }: GuardedSession, tracking: Tracking): boolean {
  return phase.status === 'ready' && (tracking.workerPid !== workerPid || tracking.readyAt === undefined);
}
