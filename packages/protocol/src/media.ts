import * as v from 'valibot';
import { count, LIMITS, MAX_TEXT_LENGTH } from './limits.ts';
import type { ObjectSchema } from './operation.ts';

/** A file in a spool folder: bytes are passed between processes as files, and messages name them. */
const spooledFile = v.object({
  /** A plain file name: it cannot be a path. */
  file: v.pipe(v.string(), v.uuid()),
  /** In bytes. */
  size: count(LIMITS.fileBytes),
});
export type SpooledFile = Readonly<v.InferOutput<typeof spooledFile>>;

/** What the caller says of an upload, in a data URL or a form. */
export interface UploadDescription {
  readonly mimeType?: string | undefined;
  readonly filename?: string | undefined;
}

export interface DescribedFile extends SpooledFile, UploadDescription {}

/** The HTTP side stores an upload as a file, and replaces it with this. */
export class UploadedFile implements DescribedFile {
  readonly file: string;
  readonly size: number;
  /** The hash of its bytes; undefined if it was not requested. */
  readonly sha256: string | undefined;
  readonly mimeType: string | undefined;
  readonly filename: string | undefined;

  constructor({ file, size }: SpooledFile, sha256?: string, { mimeType, filename }: UploadDescription = {}) {
    this.file = file;
    this.size = size;
    this.sha256 = sha256;
    this.mimeType = mimeType;
    this.filename = filename;
  }
}

/**
 * Base64 in a body. A caller writes a string; the HTTP side decodes it into a file while it streams in. The schema
 * accepts only such a file: an object of the same shape in a body could name another upload.
 */
const upload = v.pipe(
  v.custom<string>((value) => value instanceof UploadedFile, 'must be base64'),
  v.transform((file) => file as unknown as DescribedFile),
  v.check(({ size }) => size > 0, 'must not be empty'),
);

const text = (max: number) => v.pipe(v.string(), v.maxLength(max, `must be at most ${max} characters`));

/** A SHA-256 in base64. */
export const SHA256 = /^[A-Za-z0-9+/]{43}=$/;

/** The syntax of a MIME type with parameters, which may be quoted: nothing in it can end a header. */
export const MIME_TYPE = /^[\w.+-]+\/[\w.+-]+( ?; ?[\w.+-]+=([\w.+-]+|"[\w.+, -]*"))*$/;

const mimeType = v.pipe(
  v.string(),
  v.maxLength(100, 'must be at most 100 characters'),
  v.toLowerCase(),
  v.regex(MIME_TYPE, 'must be a MIME type such as image/png'),
);

/** The fields that all kinds of media share. */
export const mediaFields = {
  url: v.optional(
    v.pipe(
      v.string(),
      v.maxLength(8_192, 'must be at most 8192 characters'),
      v.check((url) => ['http:', 'https:'].includes(parsed(url)?.protocol ?? ''), 'must be an http or https URL'),
      v.check((url) => !parsed(url)?.username && !parsed(url)?.password, 'must not contain a user name or a password'),
    ),
  ),
  base64: v.optional(upload),
  mimeType: v.optional(mimeType),
  filename: v.optional(v.pipe(text(255), v.minLength(1, 'must not be empty'))),
  caption: v.optional(text(MAX_TEXT_LENGTH)),
};

/** Exactly one of `url` and `base64`. */
export function fromOnePlace<T extends MediaSource>() {
  return v.rawCheck<T>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value: input } = dataset;
    if ((input.url === undefined) !== (input.base64 === undefined)) return;
    for (const [key, other] of [
      ['url', 'base64'],
      ['base64', 'url'],
    ] as const) {
      const item = {
        type: 'object',
        origin: 'value',
        input: { ...input } as Record<string, unknown>,
        key,
        value: input[key],
      } as const;
      const message = input.url === undefined ? `is required without ${other}` : `must not be given with ${other}`;
      addIssue({ message, path: [item] });
    }
  });
}

/** True if the body may have an upload, and so must be read as a stream. */
export function takesUpload(body: ObjectSchema): boolean {
  const options = 'options' in body && Array.isArray(body.options) ? body.options : [body];
  return options.some((option) => 'base64' in (option as { entries: object }).entries);
}

/** The media of a message, once its body is parsed. */
export interface MediaSource {
  readonly url?: string | undefined;
  readonly base64?: DescribedFile | undefined;
  readonly mimeType?: string | undefined;
  readonly filename?: string | undefined;
  readonly caption?: string | undefined;
}

/**
 * Media as an answer: a file in the session's spool folder, streamed to the caller and then removed. Type, name and hash
 * become headers.
 */
export const mediaFile = v.object({
  ...spooledFile.entries,
  /** Absent if the handler was asked only to describe the file. */
  file: v.optional(spooledFile.entries.file),
  /** The SHA-256 of its bytes in base64, as its sender states it; the page checks it when it downloads them. */
  sha256: v.optional(v.pipe(v.string(), v.regex(SHA256))),
  mimeType: v.pipe(v.string(), v.maxLength(LIMITS.mimeType), v.regex(/^[\x20-\x7e]*$/)),
  filename: v.optional(v.pipe(v.string(), v.maxLength(LIMITS.filename), v.regex(/^\P{Cc}*$/u))),
});
export type MediaFile = v.InferOutput<typeof mediaFile>;

function parsed(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}

/** An optional media file; none is answered with 204. */
export const optionalMediaFile = v.nullable(mediaFile);

/** True if the operation answers with bytes rather than JSON. */
export function answersMedia({ answer }: { readonly answer: v.GenericSchema }): boolean {
  return answer === mediaFile || answer === optionalMediaFile;
}

/** Bytes that a client sends. A `ReadableStream` is read once: its call is not retried. */
export type MediaBytes = Uint8Array | Blob | ReadableStream<Uint8Array>;

/** Media as a client of the gateway gets it. `size` is in bytes. */
export interface Download {
  readonly data: ReadableStream<Uint8Array>;
  readonly size: number;
  readonly mimeType: string;
  readonly filename?: string | undefined;
}
