import type { IncomingMessage } from 'node:http';
import { GatewayError, invalidRequest } from '@chat-web/protocol';
import { takeTurn } from '../loop-turns.ts';
import { GrowingBuffer } from '../media/growing-buffer.ts';
import { endAtOnce } from './lingering-close.ts';
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
const FREE_PIECES = 2_000;
const LEAST_PIECE_BYTES = 64;
/** Smaller pieces are put together at once: each is an object of more than a hundred bytes. */
const SMALL_PIECE_BYTES = 1_024;

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
      await takeTurn(); // For the work that whoever takes it has with it.
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
  #small = new GrowingBuffer(2 * MOST_PENDING_BYTES);
  #pendingBytes = 0;
  #allPieces = 0;
  #allBytes = 0;
  #hasEnded = false;
  #problem: string | undefined;
  #wake: (() => void) | undefined;
  #immediate: NodeJS.Immediate | undefined;

  constructor(incoming: IncomingMessage, pace: PaceLimits) {
    this.#incoming = incoming;
    this.#pace = new SendingPace(pace);
    if (incoming.destroyed) this.#onClose();
    incoming.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onClose).on('close', this.#onClose);
  }

  /** What has come since the last call, once something has; undefined at the end. */
  async next(): Promise<Buffer | undefined> {
    for (;;) {
      if (this.#problem) throw invalidRequest([{ path: '', message: this.#problem }]);
      const bytes = this.#pendingBytes > 0 ? this.#take() : undefined;
      const slowness = this.#pace.judge();
      if (slowness) throw new GatewayError('request_timeout', slowness);
      if (bytes || this.#hasEnded) return bytes;
      await this.#more();
    }
  }

  /** Takes no more. What comes after crumbs is thrown away: buffered, it would take a hundred times its size. */
  release(): void {
    if (!this.#problem) this.#incoming.pause();
    this.#incoming.off('data', this.#onData).off('end', this.#onEnd);
    this.#incoming.off('error', this.#onClose).off('close', this.#onClose);
  }

  #take(): Buffer {
    this.#putTogether();
    const [first] = this.#pieces;
    const all = first?.length === this.#pendingBytes ? first : Buffer.concat(this.#pieces, this.#pendingBytes);
    this.#pace.came(all.length);
    this.#pieces = [];
    this.#pendingBytes = 0;
    this.#incoming.resume();
    return all;
  }

  #putTogether(): void {
    if (this.#small.bytes.length === 0) return;
    this.#pieces.push(this.#small.bytes);
    this.#small = new GrowingBuffer(2 * MOST_PENDING_BYTES);
  }

  /** Waits until something has happened, or the sender is to be judged. */
  #more(): Promise<void> {
    return new Promise((resolve) => {
      const startedAt = performance.now();
      const timer = setTimeout(() => this.#happened(), this.#pace.patienceMs);
      this.#wake = () => {
        clearTimeout(timer);
        clearImmediate(this.#immediate);
        this.#wake = this.#immediate = undefined;
        this.#pace.waited(performance.now() - startedAt);
        resolve();
      };
    });
  }

  /**
   * Wakes who waits, once this turn of the event loop has read all that has come, also while we were busy. At once where
   * there is a problem: within one turn, Node reads and parses up to 2 MB of a connection that is not closed.
   */
  #happened(): void {
    if (this.#problem) this.#wake?.();
    else if (this.#wake) this.#immediate ??= setImmediate(this.#wake);
  }

  readonly #onData = (piece: Buffer): void => {
    if (this.#problem) return; // What comes until the answer is out is thrown away.
    this.#allPieces += 1;
    this.#allBytes += piece.length;
    this.#pendingBytes += piece.length;
    if (this.#allPieces > FREE_PIECES + this.#allBytes / LEAST_PIECE_BYTES) {
      this.#problem = 'the body came in too many small chunks: send larger ones';
      endAtOnce(this.#incoming);
    } else if (piece.length < SMALL_PIECE_BYTES) this.#small.append(piece);
    else {
      this.#putTogether();
      this.#pieces.push(piece);
    }
    if (this.#pendingBytes >= MOST_PENDING_BYTES && !this.#problem) this.#incoming.pause();
    this.#happened();
  };

  readonly #onEnd = (): void => {
    this.#hasEnded = true;
    this.#happened();
  };

  readonly #onClose = (): void => {
    if (!this.#hasEnded) this.#problem ??= 'the body broke off';
    this.#happened();
  };
}
