const MINUTE_MS = 60_000;

/** Bounds the lines that somebody can have written by asking again and again. */
export class LineBudget {
  readonly #perMinute: number;
  #endsAt = 0;
  #written = 0;
  #skipped = 0;

  constructor(perMinute: number) {
    this.#perMinute = perMinute;
  }

  /** How many lines were left out before this one; undefined where this one is to be left out, too. */
  take(now = performance.now()): number | undefined {
    if (now >= this.#endsAt) {
      this.#endsAt = now + MINUTE_MS;
      this.#written = 0;
    }
    if (this.#written >= this.#perMinute) {
      this.#skipped += 1;
      return undefined;
    }
    this.#written += 1;
    const skipped = this.#skipped;
    this.#skipped = 0;
    return skipped;
  }
}
