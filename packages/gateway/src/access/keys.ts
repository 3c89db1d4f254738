import { randomBytes } from 'node:crypto';
import { errorText, GatewayError, type KeyView, keyView, matchesPattern, type NewKey } from '@chat-web/protocol';
import * as v from 'valibot';
import { ConfigError } from '../config-error.ts';
import { readOwnText, replaceText } from '../host/text-files.ts';
import { Lock } from '../lock.ts';
import type { Log } from '../log.ts';
import { type Caller, createRevocation, revoke } from './caller.ts';
import { digestOf, hashText, isHash } from './token.ts';

const MAX_KEYS = 500;
const MAX_FILE_BYTES = 16_777_216;
const KEY_BYTES = 32;
const ID_BYTES = 6;
/** Timers overflow after 24 days and ignore changes of the system clock, so expiry is rechecked this often. */
const MAX_EXPIRY_TIMER_MS = 60_000;

const storedKey = v.object({
  ...keyView.entries,
  /** `sha256:<hex>` of the key. */
  hash: v.pipe(v.string(), v.check(isHash)),
});
const storedKeys = v.object({ keys: v.array(storedKey) });
type StoredKey = v.InferOutput<typeof storedKey>;

interface Key {
  readonly stored: StoredKey;
  readonly caller: Caller;
  readonly revocation: AbortController;
}

/** The gateway's keys, stored as hashes in a file of the data folder. */
export class Keys {
  readonly #path: string;
  readonly #log: Log;
  readonly #lock = new Lock();
  readonly #byHash = new Map<string, Key>();

  private constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  /** Loads the stored keys. Rejects with a ConfigError if the file is unreadable, since it must not be overwritten. */
  static async load(path: string, log: Log): Promise<Keys> {
    const keys = new Keys(path, log);
    for (const stored of await readKeys(path)) keys.#add(stored);
    return keys;
  }

  get count(): number {
    return this.#byHash.size;
  }

  list(): KeyView[] {
    return [...this.#byHash.values()].map(({ stored }) => viewOf(stored));
  }

  get(id: string): KeyView | undefined {
    const key = [...this.#byHash.values()].find(({ stored }) => stored.id === id);
    return key && viewOf(key.stored);
  }

  /** The caller of the key with this digest, and whether the key is still valid. Undefined for an unknown key. */
  find(digest: Buffer): { readonly caller: Caller; readonly isValid: boolean } | undefined {
    const key = this.#byHash.get(hashText(digest));
    return key && { caller: key.caller, isValid: isValid(key) };
  }

  /** The caller of the key with this id; undefined for one that is unknown or no longer valid. */
  caller(id: string): Caller | undefined {
    return [...this.#byHash.values()].find((key) => key.stored.id === id && isValid(key))?.caller;
  }

  /** Creates a key. `rate_limited` if there are too many. */
  create({ name, sessions, scope, expiresAt, maxSessions }: NewKey): Promise<KeyView & { readonly key: string }> {
    return this.#lock.run(async () => {
      const others = this.#validKeys();
      if (others.length >= MAX_KEYS)
        throw new GatewayError('rate_limited', `the limit of ${MAX_KEYS} keys is reached: delete an unused one`);
      const key = `cwk_${randomBytes(KEY_BYTES).toString('base64url')}`;
      const stored: StoredKey = {
        id: `key_${randomBytes(ID_BYTES).toString('hex')}`,
        name,
        sessions,
        scope,
        createdAt: new Date().toISOString(),
        ...(expiresAt ? { expiresAt: new Date(expiresAt).toISOString() } : {}),
        maxSessions,
        hash: hashText(digestOf(key)),
      };
      await this.#write([...others, stored]);
      this.#add(stored);
      return { ...viewOf(stored), key };
    });
  }

  /** Deletes a key. It is revoked at once, even if the file cannot be written. `key_not_found`, `internal_error`. */
  remove(id: string): Promise<void> {
    return this.#lock.run(async () => {
      const key = [...this.#byHash.values()].find(({ stored }) => stored.id === id);
      if (!key) throw new GatewayError('key_not_found', 'key not found');
      revoke(key.revocation);
      try {
        await this.#write(this.#validKeys());
      } catch (error) {
        this.#log.error({ key: id, error: errorText(error) }, 'deleted key not removed from its file');
        throw new GatewayError(
          'internal_error',
          `${id} is revoked, but becomes valid again after a restart: keys.json could not be written (${errorText(error)}). Delete it again`,
        );
      }
    });
  }

  #add(stored: StoredKey): void {
    const { id, scope, sessions, maxSessions, hash } = stored;
    const revocation = createRevocation();
    const sees = (session: string) => sessions.some((pattern) => matchesPattern(pattern, session));
    this.#byHash.set(hash, {
      stored,
      revocation,
      caller: { id, keyId: id, scope, sessions, maxSessions, sees, signal: revocation.signal },
    });
    this.#revokeOnExpiry(stored, revocation);
  }

  #revokeOnExpiry(stored: StoredKey, revocation: AbortController): void {
    if (stored.expiresAt === undefined || revocation.signal.aborted) return;
    const remainingMs = Date.parse(stored.expiresAt) - Date.now();
    if (remainingMs > 0) {
      setTimeout(() => this.#revokeOnExpiry(stored, revocation), Math.min(remainingMs, MAX_EXPIRY_TIMER_MS)).unref();
      return;
    }
    revoke(revocation);
    this.#log.info({ key: stored.id }, 'key expired');
  }

  #validKeys(): StoredKey[] {
    return [...this.#byHash.values()].filter(isValid).map(({ stored }) => stored);
  }

  /** Stores these keys, then drops invalid ones from memory; until then they are listed. */
  async #write(keys: readonly StoredKey[]): Promise<void> {
    await replaceText(this.#path, `${JSON.stringify({ keys }, null, 2)}\n`, {
      durably: true,
      maxBytes: MAX_FILE_BYTES,
    });
    for (const [hash, key] of this.#byHash) if (!isValid(key)) this.#byHash.delete(hash);
  }
}

async function readKeys(path: string): Promise<StoredKey[]> {
  try {
    return v.parse(storedKeys, JSON.parse(await readOwnText(path, MAX_FILE_BYTES))).keys;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new ConfigError([
      `the keys cannot be read from ${path}: restore it from a backup, or remove it (rm -rf ${path}) and create new keys`,
    ]);
  }
}

function viewOf({ hash, ...view }: StoredKey): KeyView {
  return view;
}

function isValid({ stored, revocation }: Key): boolean {
  return !revocation.signal.aborted && !isExpired(stored);
}

function isExpired({ expiresAt }: StoredKey): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
}
