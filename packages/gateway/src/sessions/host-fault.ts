import type { Reason } from '@chat-web/protocol';
import type { Log } from '../log.ts';
import { isHostAtFault, pauseLength } from './restart-policy.ts';
import type { StartQueue } from './start-queue.ts';

/** A new build of the page, a session that leaks, and a worker that was taken over say nothing of the host. */
const NOT_THE_HOST: readonly Reason[] = ['PAGE_UNSUPPORTED', 'MEMORY_LIMIT', 'WORKER_PROTOCOL_ERROR'];

/**
 * Sees when so many sessions fail at once that the host or its network must be at fault, and lets all starts pause:
 * fifty browsers that boot again and again make nothing better.
 */
export class HostFault {
  readonly #queue: StartQueue;
  readonly #log: Log;
  /** When each session failed that is down. */
  readonly #down = new Map<string, number>();
  #pauses = 0;
  #pausedUntil = 0;

  constructor(queue: StartQueue, log: Log) {
    this.#queue = queue;
    this.#log = log;
  }

  /** A session has failed; `running`: how many there are in all. */
  failed(sessionId: string, reason: Reason, running: number): void {
    if (NOT_THE_HOST.includes(reason)) return;
    const now = performance.now(); // Unlike the time of day, nobody sets it.
    this.#down.set(sessionId, now);
    if (now < this.#pausedUntil || !isHostAtFault([...this.#down.values()], running, now)) return;
    const pauseMs = pauseLength(this.#pauses);
    this.#pauses += 1;
    this.#pausedUntil = now + pauseMs;
    this.#queue.pause(pauseMs);
    const down = [...this.#down.keys()];
    const hint = 'many sessions failed at once: check the host and its network';
    this.#log.error({ down, pauseMs, hint }, 'starts paused');
  }

  /** A session has come up. */
  cameUp(sessionId: string): void {
    this.#down.delete(sessionId);
    this.#pauses = 0;
    this.#pausedUntil = 0;
  }

  /** A session is down because somebody wants it so. */
  ended(sessionId: string): void {
    this.#down.delete(sessionId);
  }
}
