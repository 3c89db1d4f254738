/** A record takes more than its text. */
const RECORD_BYTES = 300;

interface InMemory {
  readonly text: string;
}

/** About how much memory a record takes. */
export function memoryBytesOf({ text }: InMemory): number {
  return RECORD_BYTES + text.length;
}

/** The newest records of an order, kept in memory for readers that keep up. */
export class Recent<R extends InMemory> {
  readonly #maxBytes: number;
  readonly #placeOf: (record: R) => number;
  #records: R[] = [];
  #bytes = 0;
  /** All records after this place are kept. */
  #after: number;

  constructor(maxBytes: number, placeOf: (record: R) => number, after = 0) {
    this.#maxBytes = maxBytes;
    this.#placeOf = placeOf;
    this.#after = after;
  }

  get records(): readonly R[] {
    return this.#records;
  }

  get after(): number {
    return this.#after;
  }

  add(record: R): void {
    this.#records.push(record);
    this.#bytes += memoryBytesOf(record);
  }

  /** Drops the oldest ones: those beyond the limit, and all up to a place. Returns them. */
  drop(upTo = this.#after): readonly R[] {
    let dropped = 0;
    for (const record of this.#records) {
      const place = this.#placeOf(record);
      if (place > upTo && this.#bytes <= this.#maxBytes) break;
      this.#bytes -= memoryBytesOf(record);
      this.#after = place;
      dropped += 1;
    }
    return dropped > 0 ? this.#records.splice(0, dropped) : [];
  }
}

/** The index of the first record after a place. */
export function firstAfter<R>(records: readonly R[], place: number, placeOf: (record: R) => number): number {
  let [low, high] = [0, records.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const record = records[middle];
    if (record !== undefined && placeOf(record) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}
