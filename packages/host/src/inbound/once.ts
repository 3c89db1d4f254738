import { DAY_MS } from '@chat-web/protocol';
import { LRUCache } from 'lru-cache';

/**
 * Carries work out once per id: a repetition joins work in progress, and does nothing after work that succeeded. Failed
 * work may be repeated.
 */
export class Once {
  readonly #seen: SeenStore;
  readonly #onStoreError: (error: unknown) => void;
  readonly #running = new Map<string, Promise<void>>();

  /**
   * If the store fails, the error is reported and the work is carried out nevertheless: a repetition is better than a
   * loss.
   */
  constructor(seen: SeenStore, onStoreError: (error: unknown) => void) {
    this.#seen = seen;
    this.#onStoreError = onStoreError;
  }

  get size(): number {
    return this.#running.size;
  }

  isRunning(id: string): boolean {
    return this.#running.has(id);
  }

  /** Rejects with what the work threw. */
  run(id: string, work: () => unknown): Promise<void> {
    const running = this.#running.get(id);
    if (running) return running;
    const run = this.#unlessSeen(id, work).finally(() => this.#running.delete(id));
    this.#running.set(id, run);
    return run;
  }

  async #unlessSeen(id: string, work: () => unknown): Promise<void> {
    if (await this.#isSeen(id)) return;
    await work();
    try {
      await this.#seen.add(id);
    } catch (error) {
      this.#onStoreError(error);
    }
  }

  async #isSeen(id: string): Promise<boolean> {
    try {
      return await this.#seen.has(id);
    } catch (error) {
      this.#onStoreError(error);
      return false;
    }
  }
}

/**
 * Remembers handled events, so that a repeated delivery is not handled again. The default, `memorySeenStore()`, forgets
 * at the end of the process. Provide your own, over Redis or a table, if several processes receive, or if events must
 * not be handled again after a restart.
 *
 * Ids are at most 300 characters. An id is added once its handler has succeeded, so a crash repeats an event rather
 * than losing it.
 *
 * @example
 * const seen = {
 *   has: async (id) => (await redis.exists(`seen:${id}`)) === 1,
 *   add: async (id) => void (await redis.set(`seen:${id}`, '1', 'EX', 86_400)),
 * };
 */
export interface SeenStore {
  has(id: string): boolean | Promise<boolean>;
  add(id: string): void | Promise<void>;
}

const MAX_IDS = 100_000;

/** A store in memory. By default it keeps the newest 100,000 ids, for 24 hours; 100,000 take some 20 MB. */
export function memorySeenStore({ maxIds = MAX_IDS, maxAgeMs = DAY_MS } = {}): SeenStore {
  let ids: LRUCache<string, true> | undefined; // Its tables take 5 MB: created on the first event.
  return {
    has: (id) => ids?.has(id) ?? false,
    add: (id) => {
      ids ??= new LRUCache({ max: maxIds, ttl: maxAgeMs });
      ids.set(id, true);
    },
  };
}
