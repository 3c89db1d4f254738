/** Counts failures of one kind: one may be chance, several in a row are a fault. */
export class FailureThreshold {
  readonly #needed: number;
  readonly #windowMs: number;
  #failures = 0;
  #lastAt = 0;

  /**
   * `needed`: failures in a row that make a fault; `windowMs`: a failure counts while the next follows within this
   * time.
   */
  constructor(needed: number, windowMs: number) {
    this.#needed = needed;
    this.#windowMs = windowMs;
  }

  /** True if the threshold is reached with this failure. */
  fail(now = Date.now()): boolean {
    this.#failures = now - this.#lastAt > this.#windowMs ? 1 : this.#failures + 1;
    this.#lastAt = now;
    return this.#failures >= this.#needed;
  }

  /** A success: the next failure is the first again. */
  reset(): void {
    this.#failures = 0;
  }
}
