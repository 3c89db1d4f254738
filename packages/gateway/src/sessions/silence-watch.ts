const MOST_MISSED = 3;

/** How a watch is set up. */
export interface SilenceWatchOptions {
  /** How often a sign of life comes at least, in milliseconds. */
  readonly intervalMs: number;
  onSilent(forMs: number): void;
}

/**
 * Notices that a process has gone silent: three signs of life in a row did not come. What this process itself has
 * slept through does not count, as when it was stopped, or the host was suspended.
 */
export class SilenceWatch {
  readonly #options: SilenceWatchOptions;
  readonly #timer: NodeJS.Timeout;
  #missed = 0;
  #wasHeard = true;
  #lastLookAt = performance.now();

  constructor(options: SilenceWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#look(), options.intervalMs).unref();
  }

  /** Any word counts. */
  heard(): void {
    this.#wasHeard = true;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const { intervalMs, onSilent } = this.#options;
    const now = performance.now();
    const overslept = now - this.#lastLookAt > 1.5 * intervalMs;
    this.#lastLookAt = now;
    this.#missed = this.#wasHeard || overslept ? 0 : this.#missed + 1;
    this.#wasHeard = false;
    if (this.#missed < MOST_MISSED) return;
    this.stop();
    onSilent(MOST_MISSED * intervalMs);
  }
}
