import { type Cause, count, errorText, type SessionStatus } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Config } from '../config.ts';
import { bytesOf, MemoryMeter } from '../host/memory.ts';
import { listRelatives, type Relative } from '../host/processes.ts';
import type { Log } from '../log.ts';
import type { StateKeeper } from '../moving/state-keeper.ts';
import {
  LONGEST_WAIT_MS,
  type MemoryHistory,
  type MemoryMarks,
  type MemoryVerdict,
  memoryVerdict,
  nextLook,
  settledAt,
  softMark,
  UNKNOWN,
} from './memory-policy.ts';
import type { SessionStats } from './session-stats.ts';

const RECYCLE_TIMEOUT_MS = 60_000;
/** In between, growth is estimated: see `MemoryMeter`. */
const EXACT_INTERVAL_MS = 10 * 60_000;
/** A session whose memory has changed by more than this share is measured again. */
const MOST_DRIFT = 0.1;
const MB = 1_048_576;

/** The memory history of a session from another gateway. */
const movedHistory = v.strictObject({ levelBytes: count(2 ** 40), waitMs: count(LONGEST_WAIT_MS) });

/** What the guard needs from a session. */
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

/** When a session was measured, on the monotonic clock, and what is known about it. */
interface Looks {
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
export class MemoryGuard implements StateKeeper {
  readonly name = 'memory';
  readonly #marks: MemoryMarks;
  readonly #settleMs: number;
  readonly #log: Log;
  readonly #looks = new WeakMap<GuardedSession, Looks>();
  /** One at a time is recycled, since each boots a browser. */
  #isRecycling = false;

  readonly #find: (id: string) => GuardedSession | undefined;

  constructor(config: Config, log: Log, find: (id: string) => GuardedSession | undefined) {
    this.#find = find;
    this.#marks = { softBytes: config.memorySoftBytes, hardBytes: config.memoryHardBytes };
    this.#settleMs = config.memorySettleMs;
    this.#log = log;
  }

  /** Measures the sessions that are due, and recycles or fails those above their marks. Never rejects. */
  async look(sessions: readonly GuardedSession[]): Promise<void> {
    const due = sessions.filter((session) => this.#isDue(session));
    if (due.length === 0) return;
    const processes = await listRelatives();
    for (const session of due) {
      await this.#measure(session, processes).catch((error: unknown) =>
        this.#log.error({ session: session.id, error: errorText(error) }, 'session not measured'),
      );
    }
  }

  *partsOf(id: string): Iterable<unknown> {
    const session = this.#find(id);
    const { levelBytes, waitMs } = (session && this.#looks.get(session)?.history) ?? UNKNOWN;
    if (levelBytes !== undefined) yield { levelBytes, waitMs };
  }

  learn(id: string, part: unknown): () => void {
    const { levelBytes, waitMs } = v.parse(movedHistory, part);
    return () => {
      const session = this.#find(id);
      if (session) this.#looksAt(session).history = { levelBytes, waitMs };
    };
  }

  #isDue(session: GuardedSession): boolean {
    const { workerPid, stats } = session;
    if (workerPid === undefined) {
      stats.measured(undefined);
      return false;
    }
    return isFirstReady(session, this.#looksAt(session)) || performance.now() >= this.#looksAt(session).nextMemoryAt;
  }

  async #measure(session: GuardedSession, processes: readonly Relative[]): Promise<void> {
    const { workerPid, stats } = session;
    if (workerPid === undefined) return; // It ended meanwhile.
    const looks = this.#looksAt(session);
    const now = performance.now();
    const mustBeExact =
      looks.workerPid !== workerPid ||
      isFirstReady(session, looks) ||
      this.#isSettling(looks, now) ||
      now - looks.exactAt >= EXACT_INTERVAL_MS;
    let memory = await looks.meter.measure(workerPid, { exact: mustBeExact, processes });
    // Estimates are never acted on.
    const isExact = mustBeExact || this.#isOff(session, bytesOf(memory), looks);
    if (isExact && !mustBeExact) memory = await looks.meter.measure(workerPid, { exact: true, processes });
    if (session.workerPid !== workerPid || memory.processes === 0) return; // It ended meanwhile.
    stats.measured(memory);
    const bytes = bytesOf(memory);
    if (isExact) Object.assign(looks, { exactBytes: bytes, exactAt: now });
    this.#settle(session, bytes, looks);
    looks.nextMemoryAt = this.#nextLook(bytes, looks);
    this.#bound(session, bytes, looks);
  }

