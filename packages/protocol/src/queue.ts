/**
 * First in, first out, each item once. Taking one costs the same at any length: `shift` moves all items of a long array,
 * and the search for the first item of a Set passes all that were deleted.
 */
export class Queue<T extends object> implements Iterable<T> {
  readonly #items = new Set<T>();
  /** Before it are only items that were first, and were deleted. */
  #next = this.#items.values();
  #first: T | undefined;

  get size(): number {
    return this.#items.size;
  }

  get first(): T | undefined {
    this.#first ??= this.#next.next().value;
    if (this.#first === undefined && this.#items.size > 0) {
      // An iterator that has ended does not go on.
      this.#next = this.#items.values();
      this.#first = this.#next.next().value;
    }
    return this.#first;
  }

  has(item: T): boolean {
    return this.#items.has(item);
  }

  /** Adds an item to the end, unless it is in the queue. */
  push(item: T): void {
    this.#items.add(item);
  }

  delete(item: T): boolean {
    if (item === this.#first) this.#first = undefined;
    return this.#items.delete(item);
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#items.values();
  }
}
