import type { FailureCause } from './failure.ts';
import {
  afterFailure,
  RECOVERED_AFTER_MS,
  type RestartHistory,
  refusedDelay,
  restartDelay,
  unsupportedDelay,
  WELL,
} from './restart-policy.ts';

/** Keeps a session's record of failures, and the time of its next attempt. */
export class Recovery {
  #history: RestartHistory = WELL;
  #restart: NodeJS.Timeout | undefined;
  #recovered: NodeJS.Timeout | undefined;
  #nextAttemptAt: Date | undefined;

  /** When the session will be tried again, while it waits for that. */
  get nextAttemptAt(): Date | undefined {
    return this.#nextAttemptAt;
  }

  /** The session is ready; if it stays so for long enough, its record is clean. */
  ready(): void {
    clearTimeout(this.#recovered);
    this.#recovered = setTimeout(() => {
      this.#history = WELL;
    }, RECOVERED_AFTER_MS).unref();
  }

  /** Takes a failure down, and has `start` called when it is time. Returns in how many milliseconds that is. */
  retry(cause: FailureCause, cameUp: boolean, start: () => void): number {
    this.cancel();
    clearTimeout(this.#recovered);
    const delayMs = this.#delay(cause, cameUp);
    this.#nextAttemptAt = new Date(Date.now() + delayMs);
    this.#restart = setTimeout(() => {
      this.cancel();
      start();
    }, delayMs);
    return delayMs;
  }

  #delay(cause: FailureCause, cameUp: boolean): number {
    if (cause === 'start_refused') return refusedDelay(Math.random);
    if (cause === 'page_unsupported') return unsupportedDelay(Math.random);
    this.#history = afterFailure(this.#history, { at: Date.now(), cameUp });
    return restartDelay(this.#history, Math.random);
  }

  /** No attempt is waited for any more. */
  cancel(): void {
    clearTimeout(this.#restart);
    this.#nextAttemptAt = undefined;
  }

  /** Somebody starts the session by hand, or it was stopped: all begins anew. */
  reset(): void {
    this.cancel();
    clearTimeout(this.#recovered);
    this.#history = WELL;
  }
}
