import { GatewayError, invalidRequest } from '@chat-web/protocol';
import { Base64Decoder } from './base64-decoder.ts';
import { GrowingBuffer } from './growing-buffer.ts';
import { assertBounded } from './json-bounds.ts';
import type { SpoolWriter, Upload } from './spool.ts';
import { UploadScanner } from './upload-scanner.ts';

/** A body whose upload lies in a file. */
export interface UploadBody {
  /** The body's JSON, with `""` in the place of the upload. */
  readonly rest: Buffer;
  /** Absent where the body has no upload. */
  readonly upload?: Upload;
}

/** The name of the field that is cut out. */
export const UPLOAD_FIELD = 'base64';
/** What is held of a body in memory, all but its upload: the longest text, with each character escaped, is 384 KB. */
export const MOST_REST_BYTES = 524_288;

/**
 * Reads a body and decodes its upload into a file while it streams in. Rejects with `invalid_request` for what is not
 * base64, nests too deep or holds too many values, `body_too_large`, or what the stream fails with; no file is left then.
 */
export async function readUploadBody(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  createFile: () => Promise<SpoolWriter>,
): Promise<UploadBody> {
  const reader = new UploadReader(UPLOAD_FIELD);
  let writer: SpoolWriter | undefined;
  try {
    for await (const chunk of chunks) {
      reader.push(chunk);
      if (!reader.hasUpload) continue;
      writer ??= await createFile();
      for (const bytes of reader.takeDecoded()) await writer.write(bytes);
    }
    const { rest } = reader;
    return writer ? { rest, upload: await writer.finish() } : { rest };
  } catch (error) {
    await writer?.discard();
    throw error;
  }
}

/** Reads a body without an upload. Rejects as `readUploadBody`. */
export async function readPlainBody(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const body = new GrowingBuffer(MOST_REST_BYTES);
  for await (const chunk of chunks) if (!body.append(chunk)) throw tooLarge();
  assertBounded(body.bytes);
  return body.bytes;
}

function tooLarge(): GatewayError {
  return new GatewayError('body_too_large', `a body may have at most ${MOST_REST_BYTES} bytes beside its base64`);
}

class UploadReader {
  readonly #scanner: UploadScanner;
  readonly #rest = new GrowingBuffer(MOST_REST_BYTES);
  #decoder: Base64Decoder | undefined;
  #decoded: Buffer[] = [];
  #state: 'none' | 'open' | 'ended' = 'none';

  constructor(field: string) {
    this.#scanner = new UploadScanner(field, {
      rest: (bytes) => this.#keep(bytes),
      upload: (piece) => this.#decode(piece),
      uploadEnded: () => this.#endUpload(),
    });
  }

  get hasUpload(): boolean {
    return this.#state !== 'none';
  }

  /** All but the upload. */
  get rest(): Buffer {
    return this.#rest.bytes;
  }

  /** Takes a chunk of the body. */
  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  /** What has been decoded of the upload since the last call. */
  takeDecoded(): readonly Buffer[] {
    const decoded = this.#decoded;
    this.#decoded = [];
    return decoded;
  }

  #keep(bytes: Uint8Array): void {
    if (!this.#rest.append(bytes)) throw tooLarge();
  }

  #decode(piece: Uint8Array): void {
    if (this.#state === 'ended') throw notBase64('must stand in the body once');
    this.#state = 'open';
    this.#decoder ??= new Base64Decoder();
    const blocks = this.#decoder.push(piece);
    if (!blocks) throw notBase64('must be plain base64, without a data: prefix and line breaks');
    this.#decoded.push(...blocks);
  }

  #endUpload(): void {
    if (this.#state === 'ended') throw notBase64('must stand in the body once');
    this.#state = 'ended';
    if (!this.#decoder) return; // An empty one.
    const last = this.#decoder.end();
    if (!last) throw notBase64('must be whole base64, without a data: prefix and line breaks');
    this.#decoded.push(last);
  }
}

function notBase64(message: string): GatewayError {
  return invalidRequest([{ path: UPLOAD_FIELD, message }]);
}
