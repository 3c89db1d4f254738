/** Lets one piece of work run at a time, in the order of asking. */
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
    this.#last = turn.catch(() => {}); // Its own caller hears of the error; the next in line only waits for the end.
    try {
      return await turn;
    } finally {
      this.#holders -= 1;
    }
  }
}
