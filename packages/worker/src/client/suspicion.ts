/** Something that is believed when it is seen several times in a row, and forgotten when it is not seen for long. */
export class Suspicion {
  readonly #needed: number;
  readonly #fadesMs: number;
  #times = 0;
  #lastAt = 0;

  /** `needed`: how often it must be seen; `fadesMs`: after so long since the last time, what was seen counts no more. */
  constructor(needed: number, fadesMs: number) {
    this.#needed = needed;
    this.#fadesMs = fadesMs;
  }

  /** It was seen; true if it is believed now. */
  raise(now = Date.now()): boolean {
    this.#times = now - this.#lastAt > this.#fadesMs ? 1 : this.#times + 1;
    this.#lastAt = now;
    return this.#times >= this.#needed;
  }

  /** The opposite was seen. */
  clear(): void {
    this.#times = 0;
  }
}
