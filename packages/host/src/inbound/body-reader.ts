import { joinedBytes } from '../joined-bytes.ts';
import { comeBackLater, refused } from './answers.ts';

/** The longest that a body may take: senders of webhooks are servers with good connections. */
const BODY_TIMEOUT_MS = 30_000;
/** Bodies that are being read at the same time may have so many times the size of the largest. */
const AT_ONCE = 8;
/** A smaller body, as nearly all are, does not count: slow and large ones of strangers are not to keep it out. */
const SMALL_PART = 1 / 64;

/** A refusal of a body: what to answer. */
class BodyRefusal extends Error {
  readonly response: Response;

  constructor(response: Response) {
    super('the body was refused');
    this.response = response;
  }
}

/**
 * Reads bodies whole, as the bytes that were signed. One body has a largest size, all of those that are being read have
 * one together, and each has a time limit: whoever may send a request could fill the memory otherwise, before its
 * signature is known to be wrong.
 */
export class BodyReader {
  readonly #mostBytes: number;
  readonly #onMisuse: (error: Error) => void;
  readonly #timeoutMs: number;
  #reading = 0;

  /** `onMisuse` is told if something in front of the handler reads bodies. */
  constructor(mostBytes: number, onMisuse: (error: Error) => void, timeoutMs = BODY_TIMEOUT_MS) {
    if (!(Number.isSafeInteger(mostBytes) && mostBytes > 0)) {
      throw new TypeError('maxBodyBytes must be a whole number of bytes, and at least 1');
    }
    this.#mostBytes = mostBytes;
    this.#onMisuse = onMisuse;
    this.#timeoutMs = timeoutMs;
  }

  /** The bytes of the body, or the answer that refuses it: 400, 408, 413, 500 if something has read it before, 503. */
  async read(request: Request): Promise<Uint8Array<ArrayBuffer> | Response> {
    const announced = Number(request.headers.get('Content-Length') ?? 0);
    if (announced > this.#mostBytes) return this.#tooLarge();
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
        if (size > this.#mostBytes) throw new BodyRefusal(this.#tooLarge());
        if (size > SMALL_PART * this.#mostBytes && this.#reading > AT_ONCE * this.#mostBytes) {
          throw new BodyRefusal(comeBackLater('insufficient_resources', 'too many bodies are being read'));
        }
      }
    } catch (error) {
      void reader.cancel(error).catch(() => {}); // The rest is not wanted; that it cannot be cancelled changes nothing.
      if (error instanceof BodyRefusal) return error.response;
      return refused(400, 'invalid_request', 'the body was cut off');
    } finally {
      clearTimeout(timer);
      this.#reading -= size;
    }
    // A cancelled reader ends as if the body were whole.
    if (tooSlow) return refused(408, 'request_timeout', 'the body was too slow');
    // A body parser in front of us leaves a body that is empty, though one was announced.
    return size === 0 && announced > 0 ? this.#alreadyRead() : joinedBytes(chunks, size);
  }

  #tooLarge(): Response {
    return refused(413, 'body_too_large', `the body must have at most ${this.#mostBytes} bytes`);
  }

  /** A mistake in how the handler is mounted, to be seen in the sender's log as well. */
  #alreadyRead(): Response {
    const message = 'the body was read before this handler, and its raw bytes are needed: mount it before body parsers';
    this.#onMisuse(new Error(message));
    return refused(500, 'body_already_read', message);
  }
}
