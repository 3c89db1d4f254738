import type { SeenStore } from './seen-store.ts';

/**
 * Carries work out once per id: a repetition joins work in progress, and does nothing after work that succeeded. Failed
 * work may be repeated.
 */
export class Once {
  readonly #seen: SeenStore;
  readonly #onStoreError: (error: unknown) => void;
  readonly #running = new Map<string, Promise<void>>();

  /**
   * If the store fails, the error is reported and the work is carried out nevertheless: a repetition is better than a
   * loss.
   */
  constructor(seen: SeenStore, onStoreError: (error: unknown) => void) {
    this.#seen = seen;
    this.#onStoreError = onStoreError;
  }

  /** How many are in progress. */
  get size(): number {
    return this.#running.size;
  }

  /** True if work for the id is in progress. */
  isRunning(id: string): boolean {
    return this.#running.has(id);
  }

  /** Rejects with what the work threw. */
  run(id: string, work: () => unknown): Promise<void> {
    const running = this.#running.get(id);
    if (running) return running;
    const run = this.#unlessSeen(id, work).finally(() => this.#running.delete(id));
    this.#running.set(id, run);
    return run;
  }

  async #unlessSeen(id: string, work: () => unknown): Promise<void> {
    if (await this.#isSeen(id)) return;
    await work();
    try {
      await this.#seen.add(id);
    } catch (error) {
      this.#onStoreError(error);
    }
  }

  async #isSeen(id: string): Promise<boolean> {
    try {
      return await this.#seen.has(id);
    } catch (error) {
      this.#onStoreError(error);
      return false;
    }
  }
}
