import { MIME_TYPE } from '@chat-web/protocol';

/** Decoded at once; a multiple of four. */
const BLOCK_BYTES = 65_536;
const [BACKSLASH, COMMA, PADDING] = [0x5c, 0x2c, 0x3d];
/** Line breaks and blanks, which tools put between lines of base64. */
const BLANKS = [0x0a, 0x0d, 0x20, 0x09];
/** By the letter after a backslash: the character that it stands for. */
const ESCAPES = new Map([
  [0x2f, 0x2f], // \/
  [0x6e, 0x0a], // \n
  [0x72, 0x0d], // \r
  [0x74, 0x09], // \t
]);
/** The letter that is followed by a code, as some encoders write `+` and `=`. */
const UNICODE = 0x75;
const CODE_DIGITS = 4;
const MORE = -1;
const INVALID = -2;
/** Both alphabets, that of RFC 4648 section 4 and the URL-safe one. */
const PLAIN = /^[A-Za-z0-9+/_-]*$/;
const LAST = /^[A-Za-z0-9+/_-]*={0,2}$/;
/** What some programs write for a value that they do not have. */
const WORDS = new Set(['null', 'None', 'NaN', 'true']);
const DATA_URL = /^data:([^;,]*)(;[^,]*)?;base64,$/i;
const SCHEME = 'data:';
const MAX_PREFIX = 256;

/**
 * Streaming decoder for the base64 in a JSON string, in pieces of any size: of either alphabet, with or without padding,
 * line breaks and blanks, the prefix of a data URL, and JSON escapes.
 */
export class Base64Decoder {
  readonly #block = Buffer.allocUnsafe(BLOCK_BYTES);
  #filled = 0;
  #hasDecoded = false;
  /** The state within an escape: 0 outside, 1 after the backslash, then one more than the digits that are missing. */
  #escape = 0;
  #code = 0;
  /** The beginning, until it is clear whether it is the prefix of a data URL; then undefined. */
  #start: string | undefined = '';
  #mimeType: string | undefined;

  /** The type in the data URL, if there is a valid one. */
  get mimeType(): string | undefined {
    return this.#mimeType;
  }

  /** The decoded blocks that this piece completes; undefined if it is not base64. */
  push(piece: Uint8Array): Buffer[] | undefined {
    const plain = this.#plain(piece);
    return plain && this.#take(this.#start === undefined ? plain : this.#afterStart(plain));
  }

  /** The bytes that are left; undefined if they are incomplete or invalid. */
  end(): Buffer | undefined {
    if (this.#start?.startsWith(SCHEME)) return undefined;
    if (this.#start) this.#take(Buffer.from(this.#start, 'latin1'));
    const isPadded = this.#filled > 0 && this.#block[this.#filled - 1] === PADDING;
    const isWhole = isPadded ? this.#filled % 4 === 0 : this.#filled % 4 !== 1;
    if (!isWhole || this.#escape !== 0) return undefined;
    if (!this.#hasDecoded && WORDS.has(this.#block.toString('latin1', 0, this.#filled))) return undefined;
    return this.#decode(LAST);
  }

  #take(plain: Uint8Array | undefined): Buffer[] | undefined {
    if (!plain) return undefined;
    const decoded: Buffer[] = [];
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

  #decode(form: RegExp): Buffer | undefined {
    const text = this.#block.toString('latin1', 0, this.#filled);
    this.#filled = 0;
    this.#hasDecoded = true;
    return form.test(text) ? Buffer.from(text, 'base64') : undefined;
  }

  /** What follows the prefix of a data URL, or everything if there is none; undefined if the prefix is invalid. */
  #afterStart(plain: Uint8Array): Uint8Array | undefined {
    const comma = plain.indexOf(COMMA);
    const end = comma === -1 ? plain.length : comma + 1;
    const start = `${this.#start}${Buffer.from(plain.subarray(0, Math.min(end, MAX_PREFIX))).toString('latin1')}`;
    if (start.length < SCHEME.length && comma === -1) {
      this.#start = start;
      return plain.subarray(plain.length);
    }
    if (!start.toLowerCase().startsWith(SCHEME)) {
      const before = Buffer.from(this.#start ?? '', 'latin1');
      this.#start = undefined;
      return Buffer.concat([before, plain]);
    }
    if (start.length > MAX_PREFIX) return undefined;
    this.#start = start;
    if (comma === -1) return plain.subarray(plain.length);
    const [, type] = DATA_URL.exec(start) ?? [];
    if (type === undefined) return undefined;
    this.#start = undefined;
    if (MIME_TYPE.test(type)) this.#mimeType = type.toLowerCase();
    return plain.subarray(end);
  }

  /** The piece without escapes, line breaks and blanks; undefined if an escape is invalid. */
  #plain(piece: Uint8Array): Uint8Array | undefined {
    if (this.#escape === 0 && ![BACKSLASH, ...BLANKS].some((byte) => piece.includes(byte))) return piece;
    const plain = new Uint8Array(piece.length);
    let length = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at] ?? 0;
      const char = this.#escape === 0 && byte !== BACKSLASH ? byte : this.#unescape(byte);
      if (char === INVALID) return undefined;
      if (char === MORE || BLANKS.includes(char)) continue;
      plain[length] = char;
      length += 1;
    }
    return plain.subarray(0, length);
  }

  /** The character that an escape stands for, once it is complete. */
  #unescape(byte: number): number {
    if (this.#escape === 0) {
      this.#escape = 1;
      return MORE;
    }
    if (this.#escape === 1) {
      this.#escape = byte === UNICODE ? CODE_DIGITS + 1 : 0;
      this.#code = 0;
      return byte === UNICODE ? MORE : (ESCAPES.get(byte) ?? INVALID);
    }
    const digit = Number.parseInt(String.fromCharCode(byte), 16);
    if (Number.isNaN(digit)) return INVALID;
    this.#code = this.#code * 16 + digit;
    this.#escape -= 1;
    if (this.#escape > 1) return MORE;
    this.#escape = 0;
    return this.#code <= 0x7f ? this.#code : INVALID;
  }
}
