/** Decodes base64 that comes in pieces. Strict: the standard alphabet, padding at the end alone, no line breaks. */
export class Base64Decoder {
  #carry = '';
  #isPadded = false;

  /** The bytes that this piece completes; undefined if it is not base64. */
  push(piece: string): Buffer | undefined {
    const text = this.#carry + piece;
    const padding = text.indexOf('=');
    if (this.#isPadded || (padding !== -1 && !/^={1,2}$/.test(text.slice(padding)))) return undefined;
    const plain = padding === -1 ? text : text.slice(0, padding);
    if (/[^A-Za-z0-9+/]/.test(plain)) return undefined;
    if (padding !== -1) return this.#pushLast(text);
    const whole = plain.length - (plain.length % 4);
    this.#carry = plain.slice(whole);
    return Buffer.from(plain.slice(0, whole), 'base64');
  }

  /** The bytes of an unfinished group at the end; undefined if it cannot be one. */
  end(): Buffer | undefined {
    return this.#carry.length === 1 || this.#carry.includes('=') ? undefined : Buffer.from(this.#carry, 'base64');
  }

  #pushLast(text: string): Buffer | undefined {
    // A pair of padding signs may come in two pieces.
    if (text.length % 4 === 3 && text.endsWith('=')) {
      const whole = text.length - 3;
      this.#carry = text.slice(whole);
      return Buffer.from(text.slice(0, whole), 'base64');
    }
    if (text.length % 4 !== 0) return undefined;
    this.#carry = '';
    this.#isPadded = true;
    return Buffer.from(text, 'base64');
  }
}
