import { everyShared } from '../shared-interval.ts';

const MAX_MISSED = 3;

export interface SilenceWatchOptions {
  /** The longest time between two heartbeats, in milliseconds. */
  readonly intervalMs: number;
  onSilent(forMs: number): void;
}

/**
 * Detects that a process stopped responding: three heartbeats in a row are missing. Time in which this process itself
 * did not run does not count, as when it was stopped or the host was suspended.
 */
export class SilenceWatch {
  readonly #options: SilenceWatchOptions;
  #missed = 0;
  #hasReceived = true;
  /** Until the first message, checks start one interval after creation: they are shared, and the first may be immediate. */
  #checksFrom: number;
  #lastCheckAt = performance.now();
  readonly stop: () => void;

  constructor(options: SilenceWatchOptions) {
    this.#options = options;
    this.#checksFrom = performance.now() + options.intervalMs;
    this.stop = everyShared(options.intervalMs, () => this.#check());
  }

  /** Any message counts as a heartbeat. */
  received(): void {
    this.#hasReceived = true;
    this.#checksFrom = 0;
  }

  #check(): void {
    const { intervalMs, onSilent } = this.#options;
    const now = performance.now();
    const overslept = now - this.#lastCheckAt > 1.5 * intervalMs;
    this.#lastCheckAt = now;
    if (now < this.#checksFrom) return;
    this.#missed = this.#hasReceived || overslept ? 0 : this.#missed + 1;
    this.#hasReceived = false;
    if (this.#missed < MAX_MISSED) return;
    this.stop();
    onSilent(MAX_MISSED * intervalMs);
  }
}
