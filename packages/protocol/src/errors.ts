import * as v from 'valibot';
import { sentence } from './limits.ts';

/** What a code answers with, and when it is used. */
export interface ErrorEntry {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 422 | 429 | 500 | 501 | 503;
  readonly when: string;
}

/** Every error code of the gateway. The code is the identity of an error; its text is for people. */
export const errorTable = {
  invalid_request: { status: 400, when: 'a field is missing or of a bad type, malformed JSON, a bad id' },
  unauthorized: { status: 401, when: 'the bearer token or key is absent, malformed, wrong or expired' },
  forbidden: { status: 403, when: 'the request comes from another web page, or has a foreign Host' },
  not_permitted: { status: 403, when: 'the network refuses it to this account' },
  insufficient_scope: { status: 403, when: 'the key does not go so far' },
  session_not_found: { status: 404, when: 'no session of that id runs or has saved auth, or the key is not for it' },
  message_not_found: { status: 404, when: 'the message named is unknown' },
  chat_not_found: { status: 404, when: 'the group or chat named is unknown' },
  recipient_not_found: { status: 404, when: 'the recipient is not registered on the network' },
  contact_not_found: { status: 404, when: 'the account has no such contact' },
  media_not_found: { status: 404, when: 'the message has no media, or the network has it no longer' },
  qr_not_available: { status: 404, when: 'the session is not in status qr' },
  key_not_found: { status: 404, when: 'there is no key of that id' },
  route_not_found: { status: 404, when: 'no route has that path' },
  method_not_allowed: { status: 405, when: 'the path has no such method; Allow names those it has' },
  request_timeout: { status: 408, when: 'the body came too slowly: less than 1 KB/s over 30 s, or nothing for 10 s' },
  session_not_ready: { status: 409, when: 'the session is known, but not in status ready' },
  edit_window_closed: { status: 409, when: 'the message is too old to be edited' },
  body_too_large: {
    status: 413,
    when: 'the body is larger than CHAT_WEB_MAX_BODY_BYTES, or has more than 512 KB beside its base64',
  },
  unsupported_media_type: { status: 415, when: 'the body does not say that it is JSON in its Content-Type' },
  media_unavailable: {
    status: 422,
    when: 'the media url could not be fetched, is too large, or names a place that is not allowed',
  },
  rate_limited: { status: 429, when: 'the network, a quota, or too many wrong tokens; Retry-After says for how long' },
  too_many_streams: { status: 429, when: 'as many event streams are open as may be; Retry-After says when to retry' },
  client_failed: { status: 500, when: 'the web client refused or threw; nothing was sent' },
  session_lost: { status: 500, when: 'the session died, or the time ran out, during a request that changes nothing' },
  outcome_unknown: { status: 500, when: 'the same during a request that changes something: it may have happened' },
  internal_error: { status: 500, when: 'a fault of the gateway itself' },
  page_unsupported: {
    status: 501,
    when: 'this build of the page lacks what the operation needs; nothing was sent, and the status of the session says more',
  },
  insufficient_resources: {
    status: 503,
    when: 'the host is short of memory or disk, or a limit of the gateway is reached; the text says of what',
  },
  shutting_down: { status: 503, when: 'the gateway is stopping and takes no new work' },
} as const satisfies Record<string, ErrorEntry>;

/** The identity of an error, as it stands in `code` of an error body. */
export type ErrorCode = keyof typeof errorTable;

/** The code of an error, as it comes from another process. */
export const errorCode = v.picklist(Object.keys(errorTable) as [ErrorCode, ...ErrorCode[]]);

/** One field of a request that is not as it should be; the value sent is never repeated. */
export const fieldIssue = v.object({ path: sentence, message: sentence });
export type FieldIssue = Readonly<v.InferOutput<typeof fieldIssue>>;

/** What an error may say beside its code and its sentence. */
export interface ErrorDetails {
  readonly issues?: readonly FieldIssue[] | undefined;
  /** When another try is worth it; absent: as long as is usual for the code. */
  readonly retryAfterSeconds?: number | undefined;
}

/** The one error type of the project: a code from the table, and a sentence that names the thing. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly issues: ErrorDetails['issues'];
  readonly retryAfterSeconds: ErrorDetails['retryAfterSeconds'];

  constructor(code: ErrorCode, message: string, { issues, retryAfterSeconds }: ErrorDetails = {}) {
    super(message);
    this.name = 'GatewayError';
    this.code = code;
    this.issues = issues;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** How many bad fields an answer lists. */
const MOST_ISSUES = 20;

/** A 400 that names what is wrong, without the values sent. Path `''` stands for the body as a whole. */
export function invalidRequest(issues: readonly FieldIssue[]): GatewayError {
  const listed = issues.slice(0, MOST_ISSUES);
  const named = listed.map(({ path, message }) => (path ? `${path} ${message}` : message));
  if (issues.length > listed.length) named.push(`and ${issues.length - listed.length} more`);
  return new GatewayError('invalid_request', `the request is not valid: ${named.join('; ')}`, { issues: listed });
}

/** Any thrown thing as a GatewayError: its own if it is one, else `code` with its message. */
export function asGatewayError(thrown: unknown, code: ErrorCode): GatewayError {
  return thrown instanceof GatewayError ? thrown : new GatewayError(code, errorText(thrown));
}

/**
 * The text of anything that was thrown, on one line: libraries throw strings and worse, and put stacks into messages. Of
 * data that a schema refuses, the fields are named; the schema's own text would repeat what was in them.
 */
export function errorText(thrown: unknown): string {
  if (v.isValiError(thrown)) {
    const fields = thrown.issues.map((issue) => v.getDotPath(issue) ?? '(whole)').join(', ');
    return `it is not of the form that was expected (${fields})`;
  }
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.split('\n', 1)[0] ?? '';
}
