const NEWLINE = 10;
const NOTHING = new Uint8Array(0);
/** A larger buffer is released once its line has been read. */
const KEPT_BYTES = 65_536;

export class LineTooLongError extends Error {}

export interface LineReaderOptions {
  /** The longest line, in bytes, without its line break. */
  readonly maxBytes: number;
  /** Truncate longer lines; otherwise a LineTooLongError is thrown. */
  readonly cut?: boolean;
}

/**
 * Splits a stream of bytes into lines. Each byte is read once and copied a bounded number of times, however small the
 * chunks are, and at most about twice the longest line is buffered.
 */
export class LineReader {
  readonly #maxBytes: number;
  readonly #cut: boolean;
  /** The beginning of an incomplete line: the first `#length` bytes. */
  #held = NOTHING;
  #length = 0;
  #rest: Uint8Array = NOTHING;

  constructor({ maxBytes, cut = false }: LineReaderOptions) {
    this.#maxBytes = maxBytes;
    this.#cut = cut;
  }

  /** Adds input, preferably after `next` returned undefined. */
  feed(chunk: Uint8Array): void {
    if (this.#rest.length === 0) {
      this.#rest = chunk;
      return;
    }
    const both = new Uint8Array(this.#rest.length + chunk.length);
    both.set(this.#rest);
    both.set(chunk, this.#rest.length);
    this.#rest = both;
  }

  /** The next line, without its line break; valid until the next call. Throws a LineTooLongError. */
  next(): Uint8Array | undefined {
    const end = this.#rest.indexOf(NEWLINE);
    if (end < 0) {
      this.#hold(this.#rest);
      this.#rest = NOTHING;
      return undefined;
    }
    const piece = this.#rest.subarray(0, end);
    this.#rest = this.#rest.subarray(end + 1);
    if (this.#length === 0 && piece.length <= this.#maxBytes) return piece;
    this.#hold(piece);
    const line = this.#held.subarray(0, this.#length);
    this.#length = 0;
    if (this.#held.length > KEPT_BYTES) this.#held = NOTHING;
    return line;
  }

  #hold(piece: Uint8Array): void {
    const room = this.#maxBytes - this.#length;
    if (piece.length > room && !this.#cut) throw new LineTooLongError();
    const taken = piece.subarray(0, room);
    const needed = this.#length + taken.length;
    if (needed > this.#held.length) {
      // Doubled each time: a line in single bytes costs no more than one in a single chunk.
      const grown = new Uint8Array(Math.min(this.#maxBytes, Math.max(needed, 2 * this.#held.length)));
      grown.set(this.#held.subarray(0, this.#length));
      this.#held = grown;
    }
    this.#held.set(taken, this.#length);
    this.#length = needed;
  }
}
