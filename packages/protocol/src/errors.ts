import * as v from 'valibot';
import { sentence } from './limits.ts';

/**
 * For errors after which another attempt may succeed. `always`: nothing was carried out, so that any request may be
 * repeated. `repeatable`: it needs an operation that is safe to repeat.
 */
type Retry = 'always' | 'repeatable';

interface LastingError {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 416 | 422 | 500 | 501;
  readonly when: string;
  readonly retry?: Retry;
}

interface PassingError {
  readonly status: 429 | 503;
  readonly when: string;
  readonly retry: Retry;
}

export type ErrorEntry = LastingError | PassingError;

/** Every error code of the gateway. The code is the identity of an error; its text is for people. */
export const errorTable = {
  invalid_request: {
    status: 400,
    when: 'a field or parameter is missing, invalid or unknown, or the JSON or an id is malformed',
  },
  unauthorized: { status: 401, when: 'the bearer token or key is missing, malformed, wrong or expired' },
  forbidden: {
    status: 403,
    when: 'the request comes from another web page, its Host is not allowed, or no gateway of the cluster forwarded it',
  },
  not_permitted: { status: 403, when: 'the network does not allow this account to do it' },
  insufficient_scope: { status: 403, when: 'the scope of the key is insufficient' },
  recipient_not_allowed: { status: 403, when: 'the key may not write to this recipient' },
  session_not_found: {
    status: 404,
    when: 'no session with this id runs or has saved auth, or the key does not cover it',
  },
  message_not_found: { status: 404, when: 'the message is unknown' },
  chat_not_found: { status: 404, when: 'the group, invite or chat is unknown' },
  recipient_not_found: { status: 404, when: 'the recipient is not registered on the network' },
  contact_not_found: { status: 404, when: 'the account has no such contact' },
  call_not_found: { status: 404, when: 'no call with this id is ringing' },
  media_not_found: { status: 404, when: 'the message has no media, or the network no longer has it' },
  qr_not_available: {
    status: 404,
    when: 'the session is not in status qr, or it shows no QR: the message says why',
  },
  key_not_found: { status: 404, when: 'there is no key with this id' },
  host_not_found: { status: 404, when: 'there is no host with this id in the cluster' },
  webhook_not_found: { status: 404, when: 'there is no webhook with this id, or the key does not cover its sessions' },
  route_not_found: { status: 404, when: 'no route has this path' },
  method_not_allowed: { status: 405, when: 'the path does not support the method; see Allow' },
  request_timeout: {
    status: 408,
    when: 'the body arrived too slowly: less than 1 KB/s over 30 s, or nothing for 10 s',
    retry: 'repeatable',
  },
  session_not_ready: { status: 409, when: 'the session is not in status ready' },
  session_moved: {
    status: 409,
    when: 'the session was moved to another gateway; it starts here only if it is taken back',
  },
  session_exists: { status: 409, when: 'a session with this id has saved auth here, or is being linked' },
  session_not_exportable: {
    status: 409,
    when: 'the session has no saved auth, or its profile cannot be archived',
  },
  stale_export: { status: 409, when: 'the session has run on this gateway after the archive was made' },
  idempotency_in_progress: {
    status: 409,
    when: 'the first request with this Idempotency-Key is still in progress',
    retry: 'repeatable',
  },
  already_linked: { status: 409, when: 'the session is ready, or a session of this gateway has the number' },
  host_is_live: { status: 409, when: 'the host sent a heartbeat less than 30 s ago' },
  edit_window_closed: { status: 409, when: 'the message is too old to be edited' },
  body_too_large: {
    status: 413,
    when: 'the body is larger than CHAT_WEB_MAX_BODY_BYTES or CHAT_WEB_IMPORT_MAX_MB, has more than 512 KB apart from its base64, or is an archive whose state is more than a quarter of CHAT_WEB_JOURNAL_MAX_MB',
  },
  unsupported_media_type: {
    status: 415,
    when: 'the Content-Type must be application/json, or application/x-tar for an import; the Content-Encoding must be gzip or deflate, if there is one',
  },
  range_not_satisfiable: { status: 416, when: 'the Range begins after the end of the file; see Content-Range' },
  media_unavailable: {
    status: 422,
    when: 'the media url could not be fetched, its address is not allowed, or the file is too large or cannot be sent as this kind of media',
  },
  url_not_allowed: {
    status: 422,
    when: 'the url of a webhook is not https on a public address, or that of a proxy is not on one; see CHAT_WEB_WEBHOOK_HOSTS and CHAT_WEB_PROXY_HOSTS',
  },
  invalid_archive: { status: 422, when: 'the archive is not a complete export of this session' },
  idempotency_key_reused: { status: 422, when: 'this Idempotency-Key was used for another request' },
  rate_limited: {
    status: 429,
    when: 'the network or a quota limits the rate, or too many wrong tokens were sent; see Retry-After',
    retry: 'always',
  },
  too_many_streams: { status: 429, when: 'too many event streams are open; see Retry-After', retry: 'always' },
  client_failed: { status: 500, when: 'the web client failed; nothing was sent' },
  session_lost: {
    status: 500,
    when: 'the session failed, or the request timed out; nothing was changed',
    retry: 'repeatable',
  },
  outcome_unknown: {
    status: 500,
    when: 'the session failed, or the request timed out; the request may have taken effect',
    retry: 'repeatable',
  },
  internal_error: { status: 500, when: 'the gateway itself failed' },
  page_unsupported: {
    status: 501,
    when: 'this build of the page lacks a part that the operation needs; nothing was sent; see the status of the session',
  },
  insufficient_resources: {
    status: 503,
    when: 'the host is short of memory or disk, or a limit of the gateway is reached; the message names it',
    retry: 'always',
  },
  session_moving: {
    status: 503,
    when: 'the session is being moved to another host; nothing was sent; see Retry-After',
    retry: 'always',
  },
  host_unreachable: { status: 503, when: 'the host of the session does not answer; nothing was sent', retry: 'always' },
  engine_unavailable: {
    status: 503,
    when: 'the database of the cluster cannot be reached; sessions and sends go on',
    retry: 'repeatable',
  },
  shutting_down: { status: 503, when: 'the gateway is stopping and accepts no new work', retry: 'always' },
} as const satisfies Record<string, ErrorEntry>;

