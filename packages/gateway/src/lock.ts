/** A mutex: runs one task at a time, in order. */
export class Lock {
  #last: Promise<unknown> = Promise.resolve();
  #holders = 0;

  get isHeld(): boolean {
    return this.#holders > 0;
  }

  /** `signal`: rejects with its reason if it has aborted by the time that it is the task's turn. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.#holders += 1;
    const turn = this.#last.then(() => {
      signal?.throwIfAborted();
      return work();
    });
    this.#last = turn.catch(() => {}); // The error goes to the task's caller; the next task only waits.
    try {
      return await turn;
    } finally {
      this.#holders -= 1;
    }
  }
}
