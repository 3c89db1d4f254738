import { randomBytes } from 'node:crypto';
import { errorText, GatewayError, type KeyView, keyView, type NewKey } from '@chat-web/protocol';
import * as v from 'valibot';
import { ConfigError } from '../config.ts';
import { readOwnText, replaceText } from '../host/text-files.ts';
import { Lock } from '../lock.ts';
import type { Log } from '../log.ts';
import { type Caller, callerEnd } from './caller.ts';
import { fitsPattern } from './session-pattern.ts';
import { digestOf, hashText, isHash } from './token.ts';

const MOST_KEYS = 500;
const MOST_FILE_BYTES = 16_777_216;
const KEY_BYTES = 32;
const ID_BYTES = 6;
/** Timers cannot wait for months, and do not hear of a clock that is set: so they look again. */
const LONGEST_LOOK_MS = 60_000;

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
  readonly end: AbortController;
}

/** The keys of a gateway, kept as hashes in a file of the data folder. */
export class Keys {
  readonly #path: string;
  readonly #log: Log;
  readonly #lock = new Lock();
  readonly #byHash = new Map<string, Key>();

  private constructor(path: string, log: Log) {
    this.#path = path;
    this.#log = log;
  }

  /** The keys that an earlier gateway has left. Rejects with a ConfigError where they cannot be read: they are not to be written over. */
  static async load(path: string, log: Log): Promise<Keys> {
    const keys = new Keys(path, log);
    for (const stored of await readKeys(path)) keys.#add(stored);
    return keys;
  }

  /** How many there are. */
  get count(): number {
    return this.#byHash.size;
  }

  /** Every key, the oldest first. */
  list(): KeyView[] {
    return [...this.#byHash.values()].map(({ stored }) => viewOf(stored));
  }

  /** Who comes with the key of that digest, and whether it still holds. Undefined where there is no such key. */
  find(digest: Buffer): { readonly caller: Caller; readonly holds: boolean } | undefined {
    const key = this.#byHash.get(hashText(digest));
    return key && { caller: key.caller, holds: holds(key) };
  }

  /** Makes a key. `rate_limited` where there are too many. */
  create({ name, sessions, scope, expiresAt }: NewKey): Promise<KeyView & { readonly key: string }> {
    return this.#lock.run(async () => {
      const others = this.#holding();
      if (others.length >= MOST_KEYS)
        throw new GatewayError('rate_limited', `there may be ${MOST_KEYS} keys at most: delete one that is not used`);
      const key = `cwk_${randomBytes(KEY_BYTES).toString('base64url')}`;
      const stored: StoredKey = {
        ...{ id: `key_${randomBytes(ID_BYTES).toString('hex')}`, name, sessions, scope },
        createdAt: new Date().toISOString(),
        ...(expiresAt ? { expiresAt: new Date(expiresAt).toISOString() } : {}),
        hash: hashText(digestOf(key)),
      };
      await this.#write([...others, stored]);
      this.#add(stored);
      return { ...viewOf(stored), key };
    });
  }

  /** Deletes a key: at once, also where that cannot be written down. `key_not_found`. */
  remove(id: string): Promise<void> {
    return this.#lock.run(async () => {
      const key = [...this.#byHash.values()].find(({ stored }) => stored.id === id);
      if (!key) throw new GatewayError('key_not_found', 'there is no such key');
      key.end.abort();
      try {
        await this.#write(this.#holding());
      } catch (error) {
        this.#log.error({ key: id, error: errorText(error) }, 'deleted key not removed from its file');
        throw new GatewayError(
          'internal_error',
          `${id} opens nothing any more, but would again after a restart: keys.json could not be written (${errorText(error)}). Delete it again`,
        );
      }
    });
  }

  #add(stored: StoredKey): void {
    const { id, scope, sessions, hash } = stored;
    const end = callerEnd();
    const sees = (session: string) => sessions.some((pattern) => fitsPattern(pattern, session));
    this.#byHash.set(hash, { stored, end, caller: { id, keyId: id, scope, sees, signal: end.signal } });
    this.#endInTime(stored, end);
  }

  #endInTime(stored: StoredKey, end: AbortController): void {
    if (stored.expiresAt === undefined || end.signal.aborted) return;
    const restMs = Date.parse(stored.expiresAt) - Date.now();
    if (restMs > 0) {
      setTimeout(() => this.#endInTime(stored, end), Math.min(restMs, LONGEST_LOOK_MS)).unref();
      return;
    }
    end.abort();
    this.#log.info({ key: stored.id }, 'key expired');
  }

  #holding(): StoredKey[] {
    return [...this.#byHash.values()].filter(holds).map(({ stored }) => stored);
  }

  /** Writes down the keys that there are from now on, and forgets those that no longer hold: until then they can be seen. */
  async #write(keys: readonly StoredKey[]): Promise<void> {
    await replaceText(this.#path, `${JSON.stringify({ keys }, null, 2)}\n`, { durably: true });
    for (const [hash, key] of this.#byHash) if (!holds(key)) this.#byHash.delete(hash);
  }
}

async function readKeys(path: string): Promise<StoredKey[]> {
  try {
    return v.parse(storedKeys, JSON.parse(await readOwnText(path, MOST_FILE_BYTES))).keys;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new ConfigError([
      `the keys cannot be read from ${path}: restore it from a copy, or remove it and make new keys`,
    ]);
  }
}

function viewOf({ hash, ...view }: StoredKey): KeyView {
  return view;
}

function holds({ stored, end }: Key): boolean {
  return !end.signal.aborted && !isOver(stored);
}

function isOver({ expiresAt }: StoredKey): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
}
