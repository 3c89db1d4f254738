import { GatewayError } from '@chat-web/protocol';
import { Base64Decoder } from './base64-decoder.ts';
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
/** What a body may have beside an upload: every other field has a far lower limit of its own. */
export const MOST_REST_BYTES = 1_048_576;

/**
 * Reads a body and decodes its upload into a file while it streams in. Rejects with `invalid_request` for what
 * is not base64, `body_too_large`, or what the stream fails with; no file is left then.
 */
export async function readUploadBody(
  chunks: AsyncIterable<Uint8Array>,
  createFile: () => Promise<SpoolWriter>,
): Promise<UploadBody> {
  const reader = new UploadReader();
  let writer: SpoolWriter | undefined;
  try {
    for await (const chunk of chunks) {
      const bytes = reader.push(chunk);
      if (!reader.hasUpload) continue;
      writer ??= await createFile();
      await writer.write(bytes);
    }
    const rest = reader.end();
    return writer ? { rest, upload: await writer.finish() } : { rest };
  } catch (error) {
    await writer?.discard();
    throw error;
  }
}

class UploadReader {
  readonly #decoder = new Base64Decoder();
  readonly #scanner: UploadScanner;
  readonly #rest: Uint8Array[] = [];
  #restSize = 0;
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

  /** Takes a chunk of the body; returns what has been decoded of the upload since. */
  push(chunk: Uint8Array): Buffer {
    this.#scanner.push(chunk);
    const decoded = Buffer.concat(this.#decoded);
    this.#decoded = [];
    return decoded;
  }

  end(): Buffer {
    return Buffer.concat(this.#rest);
  }

  #keep(bytes: Uint8Array): void {
    this.#restSize += bytes.length;
    if (this.#restSize > MOST_REST_BYTES) {
      throw new GatewayError('body_too_large', `a body may have at most ${MOST_REST_BYTES} bytes beside its base64`);
    }
    this.#rest.push(Uint8Array.from(bytes)); // A copy: the chunk's memory is not ours to keep.
  }

  #decode(piece: string): void {
    if (this.#state === 'ended') throw notBase64('must stand in the body once');
    this.#state = 'open';
    const bytes = this.#decoder.push(piece);
    if (!bytes) throw notBase64('must be plain base64, without a data: prefix and line breaks');
    this.#decoded.push(bytes);
  }

  #endUpload(): void {
    const bytes = this.#decoder.end();
    if (!bytes) throw notBase64('must be whole base64');
    this.#state = 'ended';
    this.#decoded.push(bytes);
  }
}

function notBase64(message: string): GatewayError {
  const issue = { path: UPLOAD_FIELD, message };
  return new GatewayError('invalid_request', `the request is not valid: ${issue.path} ${issue.message}`, [issue]);
}
