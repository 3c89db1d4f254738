import { type Backoff, backoffMs, pause } from '../wait.ts';
import type { PositionStore } from './position-store.ts';

/** Options for saving positions. */
interface SaverOptions {
  /** The least time between two saves. */
  readonly everyMs: number;
  /** How long to wait after a save that failed. */
  readonly retry: Backoff;
  /** Called with each failed save. */
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
