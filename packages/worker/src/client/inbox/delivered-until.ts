import { OVERLAP_SECONDS } from '@chat-web/protocol';

/** The network may deliver a message this long after it was sent; its timestamp is when it was sent. */
const LATE_SECONDS = 6 * 60 * 60;
const IDLE_STEP_SECONDS = 60 * 60;

/**
 * The time up to which inbound messages are delivered. Older messages are history, and are no longer delivered. All
 * times are Unix seconds; `now` is an argument, so that tests need no clock.
 */
export class DeliveredUntil {
  #seconds: number;
  /** Since when the page has delivered live messages without an interruption; undefined while it does not. */
  #liveSince: number | undefined;

  /** `seconds`: the time of the previous run; 0 if there is none. */
  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  get seconds(): number {
    return this.#seconds;
  }

  /** Everything before `seconds` is history. */
  discardBefore(seconds: number): void {
    this.#seconds = Math.max(this.#seconds, seconds);
  }

  /** Messages delivered since then are delivered again. */
  goBackTo(seconds: number): void {
    this.#seconds = Math.min(this.#seconds, seconds);
  }

  /**
   * A message was delivered. Others may still arrive with slightly older timestamps; a clock ahead of ours is not
   * trusted.
   */
  onDelivered(timestamp: number, now: number): void {
    this.discardBefore(Math.min(timestamp, now) - OVERLAP_SECONDS);
  }

  /** All messages are delivered, and new ones are delivered as they arrive. */
  onLive(now: number): void {
    this.#liveSince = now;
  }

  onInterrupted(): void {
    this.#liveSince = undefined;
  }

  /**
   * Advances for an account without messages: otherwise its silence would look like a gap after a restart. Returns the
   * new time at most once an hour, and only for a time at which the page was live.
   */
  advanceIdle(now: number): number | undefined {
    const until = now - LATE_SECONDS;
    if (this.#liveSince === undefined || until < this.#liveSince) return undefined;
    if (until < this.#seconds + IDLE_STEP_SECONDS) return undefined;
    this.#seconds = until;
    return until;
  }
}
