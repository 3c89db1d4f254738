import { GatewayError, invalidRequest } from '@chat-web/protocol';
import { Base64Decoder } from './base64-decoder.ts';
import { GrowingBuffer } from './growing-buffer.ts';
import type { SpoolWriter, Upload } from './spool.ts';
import { bodyBounds, UploadScanner } from './upload-scanner.ts';

export interface UploadBody {
  /** The body's JSON, with `""` in place of the upload. */
  readonly rest: Buffer;
  /** True for a form, whose values are strings. */
  readonly isForm?: true;
  /** Absent if the body has no upload. */
  readonly upload?: Upload;
}

export const UPLOAD_FIELD = 'base64';
/** Limit for a body without its upload, which is held in memory. The longest text, fully escaped, is 384 KB. */
export const MAX_REST_BYTES = 524_288;

/**
 * Reads a body and streams its decoded upload into a file. Rejects with `invalid_request` (invalid base64, too deep,
 * too many values), `body_too_large` or the error of the stream; the file is removed then.
 */
export async function readUploadBody(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  createFile: () => Promise<SpoolWriter>,
): Promise<UploadBody> {
  const reader = new UploadReader();
  let writer: SpoolWriter | undefined;
  try {
    for await (const chunk of chunks) {
      reader.push(chunk);
      if (!reader.hasUpload) continue;
      writer ??= await createFile();
      for (const bytes of reader.takeDecoded()) await writer.write(bytes);
    }
    const { rest } = reader;
    return writer ? { rest, upload: await writer.finish({ mimeType: reader.mimeType }) } : { rest };
  } catch (error) {
    await writer?.discard();
    throw error;
  }
}

/** Checks a body without an upload. Throws like `readUploadBody`. */
export function plainBody(rest: Buffer): UploadBody {
  bodyBounds().scan(rest);
  return { rest };
}

/** Checks a body that is in memory, and scans it only if it contains an upload. Throws like `readUploadBody`. */
export function shortBody(rest: Buffer, createFile: () => Promise<SpoolWriter>): UploadBody | Promise<UploadBody> {
  return rest.includes(`"${UPLOAD_FIELD}"`) ? readUploadBody([rest], createFile) : plainBody(rest);
}

/** Reads a body into memory. Rejects with `body_too_large` or the error of the stream. */
export async function readWhole(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const body = new GrowingBuffer(MAX_REST_BYTES);
  for await (const chunk of chunks) if (!body.append(chunk)) throw tooLarge();
  return body.bytes;
}

export function tooLarge(): GatewayError {
  return new GatewayError('body_too_large', `the body must not exceed ${MAX_REST_BYTES} bytes beside its file`);
}

class UploadReader {
  readonly #scanner: UploadScanner;
  readonly #rest = new GrowingBuffer(MAX_REST_BYTES);
  #decoder: Base64Decoder | undefined;
  #decoded: Buffer[] = [];
  #state: 'none' | 'open' | 'ended' = 'none';

  constructor() {
    this.#scanner = new UploadScanner(UPLOAD_FIELD, {
      rest: (bytes) => this.#keep(bytes),
      upload: (piece) => this.#decode(piece),
      uploadEnded: () => this.#endUpload(),
    });
  }

  get hasUpload(): boolean {
    return this.#state !== 'none';
  }

  get rest(): Buffer {
    return this.#rest.bytes;
  }

  /** The type of a data URL. */
  get mimeType(): string | undefined {
    return this.#decoder?.mimeType;
  }

  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
  }

  /** Bytes of the upload decoded since the last call. */
  takeDecoded(): readonly Buffer[] {
    const decoded = this.#decoded;
    this.#decoded = [];
    return decoded;
  }

  #keep(bytes: Uint8Array): void {
    if (!this.#rest.append(bytes)) throw tooLarge();
  }

  #decode(piece: Uint8Array): void {
    if (this.#state === 'ended') throw invalidUpload('must occur only once');
    this.#state = 'open';
    this.#decoder ??= new Base64Decoder();
    const blocks = this.#decoder.push(piece);
    if (!blocks) throw invalidUpload('must be base64, or a data: URL with base64');
    this.#decoded.push(...blocks);
  }

  #endUpload(): void {
    if (this.#state === 'ended') throw invalidUpload('must occur only once');
    this.#state = 'ended';
    if (!this.#decoder) return; // The upload is empty.
    const last = this.#decoder.end();
    if (!last) throw invalidUpload('must be complete base64, or a data: URL with base64');
    this.#decoded.push(last);
  }
}

function invalidUpload(message: string): GatewayError {
  return invalidRequest([{ path: UPLOAD_FIELD, message }]);
}
