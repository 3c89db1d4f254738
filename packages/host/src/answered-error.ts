import { errorCode, fieldIssue, GatewayError } from '@chat-web/protocol';
import * as v from 'valibot';

const errorBody = v.object({
  error: v.string(),
  code: errorCode,
  issues: v.optional(v.array(fieldIssue)),
  id: v.optional(v.string()),
});

/** The error in a response's body, or `internal_error` with the status if the body has none. */
export function answeredError(name: string, { status, headers }: Response, body: unknown): GatewayError {
  const [retryAfter] = /^\d+$/.exec(headers.get('Retry-After') ?? '') ?? []; // A proxy may send a date.
  const retryAfterSeconds = retryAfter === undefined ? undefined : Number(retryAfter);
  const details = { retryAfterSeconds, status, requestId: headers.get('X-Request-Id') ?? undefined };
  const parsed = v.safeParse(errorBody, body);
  if (!parsed.success) return new GatewayError('internal_error', `${name} was answered with status ${status}`, details);
  const { code, error, issues, id } = parsed.output;
  return new GatewayError(code, error, { ...details, issues, id });
}
