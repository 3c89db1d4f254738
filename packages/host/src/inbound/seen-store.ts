import { LRUCache } from 'lru-cache';

/**
 * Remembers what was handed on, so that a repeated delivery is not handed on again. The default, `memorySeenStore()`,
 * forgets at the end of the process. Give your own, over Redis or a table, where several processes receive, or where a
 * restart must not hand on again.
 *
 * Ids are at most 300 characters. An id is added once its handler has settled well, so a crash repeats rather than loses.
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

/**
 * A store in memory. It keeps an id for 24 hours and the newest 100,000 ids, unless told otherwise; 100,000 take some
 * 20 MB.
 */
export function memorySeenStore({ maxIds = MOST_IDS, maxAgeMs = DAY_MS } = {}): SeenStore {
  let ids: LRUCache<string, true> | undefined; // Its tables take 5 MB: made when the first event comes.
  return {
    has: (id) => ids?.has(id) ?? false,
    add: (id) => {
      ids ??= new LRUCache({ max: maxIds, ttl: maxAgeMs });
      ids.set(id, true);
    },
  };
}
