import { invalidRequest } from '@chat-web/protocol';

/** Maximum nesting of objects and arrays. */
export const MAX_DEPTH = 32;
/** Maximum number of values: JSON.parse needs up to forty bytes of memory per byte of empty arrays. */
export const MAX_VALUES = 10_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Counts what JSON.parse would build. Throws `invalid_request` if it nests too deep or has too many values. */
export class JsonBounds {
  #depth = 0;
  #values = 0;

  /** 1 inside the outermost object or array. */
  get depth(): number {
    return this.#depth;
  }

  /** An object or array opens. */
  open(): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) throw invalid(`the body must not nest deeper than ${MAX_DEPTH} levels`);
    this.comma();
  }

  /** It closes. */
  close(): void {
    this.#depth -= 1;
  }

  /** Another value follows. */
  comma(): void {
    this.#values += 1;
    if (this.#values > MAX_VALUES) throw invalid(`the body must not have more than ${MAX_VALUES} values`);
  }
}

/** Throws `invalid_request` if parsing the body would take a multiple of its size in memory. */
export function assertBounded(body: Uint8Array): void {
  const bounds = new JsonBounds();
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) at = endOfString(body, at + 1);
    else if (byte === COMMA) bounds.comma();
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) bounds.open();
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) bounds.close();
  }
}

/** The index of the closing quote, or the end of the body. */
function endOfString(body: Uint8Array, from: number): number {
  let at = from;
  while (at < body.length && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1;
  return at;
}

function invalid(message: string): Error {
  return invalidRequest([{ path: '', message }]);
}
