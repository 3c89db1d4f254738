import { asGatewayError, type FieldIssue, GatewayError, type ObjectSchema, type Operation } from '@chat-web/protocol';
import type { Context } from 'hono';
import * as v from 'valibot';

/** Parses what a request brings for an operation: path parameters and body in one object. 400, 413 or 415 if it is not right. */
export async function parseInput(
  c: Context,
  operation: Operation,
  maxBodyBytes: number,
): Promise<Record<string, unknown>> {
  const params = parseParams(c, operation.params); // Before a body of any size is read.
  if (!operation.body) return params;
  const body = v.safeParse(operation.body, await readJson(c, maxBodyBytes));
  if (body.success) return { ...params, ...body.output };
  throw invalid(body.issues.map(fieldIssue));
}

/** Parses path parameters alone. 400 if they are not right. */
export function parseParams<S extends ObjectSchema>(c: Context, schema: S): v.InferOutput<S> {
  const params = v.safeParse(schema, c.req.param());
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
  return expected ? `must be ${EXPECTED[expected] ?? expected}` : 'is not valid';
}

async function readJson(c: Context, maxBodyBytes: number): Promise<unknown> {
  const [mediaType = ''] = (c.req.header('Content-Type') ?? '').toLowerCase().split(';');
  if (mediaType.trim() !== 'application/json') {
    throw new GatewayError('unsupported_media_type', 'send the body as JSON, with Content-Type: application/json');
  }
  const body = parseJson(await readBytes(c, maxBodyBytes));
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  throw invalid([{ path: '', message: 'the body must be a JSON object' }]);
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw invalid([{ path: '', message: 'the body must be JSON in UTF-8' }]);
  }
}

async function readBytes(c: Context, maxBodyBytes: number): Promise<Uint8Array> {
  const tooLarge = () => new GatewayError('body_too_large', `a body may have at most ${maxBodyBytes} bytes`);
  if (Number(c.req.header('Content-Length') ?? 0) > maxBodyBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of c.req.raw.body ?? []) {
      size += chunk.byteLength;
      if (size > maxBodyBytes) throw tooLarge();
      chunks.push(chunk);
    }
  } catch (error) {
    throw asGatewayError(error, 'invalid_request'); // The caller broke off in the middle.
  }
  return Buffer.concat(chunks);
}
