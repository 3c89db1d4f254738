import { LRUCache } from 'lru-cache';

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

const DAY_MS = 86_400_000;
const MOST_IDS = 100_000;

/** A store in memory. By default it keeps the newest 100,000 ids, for 24 hours; 100,000 take some 20 MB. */
export function memorySeenStore({ maxIds = MOST_IDS, maxAgeMs = DAY_MS } = {}): SeenStore {
  let ids: LRUCache<string, true> | undefined; // Its tables take 5 MB: created on the first event.
  return {
    has: (id) => ids?.has(id) ?? false,
    add: (id) => {
      ids ??= new LRUCache({ max: maxIds, ttl: maxAgeMs });
      ids.set(id, true);
    },
  };
}
