import { getOrAdd } from '@chat-web/protocol';

/** Lets a few run at a time, and those that wait by their owner in turn: many of one delay another's by one each. */
export class Turns {
  #free: number;
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(max: number) {
    this.#free = max;
  }

  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => getOrAdd(this.#waiting, owner, () => []).push(resolve));
    try {
      return await work();
    } finally {
      this.#passOn();
    }
  }

  #passOn(): void {
    for (const [owner, [next, ...others]] of this.#waiting) {
      this.#waiting.delete(owner);
      if (others.length > 0) this.#waiting.set(owner, others); // Behind the other owners.
      next?.();
      return;
    }
    this.#free += 1;
  }
}
