/** Runs one task at a time, in the order of the calls. */
export class Lock {
  #last: Promise<unknown> = Promise.resolve();
  #holders = 0;

  /** True while something runs or waits. */
  get isHeld(): boolean {
    return this.#holders > 0;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#holders += 1;
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {}); // The error goes to its own caller; the next task only waits for the end.
    try {
      return await turn;
    } finally {
      this.#holders -= 1;
    }
  }
}