/** The identity of an error: `code` in an error body. */
export type ErrorCode = keyof typeof errorTable;

/** Whether another attempt may succeed after an error with this code, and of which requests. */
export function retryOf(code: ErrorCode): Retry | undefined {
  const { retry }: ErrorEntry = errorTable[code];
  return retry;
}

/** An error code from another process. */
export const errorCode = v.picklist(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]);

/** One invalid field of a request, without its value. */
export const fieldIssue = v.object({ path: sentence, message: sentence });
export type FieldIssue = Readonly<v.InferOutput<typeof fieldIssue>>;

export interface ErrorDetails {
  readonly issues?: readonly FieldIssue[] | undefined;
  /** When to retry; absent: the default of the code. */
  readonly retryAfterSeconds?: number | undefined;
  readonly id?: string | undefined;
  /** The HTTP status of the answer, if it is not that of the code; null if there was no answer. */
  readonly status?: number | null | undefined;
  /** The `X-Request-Id` of the answer, which is also in the gateway's log. */
  readonly requestId?: string | undefined;
  readonly cause?: unknown;
}

/** The one error type of the project: a code from the table, and a sentence that names the thing. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly issues: ErrorDetails['issues'];
  readonly retryAfterSeconds: ErrorDetails['retryAfterSeconds'];
  readonly id: ErrorDetails['id'];
  /** The HTTP status; undefined if the gateway did not answer. */
  readonly status: number | undefined;
  readonly requestId: ErrorDetails['requestId'];

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    const { issues, retryAfterSeconds, id, status = errorTable[code].status, requestId, cause } = details;
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'GatewayError';
    this.code = code;
    this.issues = issues;
    this.retryAfterSeconds = retryAfterSeconds;
    this.id = id;
    this.status = status ?? undefined;
    this.requestId = requestId;
  }
}

const MAX_ISSUES = 20;

/** A 400 that names the invalid fields, without their values. Path `''`: the whole body. */
export function invalidRequest(issues: readonly FieldIssue[]): GatewayError {
  const listed = issues.slice(0, MAX_ISSUES);
  const named = listed.map(({ path, message }) => (path ? `${path} ${message}` : message));
  if (issues.length > listed.length) named.push(`and ${issues.length - listed.length} more`);
  return new GatewayError('invalid_request', `the request is not valid: ${named.join('; ')}`, { issues: listed });
}

const errorBody = v.object({
  error: v.string(),
  code: errorCode,
  issues: v.optional(v.array(fieldIssue)),
  id: v.optional(v.string()),
});

/** A response, as `fetch` has it. */
interface ErrorResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
}

/** The error in a response's body, or `internal_error` with the status if the body has none. */
export function answeredError(name: string, { status, headers }: ErrorResponse, body: unknown): GatewayError {
  const [retryAfter] = /^\d+$/.exec(headers.get('Retry-After') ?? '') ?? []; // A proxy may send a date.
  const retryAfterSeconds = retryAfter === undefined ? undefined : Number(retryAfter);
  const details = { retryAfterSeconds, status, requestId: headers.get('X-Request-Id') ?? undefined };
  const parsed = v.safeParse(errorBody, body);
  if (!parsed.success) return new GatewayError('internal_error', `${name} returned status ${status}`, details);
  const { code, error, issues, id } = parsed.output;
  return new GatewayError(code, error, { ...details, issues, id });
}

/** Converts anything thrown to a GatewayError: itself if it is one, otherwise `code` with its message. */
export function asGatewayError(thrown: unknown, code: ErrorCode): GatewayError {
  return thrown instanceof GatewayError ? thrown : new GatewayError(code, errorText(thrown));
}

/**
 * The text of anything thrown, on one line: libraries throw strings, and put stacks into messages. For data that a
 * schema rejects, it names only the fields: the schema's own text would repeat their values.
 */
export function errorText(thrown: unknown): string {
  if (v.isValiError(thrown)) {
    const fields = thrown.issues.map((issue) => v.getDotPath(issue) ?? '(whole)').join(', ');
    return `invalid data (${fields})`;
  }
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.split('\n', 1)[0] ?? '';
}
