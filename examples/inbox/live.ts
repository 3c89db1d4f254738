/** Notifies open pages of changes: they then request the page again. */
export class Live {
  readonly #readers = new Set<() => void>();

  changed(): void {
    for (const notify of this.#readers) notify();
  }

  /** Calls `notify` at each change, until the returned function is called. */
  follow(notify: () => void): () => void {
    this.#readers.add(notify);
    return () => this.#readers.delete(notify);
  }
}
