import { endOfJsonString, invalidRequest, JsonBounds } from '@chat-web/protocol';

export const MAX_DEPTH = 32;
export const MAX_VALUES = 10_000;

const PROBLEMS = {
  depth: `the body must not nest deeper than ${MAX_DEPTH} levels`,
  values: `the body must not have more than ${MAX_VALUES} values`,
};

/** The bounds of a request's body. Exceeding them throws `invalid_request`. */
export function bodyBounds(): JsonBounds {
  return new JsonBounds({ depth: MAX_DEPTH, values: MAX_VALUES }, (limit) =>
    invalidRequest([{ path: '', message: PROBLEMS[limit] }]),
  );
}

/** Receives the parts of a scanned body. Arguments are valid only during the call. */
export interface ScannerSinks {
  /** The body, with `""` in place of the upload. */
  rest(bytes: Uint8Array): void;
  /** A raw piece of the upload's string. */
  upload(bytes: Uint8Array): void;
  uploadEnded(): void;
}

const [QUOTE, COLON, COMMA, OPEN_OBJECT] = [0x22, 0x3a, 0x2c, 0x7b];
/** By byte: whether it is structural outside of strings. */
const IS_STRUCTURE = new Uint8Array(256);
for (const byte of Buffer.from('":,{}[]')) IS_STRUCTURE[byte] = 1;
const MISMATCH = -1;

/**
 * Extracts one string, the value of a key of the outermost object, from a JSON body while it streams in, so that a
 * large body is never in memory. Tracks only strings and brackets, and counts what JSON.parse would build; JSON.parse
 * validates the rest. Reads each byte once and copies none.
 */
export class UploadScanner {
  readonly #key: Uint8Array;
  readonly #sinks: ScannerSinks;
  readonly #bounds = bodyBounds();
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

  #takeStructure(chunk: Uint8Array, from: number): number {
    let at = from;
    while (at < chunk.length && !IS_STRUCTURE[chunk[at] ?? 0]) at += 1;
    if (at < chunk.length) this.#structure(chunk[at] ?? 0);
    return at + 1;
  }

  #structure(byte: number): void {
    if (byte === QUOTE) this.#open();
    else if (byte === COLON) this.#expectsKey = false;
    else {
      this.#bounds.count(byte);
      this.#expectsKey = this.#bounds.depth === 1 && (byte === COMMA || byte === OPEN_OBJECT);
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
    const end = endOfJsonString(chunk, this.#isEscaped ? from + 1 : from);
    this.#isEscaped = end > chunk.length;
    if (end < chunk.length) this.#inString = 'no';
    return end + 1;
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
