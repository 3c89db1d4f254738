import type { CacheOptions } from './cached-client.ts';

/**
 * The options of `createCachedClient` with `CHAT_UI_CHATS_CACHE_SECONDS` (default 3; 0: no cache of chats). Throws an Error
 * that names the setting if its value is bad.
 *
 * @example
 * const client = createCachedClient(createClient(gateway), cacheOptionsFromEnv(process.env));
 */
export function cacheOptionsFromEnv(environment: Readonly<Record<string, string | undefined>>): CacheOptions {
  const written = environment.CHAT_UI_CHATS_CACHE_SECONDS?.trim();
  if (!written) return {}; // Empty counts as unset.
  const seconds = /^\d{1,4}(\.\d{1,3})?$/.test(written) ? Number(written) : Number.NaN;
  if (seconds <= LONGEST_SECONDS) return { chatsSeconds: seconds };
  throw new Error(`CHAT_UI_CHATS_CACHE_SECONDS must be a number of seconds from 0 to ${LONGEST_SECONDS}`);
}

const LONGEST_SECONDS = 3_600;
