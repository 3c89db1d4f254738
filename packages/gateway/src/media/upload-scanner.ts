/** Where the parts of a scanned body go. */
export interface ScannerSinks {
  /** The body without the upload: `""` stands in its place. */
  rest(bytes: Uint8Array): void;
  /** A piece of the upload, as it stood in the string. */
  upload(piece: string): void;
  /** The upload's string has ended. */
  uploadEnded(): void;
}

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
const MOST_KEY_BYTES = 64;

/**
 * Cuts one string, the value of a key of the outermost object, out of a JSON body while it streams in, so that a
 * body of any size is never in memory. It only finds its way through strings and brackets: what is left is small, and
 * JSON.parse judges it. (Streaming parsers were looked at: they hold whole strings, or are not made for hostile input.)
 */
export class UploadScanner {
  readonly #key: string;
  readonly #sinks: ScannerSinks;
  #depth = 0;
  #inString: 'no' | 'text' | 'key' | 'upload' = 'no';
  #escaped = false;
  #expectsKey = false;
  #lastKey = '';
  #heldBackslash = '';

  constructor(key: string, sinks: ScannerSinks) {
    this.#key = key;
    this.#sinks = sinks;
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let at = 0; at < bytes.length; ) {
      at = this.#inString === 'no' ? this.#skipStructure(bytes, at) : this.#skipString(bytes, at);
    }
  }

  /** Goes on to behind the next quote that opens a string. */
  #skipStructure(bytes: Buffer, from: number): number {
    let at = from;
    while (at < bytes.length) {
      const byte = bytes[at] ?? 0;
      at += 1;
      if (byte === QUOTE) {
        this.#open();
        break;
      }
      this.#structure(byte);
    }
    this.#sinks.rest(bytes.subarray(from, at));
    return at;
  }

  #structure(byte: number): void {
    if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      this.#depth += 1;
      this.#expectsKey = this.#depth === 1 && byte === OPEN_OBJECT;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      this.#depth -= 1;
      this.#expectsKey = false;
    } else if (byte === COLON) this.#expectsKey = false;
    else if (byte === COMMA) this.#expectsKey = this.#depth === 1;
  }

  #open(): void {
    if (this.#depth === 1 && this.#expectsKey) {
      this.#inString = 'key';
      this.#lastKey = '';
    } else this.#inString = this.#depth === 1 && this.#lastKey === this.#key ? 'upload' : 'text';
  }

  /** Goes on to behind the quote that closes the string, or to the end of the chunk. Looks at each byte once. */
  #skipString(bytes: Buffer, from: number): number {
    let at = from;
    if (this.#escaped) {
      this.#escaped = false;
      at += 1;
    }
    let quote = find(bytes, QUOTE, at);
    let backslash = find(bytes, BACKSLASH, at);
    while (backslash < quote) {
      at = backslash + 2; // Behind what it escapes.
      this.#escaped = at > bytes.length;
      if (quote < at) quote = find(bytes, QUOTE, at);
      backslash = find(bytes, BACKSLASH, at);
    }
    this.#text(bytes.subarray(from, Math.min(quote, bytes.length)));
    if (quote >= bytes.length) return bytes.length;
    this.#close(bytes.subarray(quote, quote + 1));
    return quote + 1;
  }

  #text(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.#inString === 'upload') this.#upload(bytes.toString('latin1'));
    else this.#sinks.rest(bytes);
    if (this.#inString === 'key' && this.#lastKey.length <= MOST_KEY_BYTES) this.#lastKey += bytes.toString('latin1');
  }

  /** Some encoders write a slash as \/. Nothing else in base64 may be escaped, and what is fails in the decoder. */
  #upload(text: string): void {
    const whole = this.#heldBackslash + text;
    this.#heldBackslash = whole.endsWith('\\') ? '\\' : '';
    this.#sinks.upload(whole.slice(0, whole.length - this.#heldBackslash.length).replaceAll('\\/', '/'));
  }

  #close(quote: Buffer): void {
    if (this.#inString === 'upload') this.#sinks.uploadEnded();
    this.#sinks.rest(quote);
    this.#inString = 'no';
  }
}

/** Where a byte is next, or a place behind the end. */
function find(bytes: Buffer, byte: number, from: number): number {
  const at = bytes.indexOf(byte, from);
  return at === -1 ? bytes.length : at;
}
