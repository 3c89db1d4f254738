import { JsonBounds } from './json-bounds.ts';

/** Receives the parts of a scanned body. Arguments are valid only during the call. */
export interface ScannerSinks {
  /** The body, with `""` in place of the upload. */
  rest(bytes: Uint8Array): void;
  /** A raw piece of the upload's string. */
  upload(bytes: Uint8Array): void;
  /** The upload's string has ended. */
  uploadEnded(): void;
}

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];
/** By byte: whether it is structural outside of strings. */
const IS_STRUCTURE = new Uint8Array(256);
for (const byte of [QUOTE, COLON, COMMA, OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY]) IS_STRUCTURE[byte] = 1;
/** The key being read is a different one. */
const MISMATCH = -1;

/**
 * Extracts one string, the value of a key of the outermost object, from a JSON body while it streams in, so that a
 * large body is never in memory. Tracks only strings and brackets, and counts what JSON.parse would build; JSON.parse
 * validates the rest. Reads each byte once and copies none.
 */
export class UploadScanner {
  readonly #key: Uint8Array;
  readonly #sinks: ScannerSinks;
  readonly #bounds = new JsonBounds();
  #inString: 'no' | 'text' | 'key' | 'upload' = 'no';
  #isEscaped = false;
  #expectsKey = false;
  /** Number of matching bytes of the key so far, or `MISMATCH`. */
  #matched = MISMATCH;

  /** `key`: its string value is extracted. */
  constructor(key: string, sinks: ScannerSinks) {
    this.#key = Buffer.from(key);
    this.#sinks = sinks;
  }

  /** Scans the next bytes of the body. Throws `invalid_request` if it nests too deep or has too many values. */
  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; )
      at = this.#inString === 'upload' ? this.#takeUpload(chunk, at) : this.#takeRest(chunk, at);
  }

  /** Scans past the quote that opens the upload, or to the end of the chunk. */
  #takeRest(chunk: Uint8Array, from: number): number {
    let at = from;
    while (at < chunk.length && this.#inString !== 'upload') {
      if (this.#inString === 'text') at = this.#skipText(chunk, at);
      else if (this.#inString === 'key') at = this.#takeKey(chunk, at);
      else at = this.#takeStructure(chunk, at);
    }
    this.#sinks.rest(chunk.subarray(from, at)); // `at` may be past the end of the chunk.
    return at;
  }

  /** Scans to the quote that ends the upload, or to the end of the chunk. Base64 contains no escaped quotes. */
  #takeUpload(chunk: Uint8Array, from: number): number {
    const quote = chunk.indexOf(QUOTE, from);
    const to = quote === -1 ? chunk.length : quote;
    if (from < to) this.#sinks.upload(chunk.subarray(from, to));
    if (quote === -1) return to;
    this.#sinks.uploadEnded();
    this.#inString = 'text'; // The quote goes to the rest, where it closes an empty string.
    return to;
  }

  /** Scans past the next structural byte. */
  #takeStructure(chunk: Uint8Array, from: number): number {
    let at = from;
    while (at < chunk.length && !IS_STRUCTURE[chunk[at] ?? 0]) at += 1;
    if (at < chunk.length) this.#structure(chunk[at] ?? 0);
    return at + 1;
  }

  #structure(byte: number): void {
    if (byte === QUOTE) this.#open();
    else if (byte === COLON) this.#expectsKey = false;
    else if (byte === COMMA) {
      this.#expectsKey = this.#bounds.depth === 1;
      this.#bounds.comma();
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      this.#bounds.open();
      this.#expectsKey = this.#bounds.depth === 1 && byte === OPEN_OBJECT;
    } else {
      this.#bounds.close();
      this.#expectsKey = false;
    }
  }

  #open(): void {
    if (this.#bounds.depth === 1 && this.#expectsKey) {
      this.#inString = 'key';
      this.#matched = 0;
    } else this.#inString = this.#bounds.depth === 1 && this.#matched === this.#key.length ? 'upload' : 'text';
  }

  /** Scans past the quote that closes the string, or to the end of the chunk. */
  #skipText(chunk: Uint8Array, from: number): number {
    let isEscaped = this.#isEscaped;
    let at = from;
    for (; at < chunk.length; at += 1) {
      const byte = chunk[at];
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) break;
    }
    this.#isEscaped = isEscaped;
    if (at < chunk.length) this.#inString = 'no';
    return at + 1;
  }

  /** Scans one byte of a key; after a mismatch, the rest is skipped as text. */
  #takeKey(chunk: Uint8Array, at: number): number {
    const byte = chunk[at];
    if (byte === QUOTE) this.#inString = 'no';
    else if (byte === this.#key[this.#matched]) this.#matched += 1;
    else {
      this.#matched = MISMATCH;
      this.#inString = 'text';
      return at;
    }
    return at + 1;
  }
}
