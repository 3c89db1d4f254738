import type { HeldMessage } from '../../page/inbox.ts';
import type { PageLink } from '../page-link.ts';

/** How many stored messages the page may load, and for how long. */
const LOAD_LIMITS = { timeoutMs: 30_000, maxMessages: 2_000 };

/** The messages of the page, in memory and on disk. All times are Unix seconds. */
export interface MessageStore {
  /** Loads messages since then into memory. Returns the number of chats that are incomplete afterwards. */
  load(sinceSeconds: number): Promise<number>;
  /** True if a chat has changed since then. */
  hasChanged(sinceSeconds: number): Promise<boolean>;
  /** The inbound messages in memory since then, oldest first. */
  inboundSince(sinceSeconds: number): Promise<HeldMessage[]>;
  /** The models of messages; unreadable ones are left out. */
  models(ids: readonly string[]): Promise<unknown[]>;
}

/** The store of the page that `link` leads to at the time of a call. */
export function storeOf(link: () => PageLink): MessageStore {
  return {
    load: (seconds) => link().run('loadSince', seconds, LOAD_LIMITS),
    hasChanged: (seconds) => link().run('hasChanged', seconds),
    inboundSince: (seconds) => link().run('inboundSince', seconds),
    models: (ids) => link().run('messageModels', ids),
  };
}
