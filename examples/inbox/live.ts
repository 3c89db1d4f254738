/** Notifies open pages of changes: they then request the page again. */
export class Live {
  readonly #readers = new Set<() => void>();

  changed(): void {
    for (const tell of this.#readers) tell();
  }

  /** Calls `tell` at each change, until the returned function is called. */
  follow(tell: () => void): () => void {
    this.#readers.add(tell);
    return () => this.#readers.delete(tell);
  }
}
