import {
  type FieldIssue,
  GatewayError,
  invalidRequest,
  type ObjectSchema,
  type Operation,
  takesUpload,
  type UploadedFile,
} from '@chat-web/protocol';
import type { Context } from 'hono';
import * as v from 'valibot';
import { takeTurn } from '../loop-turns.ts';
import type { Spool } from '../media/spool.ts';
import { MOST_REST_BYTES, readPlainBody, readUploadBody, UPLOAD_FIELD, type UploadBody } from '../media/upload-body.ts';
import { limitedBody } from './limited-body.ts';
import type { ServerEnv } from './server-env.ts';

/** Most bodies are short texts: one of at most so many bytes is read whole, and only searched for an upload. */
const MOST_TEXT_BYTES = 131_072;

/** What reading a request goes by. */
export interface InputOptions {
  readonly maxBodyBytes: number;
  readonly spool: Spool;
  /** What a request for this session will be refused with however its body turns out; undefined where it will not. */
  readonly refusalOf?: ((sessionId: string) => GatewayError | undefined) | undefined;
}

/**
 * Parses what a request brings for an operation, path parameters and body in one object, and lets some work use it; an
 * upload is removed after that. 400, 408, 413 or 415 if it is not right. Where the session will refuse it, a body that is
 * held in memory is judged all the same, as 400 comes before 404 and 409; a larger one is not read for that, and gets the
 * refusal.
 */
export async function withInput<R>(
  c: Context<ServerEnv>,
  operation: Operation,
  options: InputOptions,
  work: (input: Record<string, unknown>) => Promise<R>,
): Promise<R> {
  const params = parseParams(c.req.param(), operation.params); // Before a body of any size is read.
  if (!operation.body) return work(params);
  const { rest, upload } = await readBody(c, operation.body, options);
  try {
    await takeTurn();
    const body = parseObject(rest);
    if (upload) putFile(body, upload.file);
    const parsed = v.safeParse(operation.body, body);
    if (!parsed.success) throw invalidRequest(parsed.issues.map(fieldIssue));
    return await work({ ...params, ...parsed.output });
  } finally {
    await upload?.remove();
  }
}

/** Parses path parameters alone. 400 if they are not right. */
export function parseParams<S extends ObjectSchema>(
  values: Readonly<Record<string, string>>,
  schema: S,
): v.InferOutput<S> {
  const params = v.safeParse(schema, values);
  if (params.success) return params.output;
  throw invalidRequest(params.issues.map(fieldIssue));
}

/** An issue in words of our own: the schema library's would repeat the value that was sent. */
function fieldIssue(issue: v.BaseIssue<unknown>): FieldIssue {
  // The name of a field that is not known is something that was sent, too.
  if (issue.type === 'strict_object' && issue.expected === 'never')
    return { path: '', message: 'there is a field that this operation does not have' };
  return { path: v.getDotPath(issue) ?? '', message: issueText(issue) };
}

const EXPECTED: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  Array: 'an array',
  Object: 'a JSON object',
};

function issueText({ kind, message, received, expected }: v.BaseIssue<unknown>): string {
  if (kind !== 'schema') return message;
  if (received === 'undefined') return 'is required';
  if (expected?.includes(' | ')) return `must be one of ${expected.replace(/[()]/g, '').replaceAll(' | ', ', ')}`;
  return expected ? `must be ${EXPECTED[expected] ?? expected}` : 'is not valid';
}

async function readBody(
  c: Context<ServerEnv>,
  schema: ObjectSchema,
  { maxBodyBytes, spool, refusalOf }: InputOptions,
): Promise<UploadBody> {
  const [mediaType = ''] = (c.req.header('Content-Type') ?? '').toLowerCase().split(';');
  if (mediaType.trim() !== 'application/json') {
    throw new GatewayError('unsupported_media_type', 'send the body as JSON, with Content-Type: application/json');
  }
  const { incoming } = c.env;
  if (!takesUpload(schema)) {
    const rest = await readPlainBody(limitedBody(incoming, { mostBytes: Math.min(maxBodyBytes, MOST_REST_BYTES) }));
    return { rest };
  }
  const sessionId = c.req.param('id') ?? '';
  const error = refusalOf?.(sessionId);
  const refusal = error && { aboveBytes: MOST_REST_BYTES, error };
  const chunks = limitedBody(incoming, { mostBytes: maxBodyBytes, refusal });
  const createFile = () => spool.create(sessionId);
  if (Number(incoming.headers['content-length'] ?? Number.POSITIVE_INFINITY) > MOST_TEXT_BYTES)
    return readUploadBody(chunks, createFile);
  const rest = await readPlainBody(chunks);
  return rest.includes(`"${UPLOAD_FIELD}"`) ? readUploadBody([rest], createFile) : { rest };
}

/** Puts an upload in the place where it was cut out, unless the field stands there a second time, with another value. */
function putFile(body: Record<string, unknown>, file: UploadedFile): void {
  if (body[UPLOAD_FIELD] !== '') throw invalidRequest([{ path: UPLOAD_FIELD, message: 'must stand in the body once' }]);
  body[UPLOAD_FIELD] = file;
}

function parseObject(bytes: Uint8Array): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalidRequest([{ path: '', message: 'the body must be JSON in UTF-8' }]);
  }
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw invalidRequest([{ path: '', message: 'the body must be a JSON object' }]);
}
