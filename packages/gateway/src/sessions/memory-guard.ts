import { type Cause, errorText, type SessionStatus } from '@chat-web/protocol';
import type { Config } from '../config.ts';
import { measureSession } from '../host/memory.ts';
import type { Log } from '../log.ts';
import {
  type MemoryHistory,
  type MemoryMarks,
  memoryVerdict,
  nextLook,
  settledAt,
  softMark,
  UNKNOWN,
} from './memory-policy.ts';
import type { SessionStats } from './session-stats.ts';

const RECYCLE_TIMEOUT_MS = 60_000;
const MB = 1_048_576;

/** What the guard needs from a session. */
export interface GuardedSession {
  readonly id: string;
  readonly phase: { readonly status: SessionStatus };
  readonly workerPid: number | undefined;
  readonly pending: number;
  readonly stats: Pick<SessionStats, 'memory' | 'idleMs'>;
  fail(cause: Cause): void;
  /** False if it was declined. */
  recycle(): Promise<boolean>;
  up(timeoutMs: number): Promise<void>;
}

/** When a session was measured, on the monotonic clock, and what is known since. */
interface Looks {
  nextMemoryAt: number;
  recycledAt: number;
  /** The worker that was measured, when it was first found ready, and whether it has settled since. */
  workerPid: number | undefined;
  readyAt: number | undefined;
  hasSettled: boolean;
  history: MemoryHistory;
}

/** Measures the memory of sessions and limits it, so that a leak in one does not harm the others. */
export class MemoryGuard {
  readonly #marks: MemoryMarks;
  readonly #settleMs: number;
  readonly #log: Log;
  readonly #looks = new WeakMap<GuardedSession, Looks>();
  /** One at a time is recycled, since each boots a browser. */
  #isRecycling = false;

  constructor(config: Config, log: Log) {
    this.#marks = { softBytes: config.memorySoftBytes, hardBytes: config.memoryHardBytes };
    this.#settleMs = config.memorySettleMs;
    this.#log = log;
  }

  /** Measures a session if it is due, and recycles or fails it if it is above its marks. */
  async look(session: GuardedSession): Promise<void> {
    const { workerPid, stats } = session;
    const looks = this.#looksAt(session);
    if (!workerPid) stats.memory = undefined;
    if (!workerPid) return;
    // Memory during boot says little: measure as soon as the session is ready.
    const isFirstReady =
      session.phase.status === 'ready' && (looks.workerPid !== workerPid || looks.readyAt === undefined);
    if (performance.now() < looks.nextMemoryAt && !isFirstReady) return;
    const memory = await measureSession(workerPid);
    if (session.workerPid !== workerPid || memory.processes === 0) return; // It ended meanwhile.
    stats.memory = memory;
    const bytes = memory.workerBytes + memory.browserBytes;
    this.#settle(session, bytes, looks);
    looks.nextMemoryAt = performance.now() + this.#nextLook(bytes, looks);
    this.#bound(session, bytes, looks);
  }

  /** Learns the session's level once it has been ready for a while. */
  #settle(session: GuardedSession, bytes: number, looks: Looks): void {
    const { workerPid } = session;
    if (looks.workerPid !== workerPid) Object.assign(looks, { workerPid, readyAt: undefined, hasSettled: false });
    const now = performance.now();
    if (session.phase.status === 'ready') looks.readyAt ??= now;
    if (looks.hasSettled || looks.readyAt === undefined || now - looks.readyAt < this.#settleMs) return;
    const { waitMs } = looks.history;
    looks.history = settledAt(bytes, looks.history);
    looks.hasSettled = true;
    const told = { session: session.id, bytes, softBytes: Math.round(softMark(looks.history, this.#marks)) };
    this.#log.info(told, 'memory settled');
    if (looks.history.waitMs > waitMs) {
      this.#log.warn({ session: session.id, waitMs: looks.history.waitMs }, 'recycling gained nothing');
    }
  }

  #nextLook(bytes: number, { history, hasSettled, readyAt }: Looks): number {
    const lookMs = nextLook(bytes, history, this.#marks);
    if (hasSettled || readyAt === undefined) return lookMs;
    return Math.min(lookMs, Math.max(0, readyAt + this.#settleMs - performance.now()));
  }

  #bound(session: GuardedSession, bytes: number, looks: Looks): void {
    const { stats, pending } = session;
    const sinceRecycleMs = performance.now() - looks.recycledAt;
    const reading = { bytes, pending, idleMs: stats.idleMs, sinceRecycleMs };
    const verdict = memoryVerdict(reading, looks.history, this.#marks);
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
      ...{ nextMemoryAt: never, recycledAt: never },
      ...{ workerPid: undefined, readyAt: undefined, hasSettled: false, history: UNKNOWN },
    };
    if (!known) this.#looks.set(session, looks);
    return looks;
  }
}
