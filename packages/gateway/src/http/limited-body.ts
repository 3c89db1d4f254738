import type { IncomingMessage } from 'node:http';
import { GatewayError } from '@chat-web/protocol';
import { invalidRequest } from '../invalid-request.ts';
import { PACE, type PaceLimits, SendingPace } from './sending-pace.ts';

/** How a body is limited. */
export interface BodyLimits {
  readonly mostBytes: number;
  /** What is said of a body that is larger than what is worth reading for that answer; where it is too large, 413 wins. */
  readonly refusal?: { readonly aboveBytes: number; readonly error: GatewayError } | undefined;
  readonly pace?: PaceLimits;
}

/** What is read ahead of the one who takes it. */
const MOST_PENDING_BYTES = 65_536;
/**
 * Each chunk of a chunked body costs Node a microsecond, however small it is: a body of single bytes would keep a core
 * for a second per megabyte. So many are free, and then so many bytes must be in one on average.
 */
const FREE_PIECES = 10_000;
const LEAST_PIECE_BYTES = 64;

/**
 * The bytes of a body in pieces of up to 128 KB, as long as there are not too many of them and they keep coming.
 * `body_too_large`, `request_timeout`, the refusal that was given, `invalid_request` where the caller breaks off or sends crumbs.
 */
export async function* limitedBody(incoming: IncomingMessage, limits: BodyLimits): AsyncGenerator<Uint8Array> {
  refuseLarger(Number(incoming.headers['content-length'] ?? 0), limits);
  const body = new IncomingBody(incoming, limits.pace ?? PACE);
  let size = 0;
  try {
    for (let chunk = await body.next(); chunk; chunk = await body.next()) {
      size += chunk.length;
      refuseLarger(size, limits);
      yield chunk;
    }
  } finally {
    body.release();
  }
}

function refuseLarger(size: number, { mostBytes, refusal }: BodyLimits): void {
  if (size > mostBytes) throw new GatewayError('body_too_large', `a body may have at most ${mostBytes} bytes`);
  if (refusal && size > refusal.aboveBytes) throw refusal.error;
}

/** Gathers what comes within one turn of the event loop: pieces may be single bytes. */
class IncomingBody {
  readonly #incoming: IncomingMessage;
  readonly #pace: SendingPace;
  #pieces: Buffer[] = [];
  #pendingBytes = 0;
  #allPieces = 0;
  #allBytes = 0;
  #state: 'coming' | 'ended' | 'broken' = 'coming';
  #wake: (() => void) | undefined;

  constructor(incoming: IncomingMessage, pace: PaceLimits) {
    this.#incoming = incoming;
    this.#pace = new SendingPace(pace);
    if (incoming.destroyed) this.#state = 'broken';
    incoming.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onClose).on('close', this.#onClose);
  }

  /** What has come since the last call, once something has; undefined at the end. */
  async next(): Promise<Buffer | undefined> {
    for (;;) {
      const bytes = this.#pendingBytes > 0 ? this.#take() : undefined;
      const problem = this.#pace.judge();
      if (problem) throw new GatewayError('request_timeout', problem);
      if (bytes) return bytes;
      if (this.#state === 'ended') return undefined;
      if (this.#state === 'broken') throw broken('the body broke off');
      await this.#more();
    }
  }

  /** Reads no more. */
  release(): void {
    this.#incoming.pause();
    this.#incoming
      .off('data', this.#onData)
      .off('end', this.#onEnd)
      .off('error', this.#onClose)
      .off('close', this.#onClose);
  }

  #take(): Buffer {
    const [first] = this.#pieces;
    const all = first?.length === this.#pendingBytes ? first : Buffer.concat(this.#pieces, this.#pendingBytes);
    this.#pace.came(all.length);
    this.#pieces = [];
    this.#pendingBytes = 0;
    if (this.#allPieces > FREE_PIECES + this.#allBytes / LEAST_PIECE_BYTES)
      throw broken('the body came in too many small chunks: send larger ones');
    this.#incoming.resume();
    return all;
  }

  /** Waits until something has happened, or the sender is to be judged. */
  #more(): Promise<void> {
    return new Promise((resolve) => {
      const startedAt = performance.now();
      // What has come while we were busy is read before the time is held against anybody.
      const timer = setTimeout(() => this.#happened(), this.#pace.patienceMs);
      this.#wake = () => {
        clearTimeout(timer);
        this.#pace.waited(performance.now() - startedAt);
        resolve();
      };
    });
  }

  /** Wakes who waits, once this turn of the event loop has read all that has come. */
  #happened(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    if (wake) setImmediate(wake);
  }

  readonly #onData = (piece: Buffer): void => {
    this.#pieces.push(piece);
    this.#pendingBytes += piece.length;
    this.#allPieces += 1;
    this.#allBytes += piece.length;
    if (this.#pendingBytes >= MOST_PENDING_BYTES) this.#incoming.pause();
    this.#happened();
  };

  readonly #onEnd = (): void => {
    this.#state = 'ended';
    this.#happened();
  };

  readonly #onClose = (): void => {
    if (this.#state === 'coming') this.#state = 'broken';
    this.#happened();
  };
}

function broken(message: string): GatewayError {
  return invalidRequest([{ path: '', message }]);
}
