/** So much at once, and so much a second from then on. */
export interface BudgetLimits {
  readonly burst: number;
  readonly perSecond: number;
}

/** What somebody may use of something, over time. */
export class Budget {
  readonly #limits: BudgetLimits;
  #left: number;
  #at: number;

  constructor(limits: BudgetLimits, now = performance.now()) {
    this.#limits = limits;
    this.#left = limits.burst;
    this.#at = now;
  }

  /** Takes so much. False where there is not so much left; nothing is taken then. `now` in milliseconds. */
  take(amount: number, now = performance.now()): boolean {
    const { burst, perSecond } = this.#limits;
    this.#left = Math.min(burst, this.#left + ((now - this.#at) / 1_000) * perSecond);
    this.#at = now;
    if (amount > this.#left) return false;
    this.#left -= amount;
    return true;
  }
}
