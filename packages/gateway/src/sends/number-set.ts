const NUMBER_BYTES = 4;
const FIRST_ROOM = 8;

/** A set of 32-bit numbers, kept sorted in one array: 4 to 8 bytes each. */
export class NumberSet {
  #numbers = new Uint32Array(FIRST_ROOM);
  #size = 0;

  /** The set from a result of `toBytes`, or from bytes in any order. */
  static of(bytes: Buffer): NumberSet {
    const set = new NumberSet();
    set.#size = Math.floor(bytes.length / NUMBER_BYTES);
    set.#numbers = Uint32Array.from({ length: Math.max(FIRST_ROOM, set.#size) }, (_, at) =>
      at < set.#size ? bytes.readUInt32LE(at * NUMBER_BYTES) : 0,
    );
    set.#numbers.subarray(0, set.#size).sort();
    return set;
  }

  /** The set with the numbers of both. */
  union(other: NumberSet): NumberSet {
    const all = new Uint32Array(this.size + other.size);
    all.set(this.values());
    all.set(other.values(), this.size);
    all.sort();
    const union = new NumberSet();
    union.#numbers = all.length < FIRST_ROOM ? new Uint32Array(FIRST_ROOM) : all;
    for (const [at, number] of all.entries()) {
      if (at > 0 && number === union.#numbers[union.#size - 1]) continue;
      union.#numbers[union.#size] = number;
      union.#size += 1;
    }
    return union;
  }

  get size(): number {
    return this.#size;
  }

  has(number: number): boolean {
    const at = this.#placeOf(number);
    return at < this.#size && this.#numbers[at] === number;
  }

  add(number: number): void {
    const at = this.#placeOf(number);
    if (at < this.#size && this.#numbers[at] === number) return;
    if (this.#size === this.#numbers.length) {
      const roomier = new Uint32Array(2 * this.#size);
      roomier.set(this.#numbers);
      this.#numbers = roomier;
    }
    this.#numbers.copyWithin(at + 1, at, this.#size);
    this.#numbers[at] = number;
    this.#size += 1;
  }

  values(): Uint32Array {
    return this.#numbers.slice(0, this.#size);
  }

  toBytes(): Buffer {
    const bytes = Buffer.alloc(this.#size * NUMBER_BYTES);
    for (let at = 0; at < this.#size; at += 1) bytes.writeUInt32LE(this.#numbers[at] ?? 0, at * NUMBER_BYTES);
    return bytes;
  }

  #placeOf(number: number): number {
    let [low, high] = [0, this.#size];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#numbers[middle] ?? 0) < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
