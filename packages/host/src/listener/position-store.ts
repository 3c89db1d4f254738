import { pause } from '@chat-web/protocol';
import { type Backoff, backoffMs } from '../retry.ts';

/**
 * Where an application keeps its position in the events, over its own restarts. Only one listener may use a store at a
 * time.
 *
 * @example
 * const position: PositionStore = {
 *   load: async () => (await db.get('SELECT id FROM position'))?.id,
 *   save: (id) => db.run('UPDATE position SET id = ?', id),
 * };
 */
export interface PositionStore {
  /**
   * The id that was saved last. Undefined: none yet. If it rejects, so does the listener, which would not know where to
   * begin.
   */
  load(): Promise<string | undefined>;
  /**
   * Saves an id. Called in order, never concurrently, and only with an id up to which all events are handled. If it
   * rejects, `onError` is called, and the newest id is tried again.
   */
  save(id: string): Promise<void>;
  /** Called once when the listener has ended, if `load` has resolved. */
  close?(): Promise<void>;
}

/** Keeps the position for the lifetime of the process. */
export function memoryPosition(): PositionStore {
  let position: string | undefined;
  return {
    load: async () => position,
    save: async (id) => {
      position = id;
    },
  };
}

interface SaverOptions {
  readonly everyMs: number;
  readonly retry: Backoff;
  onError(error: unknown): Promise<unknown>;
}

/** Saves the newest position: one save at a time, not too often, and again if it fails. */
export class PositionSaver {
  readonly #store: PositionStore;
  readonly #options: SaverOptions;
  readonly #closing = new AbortController();
  /** The newest position that is not saved yet. */
  #wanted: string | undefined;
  #saved: string | undefined;
  #savedAt = -Infinity;
  #work: Promise<void> | undefined;

  constructor(store: PositionStore, options: SaverOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Saves this position soon, unless a newer one replaces it first. */
  save(position: string): void {
    if (this.#closing.signal.aborted) return;
    this.#wanted = position;
    this.#work ??= this.#saveAll();
  }

  /** Saves an unsaved position at once, with one attempt; later positions are not saved. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#work;
  }

  async #saveAll(): Promise<void> {
    const { everyMs, retry, onError } = this.#options;
    const closing = this.#closing.signal;
    for (let failures = 0; this.#wanted !== undefined; ) {
      await pause(this.#savedAt + everyMs - performance.now(), closing);
      const position = this.#wanted;
      this.#wanted = undefined;
      if (position === this.#saved) continue;
      const isLast = closing.aborted;
      try {
        await this.#store.save(position);
        failures = 0;
        this.#saved = position;
        this.#savedAt = performance.now();
      } catch (error) {
        failures += 1;
        await onError(error);
        if (isLast) break;
        this.#wanted ??= position;
        await pause(backoffMs(retry, failures), closing);
      }
    }
    this.#work = undefined;
  }
}
