import type { IncomingMessage } from 'node:http';
import { GatewayError, invalidRequest } from '@chat-web/protocol';
import { endOfTurn, yieldToEventLoop } from '../../event-loop.ts';
import { GrowingBuffer } from '../../media/growing-buffer.ts';
import { stopReading } from './lingering-close.ts';
import { BODY_RATE, type DataRateLimits, MinDataRate } from './min-data-rate.ts';

export interface BodyLimits {
  readonly maxBytes: number;
  /** Rejects a body above this size with this error, instead of reading it all. `body_too_large` takes precedence. */
  readonly refusal?: { readonly aboveBytes: number; readonly error: GatewayError } | undefined;
  readonly rate?: DataRateLimits;
  /** Reading ends when it aborts, with its reason. */
  readonly signal?: AbortSignal;
}

/** Processing this much takes half a millisecond at worst, whatever its shape. */
export const SMALL_BODY_BYTES = 1_024;
const MAX_PENDING_BYTES = 65_536;
/**
 * Node needs a microsecond per chunk of a chunked body, however small: single bytes would use a core for a second per
 * megabyte. Beyond the free chunks, the average size must be at least `MIN_PIECE_BYTES`.
 */
const FREE_PIECES = 2_000;
const MIN_PIECE_BYTES = 64;
/** Smaller pieces are merged at once: each is an object of more than a hundred bytes. */
const SMALL_PIECE_BYTES = 1_024;

/**
 * A small body that has arrived with its request, as most do: there is no wait, so no timer limits it. Undefined for
 * any other body, which stays unread.
 */
export async function arrivedBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const length = Number(incoming.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  if (length > Math.min(SMALL_BODY_BYTES, maxBytes) || incoming.readableLength < length) return undefined;
  if (!incoming.complete) await endOfTurn(); // Node has seen the bytes, and sees the end of the request after them.
  return incoming.complete && !incoming.destroyed ? (incoming.read() ?? Buffer.alloc(0)) : undefined;
}

/**
 * The bytes of a body, in pieces of up to 128 KB. Throws `body_too_large`, `request_timeout`, the given refusal, the
 * reason of the signal, or `invalid_request` if the caller aborts or sends too many tiny chunks.
 */
export async function* limitedBody(incoming: IncomingMessage, limits: BodyLimits): AsyncGenerator<Uint8Array> {
  requireWithinLimits(Number(incoming.headers['content-length'] ?? 0), limits);
  const body = new IncomingBody(incoming, limits);
  let size = 0;
  try {
    for (let chunk = await body.next(); chunk; chunk = await body.next()) {
      size += chunk.length;
      requireWithinLimits(size, limits);
      if (chunk.length > SMALL_BODY_BYTES) await yieldToEventLoop(); // The consumer's work takes milliseconds.
      yield chunk;
    }
  } finally {
    body.release();
  }
}

/** Throws if a body of this size exceeds a limit. */
export function requireWithinLimits(size: number, { maxBytes, refusal }: BodyLimits): void {
  if (size > maxBytes) throw new GatewayError('body_too_large', `the body must not exceed ${maxBytes} bytes`);
  if (refusal && size > refusal.aboveBytes) throw refusal.error;
}

/** Merges what arrives within one turn of the event loop: pieces may be single bytes. */
class IncomingBody {
  readonly #incoming: IncomingMessage;
  readonly #rate: MinDataRate;
  readonly #signal: AbortSignal | undefined;
  #pieces: Buffer[] = [];
  #small = new GrowingBuffer(2 * MAX_PENDING_BYTES);
  #pendingBytes = 0;
  #allPieces = 0;
  #allBytes = 0;
  #hasEnded = false;
  #problem: string | undefined;
  #wake: (() => void) | undefined;
  #immediate: NodeJS.Immediate | undefined;

  constructor(incoming: IncomingMessage, { rate = BODY_RATE, signal }: BodyLimits) {
    this.#incoming = incoming;
    this.#rate = new MinDataRate(rate);
    this.#signal = signal;
    signal?.addEventListener('abort', this.#onAbort);
    if (incoming.destroyed) this.#onClose();
    incoming.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onClose).on('close', this.#onClose);
  }

  /** Waits for data and returns all that arrived since the last call; undefined at the end. */
  async next(): Promise<Buffer | undefined> {
    for (;;) {
      this.#signal?.throwIfAborted();
      if (this.#problem) throw invalidRequest([{ path: '', message: this.#problem }]);
      const bytes = this.#pendingBytes > 0 ? this.#take() : undefined;
      const tooSlow = this.#rate.check();
      if (tooSlow) throw new GatewayError('request_timeout', tooSlow);
      if (bytes || this.#hasEnded) return bytes;
      await this.#more();
    }
  }

  /**
   * Stops reading. After too many tiny chunks, input is discarded: buffered, it would take a hundred times its size.
   */
  release(): void {
    if (!this.#problem) this.#incoming.pause();
    this.#incoming.off('data', this.#onData).off('end', this.#onEnd);
    this.#incoming.off('error', this.#onClose).off('close', this.#onClose);
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }

  #take(): Buffer {
    this.#mergeSmall();
    const [first] = this.#pieces;
    const all = first?.length === this.#pendingBytes ? first : Buffer.concat(this.#pieces, this.#pendingBytes);
    this.#rate.received(all.length);
    this.#pieces = [];
    this.#pendingBytes = 0;
    this.#incoming.resume();
    return all;
  }

  #mergeSmall(): void {
    if (this.#small.bytes.length === 0) return;
    this.#pieces.push(this.#small.bytes);
    this.#small = new GrowingBuffer(2 * MAX_PENDING_BYTES);
  }

  /** Waits for data, the end or an error, or until the data rate must be checked. */
  #more(): Promise<void> {
    return new Promise((resolve) => {
      const startedAt = performance.now();
      const timer = setTimeout(() => this.#notify(), this.#rate.maxWaitMs);
      this.#wake = () => {
        clearTimeout(timer);
        clearImmediate(this.#immediate);
        this.#wake = this.#immediate = undefined;
        this.#rate.waited(performance.now() - startedAt);
        resolve();
      };
    });
  }

  /**
   * Wakes the reader after this turn of the event loop has read all available input. If there is a problem, wakes it at
   * once: within one turn, Node reads and parses up to 2 MB of a connection that is not closed.
   */
  #notify(): void {
    if (this.#problem) this.#wake?.();
    else if (this.#wake) this.#immediate ??= setImmediate(this.#wake);
  }

  readonly #onData = (piece: Buffer): void => {
    if (this.#problem) return; // Discards input until the response is sent.
    this.#allPieces += 1;
    this.#allBytes += piece.length;
    this.#pendingBytes += piece.length;
    if (this.#allPieces > FREE_PIECES + this.#allBytes / MIN_PIECE_BYTES) {
      this.#problem = 'the body has too many small chunks: send larger ones';
      stopReading(this.#incoming);
    } else if (piece.length < SMALL_PIECE_BYTES) this.#small.append(piece);
    else {
      this.#mergeSmall();
      this.#pieces.push(piece);
    }
    if (this.#pendingBytes >= MAX_PENDING_BYTES && !this.#problem) this.#incoming.pause();
    this.#notify();
  };

  readonly #onAbort = (): void => this.#notify();

  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    this.#notify();
  };

  readonly #onClose = (): void => {
    if (!this.#hasEnded) this.#problem ??= 'the body is incomplete';
    this.#notify();
  };
}
