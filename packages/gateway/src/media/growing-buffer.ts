const FIRST_BYTES = 4_096;

/** Bytes that come in pieces, in one buffer that doubles up to a limit. */
export class GrowingBuffer {
  readonly #mostBytes: number;
  #buffer = Buffer.alloc(0);
  #size = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** What has come so far; not to be used after the next `append`. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#size);
  }

  /** Copies a piece behind the others. False, and nothing taken, where it would be too much. */
  append(piece: Uint8Array): boolean {
    const size = this.#size + piece.length;
    if (size > this.#mostBytes) return false;
    if (size > this.#buffer.length) this.#grow(size);
    this.#buffer.set(piece, this.#size);
    this.#size = size;
    return true;
  }

  #grow(least: number): void {
    let capacity = Math.max(this.#buffer.length, FIRST_BYTES);
    while (capacity < least) capacity *= 2;
    const larger = Buffer.allocUnsafeSlow(Math.min(capacity, this.#mostBytes));
    larger.set(this.bytes);
    this.#buffer = larger;
  }
}
