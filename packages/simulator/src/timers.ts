/** Timers that are all cleared with their owner. */
export class Timers {
  readonly #running = new Set<NodeJS.Timeout>();

  /** Runs `act` once; the returned function cancels it. */
  after(delayMs: number, act: () => void): () => void {
    const timer = setTimeout(() => {
      this.#running.delete(timer);
      act();
    }, delayMs);
    this.#running.add(timer);
    return () => {
      clearTimeout(timer);
      this.#running.delete(timer);
    };
  }

  /** How many have not run yet. */
  get pending(): number {
    return this.#running.size;
  }

  clear(): void {
    for (const timer of this.#running) clearTimeout(timer);
    this.#running.clear();
  }
}