  /** True if an estimate is far from what was last measured, or above a mark. */
  #isOff(session: GuardedSession, bytes: number, looks: Looks): boolean {
    const driftBytes = Math.abs(bytes - looks.exactBytes);
    return driftBytes > MOST_DRIFT * looks.exactBytes || this.#verdict(session, bytes, looks) !== 'keep';
  }

  /** Learns the session's level once it has been ready for a while. */
  #settle(session: GuardedSession, bytes: number, looks: Looks): void {
    const { workerPid } = session;
    if (looks.workerPid !== workerPid) Object.assign(looks, { workerPid, readyAt: undefined, hasSettled: false });
    const now = performance.now();
    if (session.phase.status === 'ready') looks.readyAt ??= now;
    if (!this.#isSettling(looks, now)) return;
    const { waitMs } = looks.history;
    looks.history = settledAt(bytes, looks.history);
    looks.hasSettled = true;
    const settled = { session: session.id, bytes, softBytes: Math.round(softMark(looks.history, this.#marks)) };
    this.#log.info(settled, 'memory settled');
    if (looks.history.waitMs > waitMs) {
      this.#log.warn({ session: session.id, waitMs: looks.history.waitMs }, 'recycling gained nothing');
    }
  }

  /** True if it is time to learn the level. */
  #isSettling({ hasSettled, readyAt }: Looks, now: number): boolean {
    return !hasSettled && readyAt !== undefined && now - readyAt >= this.#settleMs;
  }

  /** Aligned to a grid: sessions with the same interval are measured together, from one list of processes. */
  #nextLook(bytes: number, { history, hasSettled, readyAt }: Looks): number {
    const now = performance.now();
    const lookMs = nextLook(bytes, history, this.#marks);
    const next = (Math.floor(now / lookMs) + 1) * lookMs;
    return hasSettled || readyAt === undefined ? next : Math.min(next, Math.max(now, readyAt + this.#settleMs));
  }

  #verdict({ stats, pending }: GuardedSession, bytes: number, looks: Looks): MemoryVerdict {
    const sinceRecycleMs = performance.now() - looks.recycledAt;
    return memoryVerdict({ bytes, pending, idleMs: stats.idleMs, sinceRecycleMs }, looks.history, this.#marks);
  }

  #bound(session: GuardedSession, bytes: number, looks: Looks): void {
    const verdict = this.#verdict(session, bytes, looks);
    if (verdict === 'end') {
      const mark = `more than CHAT_WEB_MEMORY_HARD_MB (${Math.round(this.#marks.hardBytes / MB)})`;
      session.fail({ reason: 'MEMORY_LIMIT', detail: `${Math.round(bytes / MB)} MB, ${mark}` });
    } else if (verdict === 'recycle' && !this.#isRecycling) {
      void this.#recycle(session, bytes, looks);
    }
  }

  /** Never rejects. */
  async #recycle(session: GuardedSession, bytes: number, looks: Looks): Promise<void> {
    this.#isRecycling = true;
    const softBytes = Math.round(softMark(looks.history, this.#marks));
    try {
      // If it was declined, it is tried again at the next measurement.
      if (await session.recycle()) {
        looks.recycledAt = performance.now();
        looks.history = { ...looks.history, recycledFromBytes: bytes };
        this.#log.warn({ session: session.id, bytes, softBytes }, 'session recycled');
        await session.up(RECYCLE_TIMEOUT_MS);
      }
    } catch (error) {
      this.#log.error({ session: session.id, error: errorText(error) }, 'recycling failed');
    }
    this.#isRecycling = false;
  }

  #looksAt(session: GuardedSession): Looks {
    const never = Number.NEGATIVE_INFINITY;
    const known = this.#looks.get(session);
    const looks = known ?? {
      ...{ meter: new MemoryMeter(), exactBytes: 0, exactAt: never, nextMemoryAt: never, recycledAt: never },
      ...{ workerPid: undefined, readyAt: undefined, hasSettled: false, history: UNKNOWN },
    };
    if (!known) this.#looks.set(session, looks);
    return looks;
  }
}

/** Memory during boot says little: a session is measured as soon as it is ready. */
function isFirstReady({ phase, workerPid }: GuardedSession, looks: Looks): boolean {
  return phase.status === 'ready' && (looks.workerPid !== workerPid || looks.readyAt === undefined);
}
