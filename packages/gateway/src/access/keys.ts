import { randomBytes } from 'node:crypto';
import { errorText, GatewayError, type KeyView, matchesPattern, type NewKey } from '@chat-web/protocol';
import { Lock } from '../lock.ts';
import type { Log } from '../log.ts';
import { type Caller, createRevocation, revoke } from './caller.ts';
import type { KeyStore, StoredKey } from './key-store.ts';
import { digestOf, hashText } from './token.ts';

const MAX_KEYS = 500;
const KEY_BYTES = 32;
const ID_BYTES = 6;
/** Timers overflow after 24 days and ignore changes of the system clock, so expiry is rechecked this often. */
const MAX_EXPIRY_TIMER_MS = 60_000;

interface Key {
  readonly stored: StoredKey;
  readonly caller: Caller;
  readonly revocation: AbortController;
}

/** The keys of the API, of which only hashes are stored. */
export class Keys {
  readonly #store: KeyStore;
  readonly #log: Log;
  readonly #lock = new Lock();
  readonly #byHash = new Map<string, Key>();

  private constructor(store: KeyStore, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** Rejects with a ConfigError if the stored keys are unreadable. */
  static async load(store: KeyStore, log: Log): Promise<Keys> {
    const keys = new Keys(store, log);
    for (const stored of await store.load()) keys.#add(stored);
    store.watch((all) => keys.#replace(all));
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
  async create({ expiresAt, ...about }: NewKey): Promise<KeyView & { readonly key: string }> {
    const created = await this.#lock.run(async () => {
      const others = this.#validKeys();
      if (others.length >= MAX_KEYS)
        throw new GatewayError('rate_limited', `the limit of ${MAX_KEYS} keys is reached: delete an unused one`);
      const key = `cwk_${randomBytes(KEY_BYTES).toString('base64url')}`;
      const stored: StoredKey = {
        id: `key_${randomBytes(ID_BYTES).toString('hex')}`,
        ...about,
        createdAt: new Date().toISOString(),
        ...(expiresAt ? { expiresAt: new Date(expiresAt).toISOString() } : {}),
        hash: hashText(digestOf(key)),
      };
      await this.#store.add(stored, [...others, stored]);
      this.#forgetInvalid();
      if (!this.#byHash.has(stored.hash)) this.#add(stored); // The watch may have been quicker.
      return { ...viewOf(stored), key };
    });
    await this.#store.known();
    return created;
  }

  /** Deletes a key. It is revoked at once, even if that cannot be stored. `key_not_found`, or the error of the store. */
  remove(id: string): Promise<void> {
    return this.#lock.run(async () => {
      const key = [...this.#byHash.values()].find(({ stored }) => stored.id === id);
      if (!key) throw new GatewayError('key_not_found', 'key not found');
      revoke(key.revocation);
      try {
        await this.#store.remove(id, this.#validKeys());
        this.#forgetInvalid();
      } catch (error) {
        this.#log.error({ key: id, error: errorText(error) }, 'deleted key not removed from its file');
        throw error;
      }
    });
  }

  #add(stored: StoredKey): void {
    const { id, scope, sessions, maxSessions, recipients, sendsPerHour, hash } = stored;
    const revocation = createRevocation();
    const sees = (session: string) => sessions.some((pattern) => matchesPattern(pattern, session));
    this.#byHash.set(hash, {
      stored,
      revocation,
      caller: {
        id,
        keyId: id,
        scope,
        sessions,
        maxSessions,
        recipients,
        sendsPerHour,
        sees,
        signal: revocation.signal,
      },
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

  /** Drops invalid keys from memory; until then they are listed. */
  #forgetInvalid(): void {
    for (const [hash, key] of this.#byHash) if (!isValid(key)) this.#byHash.delete(hash);
  }

  /** Others have changed the keys. */
  #replace(all: readonly StoredKey[]): void {
    const hashes = new Set(all.map(({ hash }) => hash));
    for (const [hash, key] of this.#byHash) {
      if (hashes.has(hash)) continue;
      revoke(key.revocation);
      this.#byHash.delete(hash);
    }
    for (const stored of all) if (!this.#byHash.has(stored.hash)) this.#add(stored);
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
