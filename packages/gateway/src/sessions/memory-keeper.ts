import { errorText } from '@chat-web/protocol';
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
import type { Session } from './session.ts';

const RECYCLE_TIMEOUT_MS = 60_000;
const MB = 1_048_576;

/** When a session was looked at, on the clock that nobody sets, and what is known of it since. */
interface Looks {
  nextMemoryAt: number;
  recycledAt: number;
  /** The worker whose memory is watched, when it was first found ready, and whether it has settled since. */
  workerPid: number | undefined;
  readyAt: number | undefined;
  hasSettled: boolean;
  history: MemoryHistory;
}

/** Measures what sessions take of memory, and bounds it: one that leaks harms nobody else. */
export class MemoryKeeper {
  readonly #marks: MemoryMarks;
  readonly #settleMs: number;
  readonly #log: Log;
  readonly #looks = new WeakMap<Session, Looks>();
  /** True while a session is being recycled: one at a time, since each boots a browser. */
  #isRecycling = false;

  constructor(config: Config, log: Log) {
    this.#marks = { softBytes: config.memorySoftBytes, hardBytes: config.memoryHardBytes };
    this.#settleMs = config.memorySettleMs;
    this.#log = log;
  }

  /** Looks at a session, unless it is too early for that. */
  async look(session: Session): Promise<void> {
    const { workerPid, vitals } = session;
    const looks = this.#looksAt(session);
    if (!workerPid) vitals.memory = undefined;
    if (!workerPid) return;
    // What a boot took says little: the first look once it is ready is not waited for.
    const isFirstReady =
      session.state.status === 'ready' && (looks.workerPid !== workerPid || looks.readyAt === undefined);
    if (performance.now() < looks.nextMemoryAt && !isFirstReady) return;
    const memory = await measureSession(workerPid);
    if (session.workerPid !== workerPid || memory.processes === 0) return; // It ended while we looked.
    vitals.memory = memory;
    const bytes = memory.workerBytes + memory.browserBytes;
    this.#settle(session, bytes, looks);
    looks.nextMemoryAt = performance.now() + this.#nextLook(bytes, looks);
    this.#bound(session, bytes, looks);
  }

  /** Learns what the session takes once it has been ready for a while. */
  #settle(session: Session, bytes: number, looks: Looks): void {
    const { workerPid } = session;
    if (looks.workerPid !== workerPid) Object.assign(looks, { workerPid, readyAt: undefined, hasSettled: false });
    const now = performance.now();
    if (session.state.status === 'ready') looks.readyAt ??= now;
    if (looks.hasSettled || looks.readyAt === undefined || now - looks.readyAt < this.#settleMs) return;
    const { waitMs } = looks.history;
    looks.history = settledAt(bytes, looks.history);
    looks.hasSettled = true;
    const told = { session: session.id, bytes, softBytes: Math.round(softMark(looks.history, this.#marks)) };
    this.#log.info(told, 'the memory of the session has settled');
    if (looks.history.waitMs > waitMs) {
      this.#log.warn(
        { session: session.id, waitMs: looks.history.waitMs },
        'recycling gained nothing: the next one waits longer',
      );
    }
  }

  #nextLook(bytes: number, { history, hasSettled, readyAt }: Looks): number {
    const lookMs = nextLook(bytes, history, this.#marks);
    if (hasSettled || readyAt === undefined) return lookMs;
    return Math.min(lookMs, Math.max(0, readyAt + this.#settleMs - performance.now()));
  }

  #bound(session: Session, bytes: number, looks: Looks): void {
    const { vitals, pending } = session;
    const sinceRecycleMs = performance.now() - looks.recycledAt;
    const reading = { bytes, pending, idleMs: vitals.idleMs, sinceRecycleMs };
    const verdict = memoryVerdict(reading, looks.history, this.#marks);
    if (verdict === 'end') {
      const mark = `more than CHAT_WEB_MEMORY_HARD_MB (${Math.round(this.#marks.hardBytes / MB)})`;
      const reason = `it took ${Math.round(bytes / MB)} MB of memory, ${mark}`;
      session.fail({ cause: 'memory', reason, retry: true });
    } else if (verdict === 'recycle' && !this.#isRecycling) {
      void this.#recycle(session, bytes, looks);
    }
  }

  /** Never rejects. */
  async #recycle(session: Session, bytes: number, looks: Looks): Promise<void> {
    this.#isRecycling = true;
    const softBytes = Math.round(softMark(looks.history, this.#marks));
    try {
      // One that was declined is no reason to wait, and has gained nothing: it is tried again at the next look.
      if (await session.recycle()) {
        looks.recycledAt = performance.now();
        looks.history = { ...looks.history, recycledFromBytes: bytes };
        this.#log.warn({ session: session.id, bytes, softBytes }, 'recycled: it was above its soft memory mark');
        await session.up(RECYCLE_TIMEOUT_MS);
      }
    } catch (error) {
      this.#log.error({ session: session.id, reason: errorText(error) }, 'recycling failed');
    }
    this.#isRecycling = false;
  }

  #looksAt(session: Session): Looks {
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
