/** A bounded set of ids: the oldest are dropped first. */
export class RecentIds {
  readonly #ids = new Set<string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  clear(): void {
    this.#ids.clear();
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  /** False for an id that is in the set already. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > this.#most) {
      for (const oldest of this.#ids) {
        this.#ids.delete(oldest);
        break;
      }
    }
    return true;
  }
}
