export interface DataRateLimits {
  /** How long it may send nothing. */
  readonly stallMs: number;
  /** It must send `bytesInWindow` per `windowMs` of waiting. */
  readonly windowMs: number;
  readonly bytesInWindow: number;
}

/** For request bodies: 1 KB/s over 30 s, and no stall of 10 s. */
export const BODY_RATE: DataRateLimits = { stallMs: 10_000, windowMs: 30_000, bytesInWindow: 30 * 1_024 };

/** Detects senders that are too slow. Only the time spent waiting for the sender counts, not our own work. */
export class MinDataRate {
  readonly #limits: DataRateLimits;
  #silentMs = 0;
  #windowMs = 0;
  #windowBytes = 0;

  constructor(limits: DataRateLimits) {
    this.#limits = limits;
  }

  waited(ms: number): void {
    this.#silentMs += ms;
    this.#windowMs += ms;
  }

  received(bytes: number): void {
    this.#silentMs = 0;
    this.#windowBytes += bytes;
  }

  get maxWaitMs(): number {
    const { stallMs, windowMs } = this.#limits;
    return Math.max(0, Math.min(stallMs - this.#silentMs, windowMs - this.#windowMs));
  }

  /** The problem, as a sentence; undefined while the rate is sufficient. */
  check(): string | undefined {
    const { stallMs, windowMs, bytesInWindow } = this.#limits;
    if (this.#silentMs >= stallMs) return `no data of the body arrived for ${stallMs / 1_000} s`;
    if (this.#windowMs < windowMs) return undefined;
    if (this.#windowBytes < bytesInWindow)
      return `less than ${bytesInWindow} bytes of the body arrived within ${windowMs / 1_000} s`;
    this.#windowMs = 0;
    this.#windowBytes = 0;
    return undefined;
  }
}
