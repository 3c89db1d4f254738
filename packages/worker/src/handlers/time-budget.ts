import { GatewayError } from '@chat-web/protocol';

/** Reserved for returning the answer. */
const RESERVE_MS = 3_000;
/** A step that starts with less would probably time out, with an unknown outcome. */
const LEAST_STEP_MS = 2_000;

/** The time of one operation, shared by its steps. They end before its time limit, so that the error names the step. */
export class TimeBudget {
  readonly #endsAt: number;

  /** `timeoutMs`: the time limit of the operation. */
  constructor(timeoutMs: number) {
    this.#endsAt = performance.now() + timeoutMs - RESERVE_MS;
  }

  /**
   * How long the next step may take: `mostMs`, or the time left after reserving `keepMs` for later steps. Throws if
   * that is too short for a step.
   */
  step(mostMs: number, keepMs = 0): number {
    return Math.min(mostMs, this.#left(keepMs));
  }

  /** How long the last step may take: all the time left. Throws if that is too short for a step. */
  lastStep(): number {
    return this.#left(0);
  }

  #left(keepMs: number): number {
    const leftMs = Math.floor(this.#endsAt - performance.now()) - keepMs;
    if (leftMs >= LEAST_STEP_MS) return leftMs;
    throw new GatewayError('client_failed', 'the time limit of the request was reached; nothing was sent');
  }
}
