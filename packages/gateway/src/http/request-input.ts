import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  GatewayError,
  invalidRequest,
  type ObjectSchema,
  type Operation,
  takesUpload,
  UploadedFile,
} from '@chat-web/protocol';
import type { Context } from 'hono';
import * as v from 'valibot';
import type { Caller } from '../access/caller.ts';
import { shareTurn, yieldToEventLoop } from '../event-loop.ts';
import { FORM_TYPE, readForm, readFormValues } from '../media/form-body.ts';
import type { Spool } from '../media/spool.ts';
import {
  MAX_REST_BYTES,
  plainBody,
  readUploadBody,
  readWhole,
  shortBody,
  UPLOAD_FIELD,
  type UploadBody,
} from '../media/upload-body.ts';
import { fingerprintOf, type KeyedRequest } from '../sends/idempotency.ts';
import { fieldIssues } from './field-issues.ts';
import { jsonFault } from './json-fault.ts';
import { decodedBody, ENCODINGS, type Encoding, encodingOf } from './server/decoded-body.ts';
import { arrivedBody, type BodyLimits, limitedBody, SMALL_BODY_BYTES } from './server/limited-body.ts';
import type { ServerEnv } from './server-env.ts';

/** Bodies up to this size, which are most, are read as a whole. */
const MAX_SHORT_BYTES = 131_072;

export interface InputDependencies {
  readonly maxBodyBytes: number;
  readonly spool: Spool;
  /** The error that any request for this session gets, whatever its body; undefined if there is none. */
  readonly refusalOf?: ((sessionId: string) => GatewayError | undefined) | undefined;
}

interface ExpectedBody {
  readonly schema: ObjectSchema;
  /** A request without a body is the same as one without fields, whatever its Content-Type. */
  readonly isOptional: boolean;
}

/**
 * Parses the body of a request, and passes it to `work`; an upload is removed afterwards. An invalid body is 400, 408,
 * 413 or 415. If `refusalOf` returns an error, a body that fits in memory is still validated, since 400 takes
 * precedence over 404 and 409; a larger one is rejected with that error without reading it.
 */
export async function withBody<R>(
  c: Context<ServerEnv>,
  expected: ExpectedBody,
  dependencies: InputDependencies,
  work: (body: Record<string, unknown>) => Promise<R>,
): Promise<R> {
  const { rest, isForm, upload } = await readBody(c, expected, dependencies);
  try {
    await (rest.length > SMALL_BODY_BYTES ? yieldToEventLoop() : shareTurn());
    const body = parseObject(rest, upload !== undefined);
    if (upload) putFile(body, upload.file);
    if (takesUpload(expected.schema)) dropBlankSource(body);
    if (isForm) readFormValues(body, expected.schema);
    const parsed = v.safeParse(expected.schema, body);
    if (!parsed.success) throw invalidRequest(fieldIssues(expected.schema, parsed.issues));
    return await work(parsed.output);
  } finally {
    await upload?.remove();
  }
}

/** Parses the query. `invalid_request` if a parameter is invalid, unknown or given more than once. */
export function parseQuery<S extends ObjectSchema>(c: Context<ServerEnv>, schema: S): v.InferOutput<S> {
  const given = Object.entries(c.req.queries());
  const parsed = parseParams(Object.fromEntries(given.map(([name, [value = '']]) => [name, value])), schema);
  const repeated = given.filter(([, values]) => values.length > 1);
  if (repeated.length === 0) return parsed;
  throw invalidRequest(repeated.map(([name]) => ({ path: name, message: 'must occur only once' })));
}

/** Parses the parameters of the path, or of the query. `invalid_request` if they are invalid. */
export function parseParams<S extends ObjectSchema>(
  values: Readonly<Record<string, string>>,
  schema: S,
): v.InferOutput<S> {
  const params = v.safeParse(schema, values);
  if (params.success) return params.output;
  throw invalidRequest(fieldIssues(schema, params.issues));
}

/** Throws `unsupported_media_type` with this hint for a body of another type. */
export function requireMediaType(c: Context<ServerEnv>, wanted: string, hint: string): void {
  if (!hasMediaType(c, wanted)) throw new GatewayError('unsupported_media_type', hint);
}

function hasMediaType(c: Context<ServerEnv>, wanted: string): boolean {
  const [mediaType = ''] = (c.req.header('Content-Type') ?? '').toLowerCase().split(';');
  return mediaType.trim() === wanted;
}

/** Undefined for a body as it is. Throws `unsupported_media_type`, and names the encodings in a header. */
export function bodyEncoding(c: Context<ServerEnv>): Encoding | undefined {
  try {
    return encodingOf(c.req.header('Content-Encoding'));
  } catch (error) {
    c.header('Accept-Encoding', ENCODINGS);
    throw error;
  }
}

