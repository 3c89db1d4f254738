/** Limits of a JSON text. Each comma and each opening bracket counts as a value. */
export interface JsonLimits {
  readonly depth: number;
  readonly values: number;
}

const [QUOTE, BACKSLASH, COMMA, OPEN_ARRAY, OPEN_OBJECT] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b];
/** By byte: whether it is counted. */
const IS_COUNTED = new Uint8Array(256);
for (const byte of new TextEncoder().encode(',[]{}')) IS_COUNTED[byte] = 1;
const SHORT_STRING_BYTES = 32;

/**
 * Counts what JSON.parse would build: it needs up to forty bytes of memory per byte of empty arrays. The text is not
 * validated.
 */
export class JsonBounds {
  readonly #limits: JsonLimits;
  readonly #refusal: (limit: keyof JsonLimits) => Error;
  #depth = 0;
  #values = 0;

  /** `refusal` makes the error that is thrown when a limit is exceeded. */
  constructor(limits: JsonLimits, refusal: (limit: keyof JsonLimits) => Error) {
    this.#limits = limits;
    this.#refusal = refusal;
  }

  /** 1 inside the outermost object or array. */
  get depth(): number {
    return this.#depth;
  }

  /** Counts a complete text. */
  scan(json: Uint8Array): void {
    for (let at = 0; at < json.length; at += 1) {
      const byte = json[at] ?? 0;
      if (byte === QUOTE) at = endOfJsonString(json, at + 1);
      else if (IS_COUNTED[byte]) this.count(byte);
    }
  }

  /** Counts a comma or a bracket outside of strings. */
  count(byte: number): void {
    if (byte === COMMA) this.#values += 1;
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      this.#values += 1;
      this.#depth += 1;
      if (this.#depth > this.#limits.depth) throw this.#refusal('depth');
    } else this.#depth -= 1;
    if (this.#values > this.#limits.values) throw this.#refusal('values');
  }
}

/**
 * The index of the quote that ends a string; `from` is inside it. Without one, the length of the text, plus one if a
 * backslash at the end escapes the byte that follows.
 */
export function endOfJsonString(json: Uint8Array, from: number): number {
  // A loop is faster for short strings and for strings with many escapes, `indexOf` for all others.
  for (let at = from, span = SHORT_STRING_BYTES; ; span *= 4) {
    const near = Math.min(at + span, json.length);
    while (at < near) {
      const byte = json[at];
      if (byte === QUOTE) return at;
      at += byte === BACKSLASH ? 2 : 1;
    }
    if (at >= json.length) return at;
    const quote = json.indexOf(QUOTE, at);
    const end = quote < 0 ? json.length : quote;
    let backslashes = 0;
    while (end - backslashes > at && json[end - backslashes - 1] === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return end;
    at = end + 1;
  }
}
