/** A mutex: runs one task at a time, in order. */
export class Lock {
  #last: Promise<unknown> = Promise.resolve();
  #holders = 0;

  get isHeld(): boolean {
    return this.#holders > 0;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#holders += 1;
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {}); // The error goes to the task's caller; the next task only waits.
    try {
      return await turn;
    } finally {
      this.#holders -= 1;
    }
  }
}
