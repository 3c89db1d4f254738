/** Tells open pages that something has changed: they then ask for the page again. */
export class Live {
  readonly #readers = new Set<() => void>();

  changed(): void {
    for (const tell of this.#readers) tell();
  }

  /** Calls `tell` at each change, until the function that it returns is called. */
  follow(tell: () => void): () => void {
    this.#readers.add(tell);
    return () => this.#readers.delete(tell);
  }
}
