/** Work that does not reject, and ends in bounded time. */
type Work = () => Promise<void>;

/** Runs work in order within each lane, and several lanes at a time. */
export class WorkQueue {
  readonly #concurrency: number;
  /** Waiting lanes with work, in the order of their turns; running lanes are not included. */
  readonly #ready: string[] = [];
  readonly #lanes = new Map<string, Work[]>();
  #running = 0;

  constructor(concurrency: number) {
    this.#concurrency = concurrency;
  }

  add(lane: string, work: Work): void {
    const waiting = this.#lanes.get(lane);
    if (waiting) waiting.push(work);
    else {
      this.#lanes.set(lane, [work]);
      this.#ready.push(lane);
      this.#turn();
    }
  }

  #turn(): void {
    while (this.#running < this.#concurrency) {
      const lane = this.#ready.shift();
      if (lane === undefined) return;
      this.#running += 1;
      void this.#runNext(lane);
    }
  }

  async #runNext(lane: string): Promise<void> {
    const waiting = this.#lanes.get(lane);
    await waiting?.shift()?.();
    this.#running -= 1;
    if (waiting?.length) this.#ready.push(lane);
    else this.#lanes.delete(lane);
    this.#turn();
  }
}
