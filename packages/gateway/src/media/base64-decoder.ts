const [BACKSLASH, SLASH, PADDING] = [0x5c, 0x2f, 0x3d];
/** Decoded at once; a multiple of four. */
const BLOCK_BYTES = 65_536;
const PLAIN = /^[A-Za-z0-9+/]*$/;
const LAST = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Streaming base64 decoder for pieces of any size. Strict: standard alphabet, padding only at the end, no line breaks.
 * A slash may be escaped, as some JSON encoders do.
 */
export class Base64Decoder {
  readonly #block = Buffer.allocUnsafe(BLOCK_BYTES);
  #filled = 0;
  #isEscaped = false;

  /** The decoded blocks that this piece completes; undefined if it is not base64. */
  push(piece: Uint8Array): Buffer[] | undefined {
    const decoded: Buffer[] = [];
    const plain = this.#unescape(piece);
    if (!plain) return undefined;
    for (let at = 0; at < plain.length; ) {
      if (this.#filled === BLOCK_BYTES) {
        const bytes = this.#decode(PLAIN);
        if (!bytes) return undefined;
        decoded.push(bytes);
      }
      const end = Math.min(plain.length, at + BLOCK_BYTES - this.#filled);
      this.#block.set(plain.subarray(at, end), this.#filled);
      this.#filled += end - at;
      at = end;
    }
    return decoded;
  }

  /** The bytes of the last block; undefined if it is incomplete or invalid. */
  end(): Buffer | undefined {
    const isPadded = this.#filled > 0 && this.#block[this.#filled - 1] === PADDING;
    const isWhole = isPadded ? this.#filled % 4 === 0 : this.#filled % 4 !== 1;
    return isWhole && !this.#isEscaped ? this.#decode(LAST) : undefined;
  }

  #decode(form: RegExp): Buffer | undefined {
    const text = this.#block.toString('latin1', 0, this.#filled);
    this.#filled = 0;
    return form.test(text) ? Buffer.from(text, 'base64') : undefined;
  }

  /** The piece with its slashes unescaped; undefined if anything else is escaped. */
  #unescape(piece: Uint8Array): Uint8Array | undefined {
    if (!this.#isEscaped && !piece.includes(BACKSLASH)) return piece;
    const plain = new Uint8Array(piece.length);
    let length = 0;
    let isEscaped = this.#isEscaped;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      if (isEscaped && byte !== SLASH) return undefined;
      isEscaped = byte === BACKSLASH;
      if (isEscaped) continue;
      plain[length] = byte;
      length += 1;
    }
    this.#isEscaped = isEscaped;
    return plain.subarray(0, length);
  }
}
