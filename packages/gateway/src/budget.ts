export interface BudgetLimits {
  readonly burst: number;
  readonly perSecond: number;
}

/** A token bucket rate limiter. */
export class Budget {
  readonly #limits: BudgetLimits;
  #left: number;
  #at: number;

  constructor(limits: BudgetLimits, now = performance.now()) {
    this.#limits = limits;
    this.#left = limits.burst;
    this.#at = now;
  }

  /** Takes an amount. If not enough is left, returns false and takes nothing. `now` in milliseconds. */
  take(amount: number, now = performance.now()): boolean {
    this.#refill(now);
    if (amount > this.#left) return false;
    this.#left -= amount;
    return true;
  }

  /** Takes an amount, even if it is more than is left. `now` in milliseconds. */
  charge(amount: number, now = performance.now()): void {
    this.#refill(now);
    this.#left -= amount;
  }

  /** How many milliseconds from `now` until an amount can be taken, if none is taken meanwhile. */
  msUntil(amount: number, now = performance.now()): number {
    this.#refill(now);
    return Math.max(0, ((amount - this.#left) / this.#limits.perSecond) * 1_000);
  }

  /** True while more was charged than was available. `now` in milliseconds. */
  isOverdrawn(now = performance.now()): boolean {
    this.#refill(now);
    return this.#left < 0;
  }

  /** True while the bucket is full, and so equivalent to a new one. `now` in milliseconds. */
  isFull(now = performance.now()): boolean {
    this.#refill(now);
    return this.#left === this.#limits.burst;
  }

  #refill(now: number): void {
    const { burst, perSecond } = this.#limits;
    this.#left = Math.min(burst, this.#left + ((now - this.#at) / 1_000) * perSecond);
    this.#at = now;
  }
}
