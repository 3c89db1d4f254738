import type { Reason } from '@chat-web/protocol';
import type { Log } from '../log.ts';
import { isHostAtFault, pauseLength } from './restart-policy.ts';
import type { StartQueue } from './start-queue.ts';

/** The host does not cause a new build of the page, a leak, a compromised worker or a proxy that is down. */
const NOT_THE_HOST: readonly Reason[] = ['PAGE_UNSUPPORTED', 'MEMORY_LIMIT', 'WORKER_PROTOCOL_ERROR', 'PROXY_FAILED'];

/**
 * Detects that so many sessions fail at once that the host or its network is at fault, and pauses all starts: fifty
 * browsers that boot again and again make it worse.
 */
export class HostFault {
  readonly #queue: StartQueue;
  readonly #log: Log;
  readonly #down = new Map<string, number>();
  #pauses = 0;
  #pausedUntil = 0;

  constructor(queue: StartQueue, log: Log) {
    this.#queue = queue;
    this.#log = log;
  }

  /** A session failed. `running`: how many sessions should run. */
  failed(sessionId: string, reason: Reason, running: number): void {
    if (NOT_THE_HOST.includes(reason)) return;
    const now = performance.now(); // The monotonic clock: the time of day can be set.
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

  /** A session shows a QR or is ready. */
  recovered(sessionId: string): void {
    this.#down.delete(sessionId);
    this.#pauses = 0;
    this.#pausedUntil = 0;
  }

  stopped(sessionId: string): void {
    this.#down.delete(sessionId);
  }
}