async function readBody(
  c: Context<ServerEnv>,
  { schema, isOptional }: ExpectedBody,
  { maxBodyBytes, spool, refusalOf }: InputDependencies,
): Promise<UploadBody> {
  if (isOptional && isEmpty(c.env.incoming)) return { rest: Buffer.from('{}') };
  const isForm = takesUpload(schema) && hasMediaType(c, FORM_TYPE);
  if (!isForm) requireMediaType(c, 'application/json', 'send the body as JSON, with Content-Type: application/json');
  const encoding = bodyEncoding(c);
  const { incoming } = c.env;
  const { signal, keyId } = c.get('caller');
  const chunksWithin = (limits: BodyLimits) => {
    const chunks = limitedBody(incoming, { ...limits, signal });
    return encoding ? decodedBody(chunks, encoding, limits) : chunks;
  };
  const arrived = encoding ? undefined : await arrivedBody(incoming, maxBodyBytes);
  if (!takesUpload(schema)) {
    const maxBytes = Math.min(maxBodyBytes, MAX_REST_BYTES);
    return plainBody(arrived ?? (await readWhole(chunksWithin({ maxBytes }))));
  }
  const sessionId = c.req.param('id') ?? '';
  // Two requests with the same key are the same if their media are.
  const createFile = () => spool.create(sessionId, { isHashed: c.req.header(KEY_HEADER) !== undefined, keyId });
  const contentType = c.req.header('Content-Type') ?? '';
  if (arrived) return isForm ? readForm([arrived], contentType, createFile) : shortBody(arrived, createFile);
  const error = refusalOf?.(sessionId);
  const refusal = error && { aboveBytes: MAX_REST_BYTES, error };
  const chunks = chunksWithin({ maxBytes: maxBodyBytes, refusal });
  if (isForm) return readForm(chunks, contentType, createFile);
  const isShort =
    !encoding && Number(incoming.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= MAX_SHORT_BYTES;
  return isShort ? shortBody(await readWhole(chunks), createFile) : readUploadBody(chunks, createFile);
}

function isEmpty({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}

/** Puts the upload back into its field. Rejects a body in which the field occurs twice. */
function putFile(body: Record<string, unknown>, file: UploadedFile): void {
  if (body[UPLOAD_FIELD] !== '') throw invalidRequest([{ path: UPLOAD_FIELD, message: 'must occur only once' }]);
  body[UPLOAD_FIELD] = file;
}

/** Templates write both fields, and leave one of them empty: it is the same as absent if the other one is given. */
function dropBlankSource(body: Record<string, unknown>): void {
  const isBlank = (value: unknown) => value === null || value === '';
  const { url, [UPLOAD_FIELD]: upload } = body;
  if (isBlank(url) && upload !== undefined) delete body.url;
  else if (url !== undefined && (isBlank(upload) || (upload instanceof UploadedFile && upload.size === 0)))
    delete body[UPLOAD_FIELD];
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The body. `isShortened`: without its upload, so that the places in a line are not those of what was sent. */
function parseObject(bytes: Uint8Array, isShortened: boolean): Record<string, unknown> {
  const body = parseJson(bytes, isShortened);
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw invalidBody('must be a JSON object');
}

function parseJson(bytes: Uint8Array, isShortened: boolean): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw invalidBody('must be JSON in UTF-8');
  }
  try {
    return JSON.parse(text);
  } catch {
    if (text.trim() === '') throw invalidBody('is empty; it must be a JSON object');
    // ASCII in UTF-16.
    if (text.includes('\0')) throw invalidBody('must be JSON in UTF-8');
    const { at, problem } = jsonFault(text) ?? { at: 0, problem: 'is invalid' };
    const lines = text.slice(0, at).split('\n');
    const column = isShortened ? '' : `, column ${(lines.at(-1)?.length ?? 0) + 1}`;
    throw invalidRequest([{ path: '', message: `the JSON of the body ${problem}, at line ${lines.length}${column}` }]);
  }
}

function invalidBody(problem: string): GatewayError {
  return invalidRequest([{ path: '', message: `the body ${problem}` }]);
}

const KEY_HEADER = 'Idempotency-Key';

const KEY_PATTERN = /^[ -~]{1,255}$/;

/**
 * The hash of the request's key, which is the caller's own; undefined without one. `invalid_request` if it is invalid. What
 * a caller with a limit sends is counted by its keys: without one, the request gets its own.
 */
export function keyHashOf(c: Context<ServerEnv>, operation: Operation): string | undefined {
  if (!operation.keyed) return undefined;
  const { id, sendsPerHour } = c.get('caller');
  const key = c.req.header(KEY_HEADER) ?? (sendsPerHour === undefined ? undefined : randomUUID());
  if (key === undefined) return undefined;
  if (!KEY_PATTERN.test(key))
    throw invalidRequest([{ path: KEY_HEADER, message: 'must be 1 to 255 printable ASCII characters' }]);
  return fingerprintOf(id, key);
}

/** What distinguishes an upload from others: its bytes, and what a form or a data URL says of it. */
function identityOf({ sha256, mimeType, filename }: UploadedFile) {
  return mimeType === undefined && filename === undefined ? sha256 : { sha256, mimeType, filename };
}

export function keyedRequest(
  name: string,
  operation: Operation,
  hash: string,
  { keyId, sendsPerHour }: Pick<Caller, 'keyId' | 'sendsPerHour'>,
  { id, ...body }: Readonly<Record<string, unknown>>,
): KeyedRequest {
  const whole = JSON.stringify(body, (_, value) => (value instanceof UploadedFile ? identityOf(value) : value));
  const choosesMessageId = operation.keyed?.choosesMessageId(body) ?? false;
  const isHarmlessTwice = operation.keyed?.isHarmlessTwice?.(body) ?? false;
  const fingerprint = fingerprintOf(name, whole);
  return { session: String(id), keyId, sendsPerHour, hash, fingerprint, choosesMessageId, isHarmlessTwice };
}
