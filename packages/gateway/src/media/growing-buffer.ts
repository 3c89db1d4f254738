const FIRST_BYTES = 4_096;

/** Collects pieces in one buffer that doubles up to a limit. */
export class GrowingBuffer {
  readonly #maxBytes: number;
  #buffer = Buffer.alloc(0);
  #size = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes so far; do not use after the next `append`. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }

  /** Appends a copy of a piece. If it would exceed the limit, returns false and appends nothing. */
  append(piece: Uint8Array): boolean {
    const size = this.#size + piece.length;
    if (size > this.#maxBytes) return false;
    if (size > this.#buffer.length) this.#grow(size);
    this.#buffer.set(piece, this.#size);
    this.#size = size;
    return true;
  }

  #grow(min: number): void {
    let capacity = Math.max(this.#buffer.length, FIRST_BYTES);
    while (capacity < min) capacity *= 2;
    const larger = Buffer.allocUnsafeSlow(Math.min(capacity, this.#maxBytes));
    larger.set(this.bytes);
    this.#buffer = larger;
  }
}
