import { invalidRequest } from '@chat-web/protocol';

/** How deep objects and arrays may nest. */
export const MOST_DEPTH = 32;
/** How many values a body may hold: JSON.parse makes up to forty bytes of each byte of empty arrays. */
export const MOST_VALUES = 10_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Counts what JSON.parse would have to build. Throws `invalid_request` for what nests too deep or holds too many values. */
export class JsonBounds {
  #depth = 0;
  #values = 0;

  /** 1 within the outermost object or array. */
  get depth(): number {
    return this.#depth;
  }

  /** An object or array opens. */
  open(): void {
    this.#depth += 1;
    if (this.#depth > MOST_DEPTH) throw refusal(`the body must not nest deeper than ${MOST_DEPTH} levels`);
    this.comma();
  }

  /** It closes. */
  close(): void {
    this.#depth -= 1;
  }

  /** Another value follows. */
  comma(): void {
    this.#values += 1;
    if (this.#values > MOST_VALUES) throw refusal(`the body must not hold more than ${MOST_VALUES} values`);
  }
}

/** Throws `invalid_request` where a body that is held in memory would take a multiple of it once it is parsed. */
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

/** Where the quote stands that closes a string, or the end of the body. */
function endOfString(body: Uint8Array, from: number): number {
  let at = from;
  while (at < body.length && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1;
  return at;
}

function refusal(message: string): Error {
  return invalidRequest([{ path: '', message }]);
}
