interface Entry {
  readonly id: string | undefined;
  isDone: boolean;
}

/**
 * Handled entries at the front that are kept until this many are removed at once: removing each would move all others.
 */
const TIDY_AT = 1_000;

/**
 * Finds the position that may be stored: the newest one below which all events are handled, in whatever order their
 * handlers end. Events are added in the order of the stream.
 */
export class PositionKeeper {
  #entries: Entry[] = [];
  /** The index of the first entry that is not handled. */
  #first = 0;
  #position: string | undefined;
  readonly #onAdvance: (position: string) => void;

  /** `onAdvance`: called each time that the position has changed. */
  constructor(onAdvance: (position: string) => void) {
    this.#onAdvance = onAdvance;
  }

  /** The newest position below which all is handled. Undefined: there is none yet. */
  get position(): string | undefined {
    return this.#position;
  }

  /** Adds an event; one without an `id` holds back later ones as well. Returns the function that says it is handled. */
  add(id: string | undefined): () => void {
    const entry = { id, isDone: false };
    this.#entries.push(entry);
    return () => {
      if (entry.isDone) return;
      entry.isDone = true;
      this.#advance();
    };
  }

  /** Adds a position at which there is nothing to handle. */
  pass(id: string): void {
    this.add(id)();
  }

  #advance(): void {
    let newest: string | undefined;
    for (; this.#entries[this.#first]?.isDone; this.#first += 1) newest = this.#entries[this.#first]?.id ?? newest;
    if (this.#first >= TIDY_AT || this.#first === this.#entries.length) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
    if (newest === undefined || newest === this.#position) return;
    this.#position = newest;
    this.#onAdvance(newest);
  }
}
