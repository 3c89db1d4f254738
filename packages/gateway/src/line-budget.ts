const MINUTE_MS = 60_000;

/** Bounds the lines that somebody can have written by asking again and again, and counts those that are left out. */
export class LineBudget {
  readonly #mayWrite: () => boolean;
  #skipped = 0;

  constructor(mayWrite: () => boolean) {
    this.#mayWrite = mayWrite;
  }

  /** How many lines were left out since the last one, for somebody who tells of it: they count no more. */
  drain(): number {
    const skipped = this.#skipped;
    this.#skipped = 0;
    return skipped;
  }

  /** How many lines were left out before this one; undefined where this one is to be left out, too. */
  take(): number | undefined {
    if (!this.#mayWrite()) {
      this.#skipped += 1;
      return undefined;
    }
    return this.drain();
  }
}

/** Allows at most so many in each fixed minute. */
export function perMinute(most: number): () => boolean {
  let endsAt = 0;
  let taken = 0;
  return () => {
    const now = performance.now();
    if (now >= endsAt) {
      endsAt = now + MINUTE_MS;
      taken = 0;
    }
    taken += 1;
    return taken <= most;
  };
}
