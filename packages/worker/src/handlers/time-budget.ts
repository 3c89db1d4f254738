import { GatewayError } from '@chat-web/protocol';

/** What is kept back for the way of the answer. */
const RESERVE_MS = 3_000;

/** The time of one operation, which its steps share: together they end before its own limit, so that the answer says more. */
export class TimeBudget {
  readonly #endsAt: number;

  /** `timeoutMs`: the operation's own limit. */
  constructor(timeoutMs: number) {
    this.#endsAt = performance.now() + timeoutMs - RESERVE_MS;
  }

  /** How long the next step may take: what it wants, or what is left. Throws where that is nothing. */
  step(mostMs: number): number {
    const leftMs = Math.floor(this.#endsAt - performance.now());
    if (leftMs <= 0) throw new GatewayError('client_failed', 'the time of the request is used up');
    return Math.min(mostMs, leftMs);
  }
}
