import { GatewayError } from '@chat-web/protocol';

/** What is kept back for the way of the answer. */
const RESERVE_MS = 3_000;
const MOMENT_MS = 500;
/** A step that begins with less would end as one whose outcome is not known. */
const LEAST_STEP_MS = 2_000;

/** The time of one operation, which its steps share: together they end before its own limit, so that the answer says more. */
export class TimeBudget {
  readonly #endsAt: number;

  /** `timeoutMs`: the operation's own limit. */
  constructor(timeoutMs: number) {
    this.#endsAt = performance.now() + timeoutMs - RESERVE_MS;
  }

  /**
   * How long the next step may take: what it wants, or what is left when `keepMs` are kept for the steps behind it.
   * Throws where that is too little for any step: what has not begun yet need not begin.
   */
  step(mostMs: number, keepMs = 0): number {
    const leftMs = this.#leftMs - keepMs;
    if (leftMs < LEAST_STEP_MS)
      throw new GatewayError('client_failed', 'the time of the request is used up; nothing was sent');
    return Math.min(mostMs, leftMs);
  }

  /** The same for a step that must be made, since something has been sent: a moment at least. */
  last(mostMs: number): number {
    return Math.min(mostMs, Math.max(MOMENT_MS, this.#leftMs));
  }

  get #leftMs(): number {
    return Math.floor(this.#endsAt - performance.now());
  }
}
