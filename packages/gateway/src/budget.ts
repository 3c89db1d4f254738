/** A token bucket: a burst, then a rate. */
export interface BudgetLimits {
  readonly burst: number;
  readonly perSecond: number;
}

/** A rate limit with bursts (token bucket). */
export class Budget {
  readonly #limits: BudgetLimits;
  #left: number;
  #at: number;

  constructor(limits: BudgetLimits, now = performance.now()) {
    this.#limits = limits;
    this.#left = limits.burst;
    this.#at = now;
  }

  /** Takes an amount. False, and nothing taken, if less is left. `now` in milliseconds. */
  take(amount: number, now = performance.now()): boolean {
    const { burst, perSecond } = this.#limits;
    this.#left = Math.min(burst, this.#left + ((now - this.#at) / 1_000) * perSecond);
    this.#at = now;
    if (amount > this.#left) return false;
    this.#left -= amount;
    return true;
  }
}
