import { pipeline } from 'node:stream/promises';
import {
  cutText,
  GatewayError,
  invalidRequest,
  MIME_TYPE,
  type ObjectSchema,
  type UploadDescription,
} from '@chat-web/protocol';
import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import * as v from 'valibot';
import type { SpoolWriter, Upload } from './spool.ts';
import { MAX_REST_BYTES, tooLarge, UPLOAD_FIELD, type UploadBody } from './upload-body.ts';
import { bodyBounds } from './upload-scanner.ts';

export const FORM_TYPE = 'multipart/form-data';
/** The part that is the upload. */
export const FORM_FILE = 'file';
const MAX_PARTS = 64;
/** In characters, as in a request. */
const MAX_NAME_LENGTH = 255;
const LIMITS = { parts: MAX_PARTS, fieldSize: MAX_REST_BYTES, headerPairs: 16, headerSize: 8_192 };

/**
 * Reads a form and streams its file into the spool. The other parts become strings in `rest`: see `readFormValues`.
 * Rejects with `invalid_request`, `body_too_large` or the error of the stream; the file is removed then.
 */
export async function readForm(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  contentType: string,
  createFile: () => Promise<SpoolWriter>,
): Promise<UploadBody> {
  const form = formParser(contentType);
  const refuse = (path: string, message: string) => form.destroy(invalidRequest([{ path, message }]));
  const values = new Map<string, string>();
  let size = 0;
  let file: BusboyFileStream | undefined;
  let stored: Promise<Upload> | undefined;
  let storeError: unknown;

  form.on('field', (name = '', value, _, isTruncated) => {
    size += name.length + Buffer.byteLength(value);
    if (isTruncated || size > MAX_REST_BYTES) form.destroy(tooLarge());
    else if (name === UPLOAD_FIELD) refuse(name, `must be a file in a form, in the part ${FORM_FILE}`);
    else if (values.has(name)) refuse('', 'each part of the form must occur only once');
    else values.set(name, value);
  });
  form.on('file', (name, stream, filename, _, type) => {
    stream.on('error', () => {}); // Whoever reads it gets the error, too.
    if (name !== FORM_FILE) refuse(FORM_FILE, 'must be the name of the part with the file');
    else if (file) refuse(FORM_FILE, 'must occur only once');
    else {
      file = stream;
      const described = {
        // Parsers report a part without a type as plain text: then its name and content tell more.
        mimeType: MIME_TYPE.test(type) && type !== 'text/plain' ? type : undefined,
        filename: filename ? cutText(filename, MAX_NAME_LENGTH) : undefined,
      };
      stored = store(stream, described, createFile);
      stored.catch((error) => {
        storeError ??= error;
        form.destroy(error);
      });
    }
  });
  form.on('partsLimit', () => refuse('', `the form must not have more than ${MAX_PARTS} parts`));

  try {
    await pipeline(chunks, form);
    const upload = await stored;
    const fields = Object.fromEntries(values);
    if (upload) fields[UPLOAD_FIELD] = '';
    const rest = Buffer.from(JSON.stringify(fields));
    return upload ? { rest, isForm: true, upload } : { rest, isForm: true };
  } catch (error) {
    file?.destroy();
    await stored?.then(
      (upload) => upload.remove(),
      () => {},
    );
    if (error === storeError || error instanceof GatewayError) throw error;
    throw notAForm(); // An error of the parser.
  }
}

/** In a form, every value is a text: one that must be something else is read as JSON. Throws `invalid_request`. */
export function readFormValues(body: Record<string, unknown>, schema: ObjectSchema): void {
  for (const { kind, expected, path } of v.safeParse(schema, body).issues ?? []) {
    const name = String(path?.[0].key);
    const text = body[name];
    if (kind === 'schema' && expected !== 'string' && path?.length === 1 && typeof text === 'string')
      body[name] = jsonValue(text);
  }
}

/** The text itself if it is no JSON: the schema says what is wrong. */
function jsonValue(text: string): unknown {
  bodyBounds().scan(Buffer.from(text));
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function formParser(contentType: string) {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits: LIMITS });
  } catch {
    throw notAForm(); // It has no boundary.
  }
}

async function store(
  stream: BusboyFileStream,
  described: UploadDescription,
  createFile: () => Promise<SpoolWriter>,
): Promise<Upload> {
  const writer = await createFile();
  try {
    for await (const bytes of stream) await writer.write(bytes);
    return await writer.finish(described);
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

function notAForm(): GatewayError {
  return invalidRequest([{ path: '', message: `the body is not a complete form (${FORM_TYPE})` }]);
}
