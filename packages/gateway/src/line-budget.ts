import { MINUTE_MS } from '@chat-web/protocol';

/** Limits the log lines that a client can cause, and counts the skipped ones. */
export class LineBudget {
  readonly #mayWrite: () => boolean;
  #skipped = 0;

  constructor(mayWrite: () => boolean) {
    this.#mayWrite = mayWrite;
  }

  /** Returns and resets the number of lines skipped since the last one, for a caller that logs it. */
  drain(): number {
    const skipped = this.#skipped;
    this.#skipped = 0;
    return skipped;
  }

  /** The number of lines skipped before this one; undefined if this one must be skipped, too. */
  take(): number | undefined {
    if (!this.#mayWrite()) {
      this.#skipped += 1;
      return undefined;
    }
    return this.drain();
  }
}

/** Allows at most `max` per fixed window of a minute. */
export function perMinute(max: number): () => boolean {
  let endsAt = 0;
  let taken = 0;
  return () => {
    const now = performance.now();
    if (now >= endsAt) {
      endsAt = now + MINUTE_MS;
      taken = 0;
    }
    taken += 1;
    return taken <= max;
  };
}
