import * as v from 'valibot';
import { errnoOf } from './errno.ts';
import { readOwnText, replaceText } from './text-files.ts';

/** A value in a file of its own, readable for this user only. */
export class JsonFile<S extends v.GenericSchema> {
  readonly path: string;
  readonly #schema: S;
  readonly #maxBytes: number;

  constructor(path: string, schema: S, maxBytes: number) {
    this.path = path;
    this.#schema = schema;
    this.#maxBytes = maxBytes;
  }

  /** Undefined if there is no file. Rejects if it is unreadable, too long, or invalid. */
  async read(): Promise<v.InferOutput<S> | undefined> {
    let text: string;
    try {
      text = await readOwnText(this.path, this.#maxBytes);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined;
      throw error;
    }
    return v.parse(this.#schema, JSON.parse(text));
  }

  /**
   * The value is on disk when this resolves, unless `durably` is false. Rejects with `EFBIG` if it is too long to be read
   * again.
   */
  write(value: v.InferOutput<S>, { durably = true } = {}): Promise<void> {
    return replaceText(this.path, `${JSON.stringify(value, null, 2)}\n`, { durably, maxBytes: this.#maxBytes });
  }
}
