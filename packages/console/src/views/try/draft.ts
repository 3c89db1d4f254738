import type { Operation } from '@chat-web/protocol';
import { type Field, fieldsOf } from './fields.ts';

/** The user's input in the forms. Operations share fields with the same name, such as the session's `id`. */
export interface Draft {
  readonly values: Readonly<Record<string, string>>;
  /** The bytes of `base64`, or the archive. */
  readonly file: File | undefined;
  /** The body as JSON, instead of its fields. */
  readonly json: string | undefined;
}

/** A call as it will be sent. */
export interface DraftedCall {
  /** The path parameters. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Undefined: the request has no body. Without the file. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly file: File | undefined;
  readonly idempotencyKey: string | undefined;
}

/** The form field for the header. */
export const KEY_FIELD = 'Idempotency-Key';

/** The schema of the JSON body, if there is one. */
function bodySchemaOf({ body, optionalBody }: Operation) {
  return body ?? optionalBody;
}

/** The fields of the drafted body. */
export function bodyFields(operation: Operation, { values }: Draft): readonly Field[] {
  const schema = bodySchemaOf(operation);
  return schema ? fieldsOf(schema, values) : [];
}

/** The call of a draft. Throws an error with a sentence if the written JSON is invalid. */
export function callOf(operation: Operation, draft: Draft): DraftedCall {
  const { values, json } = draft;
  const path = Object.fromEntries(
    fieldsOf(operation.params, {}).map(({ name }) => [name, (values[name] ?? '').trim()]),
  );
  const query = operation.query ? bodyOf(fieldsOf(operation.query, {}), values, undefined) : {};
  const fields = bodyFields(operation, draft);
  const takesFile = operation.archive === 'taken' || fields.some(({ kind }) => kind === 'file');
  const file = takesFile ? draft.file : undefined;
  const key = operation.keyed ? values[KEY_FIELD] : undefined;
  const body = json === undefined ? bodyOf(fields, values, file) : parsedObject('the body', json);
  const isSent = operation.body !== undefined || Object.keys(body).length > 0;
  return { path, query, body: isSent ? body : undefined, file, idempotencyKey: key || undefined };
}

function bodyOf(fields: readonly Field[], values: Draft['values'], file: File | undefined): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of fields) {
    const isOther = field.kind === 'file' || (field.name === 'url' && file !== undefined);
    const value = isOther ? undefined : fieldValue(field, values[field.name] ?? '');
    if (value !== undefined) body[field.name] = value;
  }
  return body;
}

/** Undefined: the field is omitted. */
function fieldValue({ name, kind, isRequired, isNullable, options }: Field, written: string): unknown {
  if (isNullable && written === 'null') return null;
  if (kind === 'choice' && isRequired) return options.includes(written) ? written : options[0];
  if (kind === 'flag' && isRequired) return written === 'true';
  if (kind === 'lines') {
    const lines = written.split('\n').map((line) => line.trim());
    const given = lines.filter(Boolean);
    return given.length > 0 || isRequired ? given : undefined;
  }
  if (written === '') return isRequired ? '' : undefined;
  if (kind === 'number') return Number(written);
  if (kind === 'flag') return written === 'true';
  return kind === 'json' ? parsed(name, written) : written;
}

function parsed(what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${what} is not valid JSON`);
  }
}

function parsedObject(what: string, text: string): Record<string, unknown> {
  const value = text.trim() === '' ? {} : parsed(what, text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Error(`${what} must be an object of JSON`);
}

/** An example in the form of user input. */
export function writtenExample(values: Readonly<Record<string, unknown>>): Record<string, string> {
  const written = Object.entries(values).map(([name, value]) => [name, writtenValue(value)]);
  return Object.fromEntries(written);
}

function writtenValue(value: unknown): string {
  if (typeof value === 'string') return value;
  const isList = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return isList ? value.join('\n') : JSON.stringify(value);
}
