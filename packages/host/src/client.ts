import {
  ARCHIVE_TYPE,
  type ArchiveDownload,
  type ArchiveInput,
  answeredError,
  answersMedia,
  bodyFields,
  type CallOptions,
  changesSomething,
  type Download,
  type ErrorDetails,
  errorText,
  GatewayError,
  type InputOf,
  isRepeatable,
  type KeyedOptions,
  type Message,
  type Operation,
  type OperationMethods,
  operations,
  pathOf,
  pause,
  unlessAborted,
} from '@chat-web/protocol';
import * as v from 'valibot';
import { jsonOf } from './json-of.ts';
import { archiveBody, jsonBody, type RequestBody } from './request-body.ts';
import { isOfProxy, isRefused, shouldRetry, waitBefore } from './retry.ts';
import { AddressError, ask, type GatewayAddress } from './transport.ts';

type Input = Readonly<Record<string, unknown>>;

export interface ClientOptions extends Pick<CallOptions, 'retries' | 'timeoutMs'> {
  /** Called before each retry, such as for a log. */
  onRetry?(retry: Retry): void;
}

export interface Retry {
  /** The method, such as `sendMessage`. */
  readonly operation: string;
  /** 1 for the first retry. */
  readonly attempt: number;
  readonly error: GatewayError;
  readonly waitMs: number;
}

const DEFAULT_RETRIES = 3;
/** The gateway's own limits end a request first; this is for a gateway that does not respond. */
const GRACE_MS = 5_000;
const FOR_RETRIES_MS = 30_000;
/** The connection failed: nothing was sent. */
const NOT_CONNECTED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT', 'EACCES', 'UND_ERR_CONNECT_TIMEOUT'];

/**
 * Creates a client with one method for each operation of the gateway, such as `sendMessage`. Path parameters and body
 * are fields of one object; a second object has the options of the call.
 *
 * A method rejects with a GatewayError: the error that the gateway returned, with its `code`, `status`, `requestId`,
 * `issues`, `retryAfterSeconds` and `id`. The code is `internal_error` if the gateway cannot be reached or its response
 * is invalid; `outcome_unknown` if the response to a call that may have changed something was lost; `invalid_request`
 * for an invalid address. `status` is undefined without a response. An aborted call rejects with the reason of its
 * signal.
 *
 * Calls that are safe to repeat are retried: reads, PUT, sends (each has an Idempotency-Key), and all calls that the
 * gateway refused for the moment.
 *
 * @example
 * const client = createClient({ url: 'http://127.0.0.1:3000', token });
 * const { id } = await client.sendMessage({ id: 'main', type: 'text', to: '+12025550102', body: 'Hello' });
 */
export function createClient(address: GatewayAddress, options: ClientOptions = {}): OperationMethods {
  const methods = Object.entries<Operation>(operations).map(([name, operation]) => [
    name,
    (input: Input = {}, own: KeyedOptions = {}) => call(address, name, operation, input, { ...options, ...own }),
  ]);
  return Object.fromEntries(methods) as OperationMethods; // One for each row: the loop above.
}

type AllOptions = ClientOptions & KeyedOptions;

async function call(
  address: GatewayAddress,
  name: string,
  operation: Operation,
  input: Input,
  options: AllOptions,
): Promise<unknown> {
  const { retries = DEFAULT_RETRIES, timeoutMs, signal, idempotencyKey: given, onRetry } = options;
  const path = pathOf(operation, input, segmentOf);
  const rest = bodyFields(operation, input);
  const body = bodyOf(operation, rest);
  const canRetry = retries > 0 && body?.isRepeatable !== false;
  let key = given ?? (operation.keyed && canRetry ? crypto.randomUUID() : undefined);
  const deadline = performance.now() + (timeoutMs ?? operation.timeoutMs + GRACE_MS + (canRetry ? FOR_RETRIES_MS : 0));
  /** True if an attempt may have been carried out. */
  let mayBeDone = false;
  try {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await request(address, name, operation, {
          path,
          body,
          headers: headersOf(operation, rest, body, key),
          deadline,
          signal,
        });
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof GatewayError)) throw error;
        // This page can send, but not with a chosen id. Nothing was sent.
        const isKeyRefused = key !== undefined && given === undefined && error.code === 'page_unsupported';
        if (isKeyRefused && !mayBeDone) {
          key = undefined;
          attempt -= 1; // Happens once: the key is gone now.
          continue;
        }
        if (isKeyRefused) throw new GatewayError('outcome_unknown', error.message, { cause: error });
        if (!isRefused(error)) mayBeDone = true;
        const waitMs = waitBefore(attempt, error);
        const isOver = !canRetry || attempt >= retries || performance.now() + waitMs >= deadline;
        if (isOver || !shouldRetry(error, isRepeatable(operation, key !== undefined))) throw error;
        onRetry?.({ operation: name, attempt: attempt + 1, error, waitMs });
        await pause(waitMs, signal ?? NEVER);
        signal?.throwIfAborted();
      }
    }
  } catch (error) {
    body?.cancel(error);
    throw error;
  }
}

const NEVER = new AbortController().signal;

function bodyOf(operation: Operation, rest: Input): RequestBody | undefined {
  if (operation.archive === 'taken') return archiveBody(rest as unknown as ArchiveInput);
  const isSent = operation.body || (operation.optionalBody && Object.keys(rest).length > 0);
  return isSent ? jsonBody(rest) : undefined;
}

interface Attempt {
  readonly path: string;
  readonly body: RequestBody | undefined;
  readonly headers: Record<string, string>;
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
}

