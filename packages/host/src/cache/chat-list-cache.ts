import { type Chat, MB } from '@chat-web/protocol';
import { LRUCache } from 'lru-cache';

const MAX_BYTES = 64 * MB;
const MAX_SESSIONS = 1_000;
/** The size of a chat apart from its texts. */
const CHAT_BYTES = 300;

/** Caches lists of chats, by session. Failures are not cached. */
export class ChatListCache {
  readonly #kept: LRUCache<string, readonly Chat[], () => Promise<readonly Chat[]>>;

  constructor(maxAgeMs: number) {
    this.#kept = new LRUCache({
      max: MAX_SESSIONS,
      maxSize: MAX_BYTES,
      sizeCalculation: sizeOf,
      ttl: maxAgeMs,
      ttlAutopurge: true, // Lists are large and expire quickly: remove them without waiting for eviction.
      // A caller still gets a list that is invalidated meanwhile; the cache drops it.
      ignoreFetchAbort: true,
      fetchMethod: async (_, __, { context: ask }) => frozen(await ask()),
    });
  }

  /** Returns a new list; its chats are frozen, since callers share them. */
  async get(session: string, ask: () => Promise<readonly Chat[]>): Promise<Chat[]> {
    return [...((await this.#kept.fetch(session, { context: ask })) ?? (await ask()))];
  }

  clear(session?: string): void {
    if (session === undefined) this.#kept.clear();
    else this.#kept.delete(session);
  }
}

function frozen(chats: readonly Chat[]): readonly Chat[] {
  for (const chat of chats) {
    Object.freeze(chat.lastMessage);
    Object.freeze(chat);
  }
  return chats;
}

/** In bytes, at most two per character. */
function sizeOf(chats: readonly Chat[]): number {
  return chats.reduce(
    (size, { id, name, lastMessage }) =>
      size + CHAT_BYTES + 2 * (id.length + name.length + (lastMessage?.body.length ?? 0)),
    CHAT_BYTES,
  );
}
