import { JsonBounds } from '@chat-web/protocol';
import { refused, serviceUnavailable } from './answers.ts';
import { ArrivingBody, givesWayBefore, networkIn } from './arriving-body.ts';

/** Senders of webhooks are servers with good connections: so much must arrive in each window of time, and all in three. */
const WINDOW_MS = 10_000;
const MIN_BYTES_IN_WINDOW = 10_240;
const MAX_WINDOWS = 3;
/** All bodies that are being read may have this many times the maximum size. */
const AT_ONCE = 8;
/** When that is full, bodies of a network that has more give way first. */
const MAX_SHARE = 1 / 4;

/**
 * Reads whole bodies, as the bytes that were signed. There is a maximum size for one body and for all that are being
 * read, and a minimum rate: otherwise anyone who can send a request could fill the memory before its signature is
 * checked. When the memory is full, the slowest body gives way, so that strangers cannot keep signed ones out.
 */
export class BodyReader {
  readonly #maxBytes: number;
  readonly #onMisuse: (error: Error) => void;
  readonly #windowMs: number;
  /** Those of which something has arrived. */
  readonly #arriving = new Set<ArrivingBody>();
  #heldBytes = 0;

  /** `onMisuse` is called if something in front of the handler reads bodies. */
  constructor(maxBytes: number, onMisuse: (error: Error) => void, windowMs = WINDOW_MS) {
    if (!(Number.isSafeInteger(maxBytes) && maxBytes > 0)) {
      throw new TypeError('maxBodyBytes must be a whole number of bytes, and at least 1');
    }
    this.#maxBytes = maxBytes;
    this.#onMisuse = onMisuse;
    this.#windowMs = windowMs;
  }

  /**
   * The bytes of the body, or the response that refuses it: 400, 408, 413, 500 if the body was read before, 503.
   * `adapter`: what the adapter of the platform passes beside the request.
   */
  async read(request: Request, adapter?: unknown): Promise<Uint8Array<ArrayBuffer> | Response> {
    const announced = Number(request.headers.get('Content-Length') ?? 0);
    if (announced > this.#maxBytes) return this.#tooLarge();
    if (request.bodyUsed) return this.#alreadyRead();
    if (!request.body) return announced > 0 ? this.#alreadyRead() : new Uint8Array(0);
    const body = new ArrivingBody(request.body, networkIn(adapter));
    const timer = this.#limitTime(body);
    try {
      for (let piece = await body.next(); piece; piece = await body.next()) this.#add(piece, body);
    } catch {
      body.refuse(refused(400, 'invalid_request', 'the body was cut off'));
    } finally {
      clearInterval(timer);
      this.#forget(body);
    }
    if (body.refusal) return body.refusal;
    // A body parser in front of us leaves an empty body, although one was announced.
    return body.size === 0 && announced > 0 ? this.#alreadyRead() : body.bytes;
  }

  #limitTime(body: ArrivingBody): ReturnType<typeof setInterval> {
    let windows = 0;
    let before = 0;
    return setInterval(() => {
      windows += 1;
      if (windows === MAX_WINDOWS || body.size - before < MIN_BYTES_IN_WINDOW) {
        body.refuse(refused(408, 'request_timeout', 'the body was too slow'));
      }
      before = body.size;
    }, this.#windowMs);
  }

  #add(piece: Uint8Array, body: ArrivingBody): void {
    if (body.size + piece.byteLength > this.#maxBytes) {
      body.refuse(this.#tooLarge());
      return;
    }
    const heldBefore = body.heldBytes;
    body.append(piece, this.#maxBytes);
    this.#heldBytes += body.heldBytes - heldBefore;
    this.#arriving.add(body);
    while (this.#heldBytes > AT_ONCE * this.#maxBytes) {
      const last = this.#nextToGiveWay();
      this.#forget(last);
      last.refuse(serviceUnavailable('insufficient_resources', 'too many bodies are being read'));
    }
  }

  #forget(body: ArrivingBody): void {
    if (this.#arriving.delete(body)) this.#heldBytes -= body.heldBytes;
  }

  #nextToGiveWay(): ArrivingBody {
    const byNetwork = new Map<string | undefined, number>();
    for (const { heldBytes, network } of this.#arriving)
      byNetwork.set(network, (byNetwork.get(network) ?? 0) + heldBytes);
    const maxBytes = MAX_SHARE * AT_ONCE * this.#maxBytes;
    const hasTooMuch = (network: string | undefined) =>
      network !== undefined && (byNetwork.get(network) ?? 0) > maxBytes;
    return [...this.#arriving].reduce((one, other) => (givesWayBefore(other, one, hasTooMuch) ? other : one));
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