async function request(
  address: GatewayAddress,
  name: string,
  operation: Operation,
  { path, body, headers, deadline, signal }: Attempt,
): Promise<unknown> {
  signal?.throwIfAborted();
  const isArchive = operation.archive === 'answered';
  const isDownload = answersMedia(operation) || isArchive;
  const late = new AbortController();
  const over = signal && isDownload ? AbortSignal.any([signal, late.signal]) : late.signal;
  const onAbort = () => late.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  const limitMs = Math.max(0, Math.min(operation.timeoutMs + GRACE_MS, deadline - performance.now()));
  const timer = setTimeout(() => late.abort(new Error('it took too long')), limitMs);
  try {
    const made = body && (await unlessAborted(body.make(), over, () => undefined));
    if (over.aborted)
      throw new GatewayError('internal_error', `${name} was not sent: its media took too long`, { status: null });
    const response = await ask(address, path, { method: operation.method, headers, body: made, signal: over }).catch(
      (error: unknown) => {
        throw unanswered(name, operation, error);
      },
    );
    // The time limit ends with the headers: reading media takes as long as their size needs. An abort still ends it.
    if (response.ok && isArchive) return archiveOf(response);
    return response.ok && isDownload ? downloadOf(response) : await answerOf(name, operation, response);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

function headersOf(
  { archive }: Operation,
  { contentDigest }: Input,
  body: RequestBody | undefined,
  key: string | undefined,
): Record<string, string> {
  const isArchive = archive === 'taken';
  const headers = {
    ...(body ? { 'Content-Type': isArchive ? ARCHIVE_TYPE : 'application/json' } : {}),
    ...(isArchive && contentDigest !== undefined ? { 'Content-Digest': String(contentDigest) } : {}),
    ...(key === undefined ? {} : { 'Idempotency-Key': key }),
  };
  try {
    new Headers(headers);
  } catch {
    const issues = [{ path: 'idempotencyKey', message: 'must be 1 to 255 printable ASCII characters' }];
    throw new GatewayError('invalid_request', 'the idempotencyKey must be 1 to 255 printable ASCII characters', {
      issues,
      status: null,
    });
  }
  return headers;
}

async function answerOf(name: string, operation: Operation, response: Response): Promise<unknown> {
  const { status, headers } = response;
  const details = { status, requestId: headers.get('X-Request-Id') ?? undefined };
  const answer = await jsonOf(response).catch((error: unknown) => {
    throw lost(name, operation, error, { ...details, cause: error });
  });
  if (!response.ok) {
    const error = answeredError(name, response, answer);
    if (error.code === 'internal_error' && isOfProxy(status)) throw lost(name, operation, error, details);
    throw error;
  }
  const valid = v.safeParse(operation.answer, answer);
  if (valid.success) return valid.output;
  throw new GatewayError('internal_error', `the gateway returned an invalid response to ${name}`, details);
}

/**
 * The error of a call without a response: an operation that changes something may have been carried out, unless the
 * connection failed.
 */
function unanswered(name: string, operation: Operation, error: unknown): GatewayError {
  if (error instanceof AddressError) return error.toGatewayError();
  const cause = error instanceof Error && error.cause ? error.cause : error;
  const isNotSent = cause instanceof Error && 'code' in cause && NOT_CONNECTED.includes(String(cause.code));
  const details = { status: null, cause: error };
  if (!isNotSent) return lost(name, operation, cause, details);
  return new GatewayError('internal_error', `the gateway cannot be reached for ${name} (${errorText(cause)})`, details);
}

/** The error of a call whose request the gateway may have received. */
function lost(name: string, operation: Operation, error: unknown, details: ErrorDetails): GatewayError {
  const code = changesSomething(operation) ? 'outcome_unknown' : 'internal_error';
  return new GatewayError(code, `the gateway did not respond to ${name} (${errorText(error)})`, details);
}

/** A parameter as one segment of a path. */
function segmentOf(name: string, value: unknown): string {
  // `fetch` resolves dots, even if encoded: such an id, perhaps from a stranger, would lead to another route.
  const isSegment = typeof value === 'string' && value !== '' && value !== '.' && value !== '..';
  if (!isSegment) {
    const issue = { path: name, message: 'must be a text that is not empty, not . and not ..' };
    throw new GatewayError('invalid_request', `${name} ${issue.message}`, { issues: [issue], status: null });
  }
  return encodeURIComponent(value);
}

function downloadOf({ status, headers, body }: Response): Download | null {
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

function archiveOf({ headers, body, status }: Response): ArchiveDownload {
  const contentDigest = headers.get('Content-Digest');
  if (!body || contentDigest === null)
    throw new GatewayError('internal_error', 'the gateway returned an invalid response to exportSession', { status });
  return { data: body, size: Number(headers.get('Content-Length')), contentDigest };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A text to send: `id` of the session, `to`, `body`, and the other fields of `sendMessage` for a text. */
export type TextMessage = Extract<InputOf<'sendMessage'>, { readonly type: 'text' }>;

/**
 * Sends a text with `sendMessage`, and returns the sent message. Rejects like the methods of the client. With an
 * `idempotencyKey`, the text is sent once, however often this is called with it.
 */
export async function sendText(
  client: OperationMethods,
  text: TextMessage,
  options: KeyedOptions = {},
): Promise<Message> {
  const sent = await client.sendMessage(text, options);
  if ('timestamp' in sent) return sent;
  throw new Error('the gateway responded to a text as if it were a reaction');
}
