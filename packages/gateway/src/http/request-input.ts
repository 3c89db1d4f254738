import {
  asGatewayError,
  type FieldIssue,
  GatewayError,
  type ObjectSchema,
  type Operation,
  takesUpload,
} from '@chat-web/protocol';
import type { Context } from 'hono';
import * as v from 'valibot';
import type { Spool, Upload } from '../media/spool.ts';
import { MOST_REST_BYTES, readUploadBody, UPLOAD_FIELD } from '../media/upload-body.ts';
import { limitedBody } from './limited-body.ts';

/** What reading a request goes by. */
export interface InputOptions {
  readonly maxBodyBytes: number;
  readonly spool: Spool;
}

/** What a request brought; an upload is to be removed by whoever is done with the input. */
export interface ParsedInput {
  readonly input: Record<string, unknown>;
  readonly upload?: Upload | undefined;
}

/** Parses what a request brings for an operation: path parameters and body in one object. 400, 413 or 415 if it is not right. */
export async function parseInput(c: Context, operation: Operation, options: InputOptions): Promise<ParsedInput> {
  const params = parseParams(c.req.param(), operation.params); // Before a body of any size is read.
  if (!operation.body) return { input: params };
  const { body, upload } = await readJson(c, operation.body, String(params.id), options);
  const parsed = v.safeParse(operation.body, body);
  if (parsed.success) return { input: { ...params, ...parsed.output }, upload };
  await upload?.remove();
  throw invalid(parsed.issues.map(fieldIssue));
}

/** Parses path parameters alone. 400 if they are not right. */
export function parseParams<S extends ObjectSchema>(
  values: Readonly<Record<string, string>>,
  schema: S,
): v.InferOutput<S> {
  const params = v.safeParse(schema, values);
  if (params.success) return params.output;
  throw invalid(params.issues.map(fieldIssue));
}

function invalid(issues: FieldIssue[]): GatewayError {
  const named = issues.map(({ path, message }) => (path ? `${path} ${message}` : message)).join('; ');
  return new GatewayError('invalid_request', `the request is not valid: ${named}`, issues);
}

/** An issue in words of our own: the schema library's would repeat the value that was sent. */
function fieldIssue(issue: v.BaseIssue<unknown>): FieldIssue {
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

interface ReadBody {
  readonly body: Record<string, unknown>;
  readonly upload?: Upload | undefined;
}

async function readJson(
  c: Context,
  schema: ObjectSchema,
  sessionId: string,
  { maxBodyBytes, spool }: InputOptions,
): Promise<ReadBody> {
  const [mediaType = ''] = (c.req.header('Content-Type') ?? '').toLowerCase().split(';');
  if (mediaType.trim() !== 'application/json') {
    throw new GatewayError('unsupported_media_type', 'send the body as JSON, with Content-Type: application/json');
  }
  try {
    if (!takesUpload(schema)) {
      // Such a body is held in memory: none of its fields comes near this limit.
      return { body: parseObject(await readAll(limitedBody(c, Math.min(maxBodyBytes, MOST_REST_BYTES)))) };
    }
    const { rest, upload } = await readUploadBody(limitedBody(c, maxBodyBytes), () => spool.create(sessionId));
    try {
      return { body: { ...parseObject(rest), ...(upload ? { [UPLOAD_FIELD]: upload.file } : {}) }, upload };
    } catch (error) {
      await upload?.remove();
      throw error;
    }
  } catch (error) {
    throw asGatewayError(error, 'invalid_request'); // The caller broke off in the middle.
  }
}

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

function parseObject(bytes: Uint8Array): Record<string, unknown> {
  let body: unknown;
  try {
    body = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalid([{ path: '', message: 'the body must be JSON in UTF-8' }]);
  }
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  throw invalid([{ path: '', message: 'the body must be a JSON object' }]);
}
