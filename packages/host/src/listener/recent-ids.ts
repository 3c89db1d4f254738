/** The ids of the newest received events. */
export class RecentIds {
  readonly #ids = new Set<string>();
  readonly #most: number;

  /** Keeps `most` ids. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Adds an id. False if it is present already. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > this.#most && oldest !== undefined) this.#ids.delete(oldest);
    return true;
  }
}
