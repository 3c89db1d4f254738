import type { Transform } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { GatewayError, invalidRequest } from '@chat-web/protocol';
import { yieldToEventLoop } from '../../event-loop.ts';
import { type BodyLimits, requireWithinLimits } from './limited-body.ts';

/** Their decoders need less than 100 KB for a body. That of Brotli may need 16 MB, as the sender chooses. */
const DECODERS = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate } as const;
export type Encoding = keyof typeof DECODERS;
export const ENCODINGS = 'gzip, deflate';
const PIECE_BYTES = 65_536;

/** How a body is encoded; undefined if it is not. `written`: its Content-Encoding. Throws `unsupported_media_type`. */
export function encodingOf(written = ''): Encoding | undefined {
  const name = written.trim().toLowerCase();
  if (name === '' || name === 'identity') return undefined;
  if (Object.hasOwn(DECODERS, name)) return name as Encoding;
  throw new GatewayError(
    'unsupported_media_type',
    'the Content-Encoding of the body is not supported: send it with gzip, with deflate, or without this header',
  );
}

/**
 * Decodes a body piece by piece, as fast as they are taken. The limits apply to the decoded bytes. Throws
 * `body_too_large`, the given refusal, `invalid_request` for a body that is not encoded like that, or the error of the
 * encoded pieces.
 */
export async function* decodedBody(
  encoded: AsyncIterable<Uint8Array>,
  encoding: Encoding,
  limits: BodyLimits,
): AsyncGenerator<Uint8Array> {
  const decoder = new Decoder(DECODERS[encoding]({ chunkSize: PIECE_BYTES }));
  let size = 0;
  async function* limited(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      size += piece.length;
      requireWithinLimits(size, limits);
      await yieldToEventLoop(); // The consumer's work takes milliseconds.
      yield piece;
    }
  }
  try {
    for await (const chunk of encoded) yield* limited(decoder.decode(chunk));
    yield* limited(decoder.decode(undefined));
  } finally {
    decoder.close();
  }
}

/** A stream of zlib, without input ahead of what is decoded: its input can end at any time. */
class Decoder {
  readonly #stream: Transform;
  #problem: string | undefined;
  #hasEnded = false;
  #wake = () => {};

  constructor(stream: Transform) {
    this.#stream = stream;
    stream.on('readable', () => this.#wake());
    stream.on('error', () => this.#fail('the body is not encoded as its Content-Encoding says'));
    stream.on('end', () => {
      this.#hasEnded = true;
      this.#wake();
    });
  }

  /** Yields what a chunk decodes to; for undefined, the end of the input, the rest. */
  async *decode(chunk: Uint8Array | undefined): AsyncGenerator<Buffer> {
    let isTaken = false;
    if (chunk === undefined) this.#stream.end();
    else
      this.#stream.write(chunk, () => {
        isTaken = true;
        this.#wake();
      });
    for (;;) {
      const piece: Buffer | null = this.#problem ? null : this.#stream.read();
      // The stream ends by itself at bytes that do not belong to it, and takes no more.
      if (!piece && this.#hasEnded && chunk) this.#fail('the encoded body is followed by other bytes');
      if (this.#problem) throw invalidRequest([{ path: 'Content-Encoding', message: this.#problem }]);
      if (piece) yield piece;
      else if (isTaken || this.#hasEnded) return;
      else await this.#change();
    }
  }

  close(): void {
    this.#stream.destroy();
  }

  #fail(problem: string): void {
    this.#problem ??= problem;
    this.#wake();
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
