import { LIMITS } from '@chat-web/protocol';

/** More than 100,000 contacts take. */
export const MAX_LISTED_BYTES = 32 * 1_048_576;
const OPEN = Buffer.from('[');
const COMMA = Buffer.from(',');
const CLOSE = Buffer.from(']');

/** A list that came in parts, as JSON: no step of it takes the event loop more than a few milliseconds. */
export class LongList {
  readonly #parts: Buffer[] = [];
  #rows = 0;
  #bytes = 0;

  /** Adds rows, in order. False if the list is longer than any legitimate one. */
  add(rows: readonly unknown[]): boolean {
    this.#rows += rows.length;
    if (rows.length === 0) return true;
    const part = Buffer.from(JSON.stringify(rows).slice(1, -1));
    this.#bytes += part.length;
    this.#parts.push(part);
    return this.#rows <= LIMITS.listed && this.#bytes <= MAX_LISTED_BYTES;
  }

  /** How many bytes its JSON has. */
  get length(): number {
    return this.#bytes + this.#parts.length + 1;
  }

  /** Its JSON in pieces. */
  *json(): Generator<Buffer> {
    for (const [index, part] of this.#parts.entries()) {
      yield index === 0 ? OPEN : COMMA;
      yield part;
    }
    yield CLOSE;
  }
}
