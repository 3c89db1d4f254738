import { errorText, GatewayError, keyView } from '@chat-web/protocol';
import * as v from 'valibot';
import { ConfigError } from '../config-error.ts';
import { JsonFile } from '../host/json-file.ts';
import { isHash } from './token.ts';

const MAX_FILE_BYTES = 16_777_216;

export const storedKey = v.object({
  ...keyView.entries,
  /** `sha256:<hex>` of the key. */
  hash: v.pipe(v.string(), v.check(isHash)),
});
const storedKeys = v.object({ keys: v.pipe(v.array(storedKey), v.readonly()) });
export type StoredKey = v.InferOutput<typeof storedKey>;

/** Where keys are stored. */
export interface KeyStore {
  /** Rejects with a ConfigError if they cannot be read: they must not be overwritten. */
  load(): Promise<readonly StoredKey[]>;
  /** `all`: with the new key. */
  add(key: StoredKey, all: readonly StoredKey[]): Promise<void>;
  /** Resolves once every gateway accepts the keys that were added: until then, their requests count as wrong tokens. */
  known(): Promise<void>;
  /** `rest`: without the removed key. Rejects with an error that says when it is valid again. */
  remove(id: string, rest: readonly StoredKey[]): Promise<void>;
  /** `onChange` gets all keys whenever others have changed them. */
  watch(onChange: (keys: readonly StoredKey[]) => void): void;
}

/** The keys of a gateway on its own, in a file of its data folder. */
export class KeyFile implements KeyStore {
  readonly #file: JsonFile<typeof storedKeys>;

  constructor(path: string) {
    this.#file = new JsonFile(path, storedKeys, MAX_FILE_BYTES);
  }

  async load(): Promise<readonly StoredKey[]> {
    try {
      return (await this.#file.read())?.keys ?? [];
    } catch {
      const { path } = this.#file;
      throw new ConfigError([
        `the keys cannot be read from ${path}: restore it from a backup, or remove it (rm -rf ${path}) and create new keys`,
      ]);
    }
  }

  add(_: StoredKey, all: readonly StoredKey[]): Promise<void> {
    return this.#file.write({ keys: all });
  }

  async known(): Promise<void> {}

  async remove(id: string, rest: readonly StoredKey[]): Promise<void> {
    await this.#file.write({ keys: rest }).catch((error: unknown) => {
      throw new GatewayError(
        'internal_error',
        `${id} is revoked, but becomes valid again after a restart: keys.json could not be written (${errorText(error)}). Delete it again`,
      );
    });
  }

  watch(): void {} // Only this gateway changes them.
}
