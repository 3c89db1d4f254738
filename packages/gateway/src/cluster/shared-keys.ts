import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { errorText, GatewayError } from '@chat-web/protocol';
import * as v from 'valibot';
import { KeyFile, type KeyStore, type StoredKey, storedKey } from '../access/key-store.ts';
import type { Engine } from './engine.ts';

/** All gateways have read a change after this time: they do so once a second. */
const READ_BY_ALL_MS = 1_500;

/** The keys of a cluster, in its database. */
export class SharedKeys implements KeyStore {
  readonly #engine: Engine;
  /** The keys of this host from before it joined. */
  readonly #ownFile: string;
  /** Keys that a list which is being read may still contain. */
  readonly #removed = new Set<string>();
  #change = '0';
  #onChange: (keys: readonly StoredKey[]) => void = () => {};

  constructor(engine: Engine, ownFile: string) {
    this.#engine = engine;
    this.#ownFile = ownFile;
  }

  /** The keys that a host had before it joined are valid in the cluster. */
  async load(): Promise<readonly StoredKey[]> {
    for (const key of await new KeyFile(this.#ownFile).load()) await this.#insert(key);
    await rm(this.#ownFile, { force: true, recursive: true });
    return this.#read();
  }

  async add(key: StoredKey): Promise<void> {
    await this.#insert(key);
  }

  async known(): Promise<void> {
    await delay(READ_BY_ALL_MS);
  }

  async remove(id: string): Promise<void> {
    this.#removed.add(id);
    await this.#engine.query('SELECT chat_web.remove_key($1)', [id]).catch((error: unknown) => {
      throw new GatewayError(
        'engine_unavailable',
        `${id} is revoked at this gateway only, and until it restarts: the database of the cluster could not be changed (${errorText(error)}). Delete it again`,
      );
    });
  }

  watch(onChange: (keys: readonly StoredKey[]) => void): void {
    this.#onChange = onChange;
  }

  /** Reads the keys again if any gateway has changed them. */
  async refresh(): Promise<void> {
    const before = this.#change;
    const keys = await this.#read(before);
    if (this.#change !== before) this.#onChange(keys);
  }

  async #insert(key: StoredKey): Promise<void> {
    await this.#engine.query('SELECT chat_web.add_key($1)', [JSON.stringify(key)]);
  }

  async #read(known?: string): Promise<StoredKey[]> {
    // Before the keys: a change in between is read again next time.
    const [row] = await this.#engine.query<{ change: string }>('SELECT chat_web.keys_change() AS change');
    if (row === undefined || row.change === known) return [];
    const rows = await this.#engine.query<{ key: unknown }>('SELECT key FROM chat_web.list_keys() AS key');
    this.#change = row.change;
    return rows.flatMap(({ key }) => {
      const parsed = v.safeParse(storedKey, key);
      return parsed.success && !this.#removed.has(parsed.output.id) ? [parsed.output] : [];
    });
  }
}
