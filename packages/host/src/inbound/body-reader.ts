import { JsonBounds } from '@chat-web/protocol';
import { joinedBytes } from '../joined-bytes.ts';
import { comeBackLater, refused } from './answers.ts';

/** The time limit for a body: senders of webhooks are servers with good connections. */
const BODY_TIMEOUT_MS = 30_000;
/** Bodies that are being read at the same time may have this many times the maximum size. */
const AT_ONCE = 8;
/** Smaller bodies, which are nearly all, do not count: slow and large ones from strangers must not block them. */
const SMALL_PART = 1 / 64;

class BodyRefusal extends Error {
  readonly response: Response;

  constructor(response: Response) {
    super('the body was refused');
    this.response = response;
  }
}

/**
 * Reads whole bodies, as the bytes that were signed. There is a maximum size for one body and for all that are being
 * read, and a time limit for each: otherwise anyone who can send a request could fill the memory before its signature
 * is checked.
 */
export class BodyReader {
  readonly #maxBytes: number;
  readonly #onMisuse: (error: Error) => void;
  readonly #timeoutMs: number;
  #reading = 0;

  /** `onMisuse` is called if something in front of the handler reads bodies. */
  constructor(maxBytes: number, onMisuse: (error: Error) => void, timeoutMs = BODY_TIMEOUT_MS) {
    if (!(Number.isSafeInteger(maxBytes) && maxBytes > 0)) {
      throw new TypeError('maxBodyBytes must be a whole number of bytes, and at least 1');
    }
    this.#maxBytes = maxBytes;
    this.#onMisuse = onMisuse;
    this.#timeoutMs = timeoutMs;
  }

  /** The bytes of the body, or the response that refuses it: 400, 408, 413, 500 if the body was read before, 503. */
  async read(request: Request): Promise<Uint8Array<ArrayBuffer> | Response> {
    const announced = Number(request.headers.get('Content-Length') ?? 0);
    if (announced > this.#maxBytes) return this.#tooLarge();
    if (request.bodyUsed) return this.#alreadyRead();
    if (!request.body) return announced > 0 ? this.#alreadyRead() : new Uint8Array(0);
    const reader = request.body.getReader();
    let tooSlow = false;
    const timer = setTimeout(() => {
      tooSlow = true;
      reader.cancel(new Error('too slow')).catch(() => {});
    }, this.#timeoutMs);
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        chunks.push(value);
        size += value.byteLength;
        this.#reading += value.byteLength;
        if (size > this.#maxBytes) throw new BodyRefusal(this.#tooLarge());
        if (size > SMALL_PART * this.#maxBytes && this.#reading > AT_ONCE * this.#maxBytes) {
          throw new BodyRefusal(comeBackLater('insufficient_resources', 'too many bodies are being read'));
        }
      }
    } catch (error) {
      void reader.cancel(error).catch(() => {}); // The rest is not needed; a failure to cancel it does not matter.
      if (error instanceof BodyRefusal) return error.response;
      return refused(400, 'invalid_request', 'the body was cut off');
    } finally {
      clearTimeout(timer);
      this.#reading -= size;
    }
    // A cancelled reader ends as if the body were complete.
    if (tooSlow) return refused(408, 'request_timeout', 'the body was too slow');
    // A body parser in front of us leaves an empty body, although one was announced.
    return size === 0 && announced > 0 ? this.#alreadyRead() : joinedBytes(chunks, size);
  }

  #tooLarge(): Response {
    return refused(413, 'body_too_large', `the body must have at most ${this.#maxBytes} bytes`);
  }

  /** The handler is mounted wrongly; the sender's log shows it as well. */
  #alreadyRead(): Response {
    const message = 'the body was read before this handler, and its raw bytes are needed: mount it before body parsers';
    this.#onMisuse(new Error(message));
    return refused(500, 'body_already_read', message);
  }
}

/** More than any delivery has, so that a small one cannot cost much to parse and to handle. */
const JSON_LIMITS = { values: 200_000, depth: 64 };

/** The JSON in a body; undefined if it is invalid, not UTF-8, or exceeds the limits. */
export function parsedJson(body: Uint8Array): unknown {
  try {
    new JsonBounds(JSON_LIMITS, (limit) => new Error(limit)).scan(body);
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
