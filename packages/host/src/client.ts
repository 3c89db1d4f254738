import {
  answersMedia,
  type Download,
  errorCode,
  errorText,
  fieldIssue,
  GatewayError,
  type KeyedOptions,
  type Operation,
  type OperationMethods,
  operations,
} from '@chat-web/protocol';
import * as v from 'valibot';
import { ask, type GatewayAddress } from './transport.ts';

type Input = Readonly<Record<string, unknown>>;

/** The gateway's own limits end a request first; this one is for a gateway that does not answer. */
const GRACE_MS = 5_000;

/**
 * Creates a client with one method for each operation of the gateway, such as `sendMessage`. Path parameters and body
 * are fields of one object. A method rejects with the GatewayError that the gateway answered, with its `code`, `issues`,
 * `retryAfterSeconds` and `id`; with `internal_error` if the gateway cannot be reached, answers with something else, or not
 * in time.
 */
export function createClient(address: GatewayAddress): OperationMethods {
  const methods = Object.entries<Operation>(operations).map(([name, operation]) => [
    name,
    (input: Input = {}, options: KeyedOptions = {}) => request(address, name, operation, input, options),
  ]);
  return Object.fromEntries(methods) as OperationMethods;
}

async function request(
  address: GatewayAddress,
  name: string,
  operation: Operation,
  input: Input,
  { idempotencyKey }: KeyedOptions,
): Promise<unknown> {
  const { method, timeoutMs } = operation;
  const { path, rest } = fillPath(operation.path, input);
  const body = operation.body ? JSON.stringify(rest) : undefined;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error('it took too long')), timeoutMs + GRACE_MS);
  const headers: Record<string, string> = body ? { 'Content-Type': 'application/json' } : {};
  if (idempotencyKey !== undefined) headers['Idempotency-Key'] = idempotencyKey;
  const response = await ask(address, path, { method, headers, body, signal: late.signal })
    .catch((error: unknown) => {
      throw new GatewayError('internal_error', `the gateway did not answer ${name} (${errorText(error)})`);
    })
    // The time limit ends with the headers: reading media takes as long as their size needs.
    .finally(() => clearTimeout(timer));
  if (response.ok && answersMedia(operation)) return download(response);
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw answeredError(name, response, answer);
  const parsed = v.safeParse(operation.answer, answer);
  if (parsed.success) return parsed.output;
  throw new GatewayError('internal_error', `the gateway gave an invalid answer to ${name}`);
}

function download(response: Response): Download | null {
  const { status, headers, body } = response;
  if (status === 204 || !body) return null;
  const name = /filename\*=UTF-8''([^;]+)/i.exec(headers.get('Content-Disposition') ?? '')?.[1];
  const plain = /filename="((?:[^"\\]|\\.)*)"|filename=([^;"]+)/i.exec(headers.get('Content-Disposition') ?? '');
  const filename = name ? decoded(name) : (plain?.[1]?.replace(/\\(.)/g, '$1') ?? plain?.[2]);
  return {
    data: body,
    size: Number(headers.get('Content-Length')),
    mimeType: headers.get('Content-Type') ?? 'application/octet-stream',
    ...(filename ? { filename } : {}),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Fills the parameters into the path; the rest of the input is the body. */
function fillPath(pattern: string, input: Input): { path: string; rest: Input } {
  const rest: Record<string, unknown> = { ...input };
  const path = pattern.replace(/:(\w+)/g, (_, name: string) => {
    delete rest[name];
    return encodeURIComponent(String(input[name]));
  });
  return { path, rest };
}

const errorBody = v.object({
  error: v.string(),
  code: errorCode,
  issues: v.optional(v.array(fieldIssue)),
  id: v.optional(v.string()),
});

/** The error in a response's body, or `internal_error` with the status if the body has none. */
export function answeredError(name: string, { status, headers }: Response, body: unknown): GatewayError {
  const [retryAfter] = /^\d+$/.exec(headers.get('Retry-After') ?? '') ?? []; // A proxy may give a date.
  const retryAfterSeconds = retryAfter === undefined ? undefined : Number(retryAfter);
  const parsed = v.safeParse(errorBody, body);
  if (!parsed.success)
    return new GatewayError('internal_error', `${name} was answered with status ${status}`, { retryAfterSeconds });
  const { code, error, issues, id } = parsed.output;
  return new GatewayError(code, error, { issues, retryAfterSeconds, id });
}
