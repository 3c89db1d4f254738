/** What a sender must keep up. */
export interface PaceLimits {
  /** How long it may send nothing at all. */
  readonly stallMs: number;
  /** In so much time that it was waited for, it must send so many bytes. */
  readonly windowMs: number;
  readonly bytesInWindow: number;
}

/** What everybody must keep up who sends a body: 1 KB/s over 30 s, and no stop of 10 s. */
export const PACE: PaceLimits = { stallMs: 10_000, windowMs: 30_000, bytesInWindow: 30 * 1_024 };

/** Tells who sends too slowly. Only the time counts in which the sender is waited for, not what we take for our work. */
export class SendingPace {
  readonly #limits: PaceLimits;
  #silentMs = 0;
  #windowMs = 0;
  #windowBytes = 0;

  constructor(limits: PaceLimits) {
    this.#limits = limits;
  }

  /** The sender was waited for, for so long. */
  waited(ms: number): void {
    this.#silentMs += ms;
    this.#windowMs += ms;
  }

  /** Bytes have come. */
  came(bytes: number): void {
    this.#silentMs = 0;
    this.#windowBytes += bytes;
  }

  /** For how long the sender may be waited for before it is to be judged. */
  get patienceMs(): number {
    const { stallMs, windowMs } = this.#limits;
    return Math.max(0, Math.min(stallMs - this.#silentMs, windowMs - this.#windowMs));
  }

  /** What is wrong with the pace, as a sentence; undefined while nothing is. */
  judge(): string | undefined {
    const { stallMs, windowMs, bytesInWindow } = this.#limits;
    if (this.#silentMs >= stallMs) return `nothing more of the body came for ${stallMs / 1_000} s`;
    if (this.#windowMs < windowMs) return undefined;
    if (this.#windowBytes < bytesInWindow)
      return `less than ${bytesInWindow} bytes of the body came within ${windowMs / 1_000} s`;
    this.#windowMs = 0;
    this.#windowBytes = 0;
    return undefined;
  }
}
