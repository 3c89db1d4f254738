/** Timers that all end with their owner. */
export class Timers {
  readonly #running = new Set<NodeJS.Timeout>();

  /** Runs `act` once; the function that it returns prevents that. */
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

  clear(): void {
    for (const timer of this.#running) clearTimeout(timer);
    this.#running.clear();
  }
}
