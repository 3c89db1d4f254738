import { GatewayError, type Operation } from '@chat-web/protocol';

/** The gateway has not carried these out: they may be tried again, whatever they are. */
const REFUSED = ['rate_limited', 'too_many_streams', 'insufficient_resources', 'shutting_down'];
/** What a repetition may get over where it does no harm. */
const PASSING = ['idempotency_in_progress', 'outcome_unknown', 'session_lost', 'request_timeout'];
/** A proxy could not reach the gateway, or lost it. */
const PROXY_STATUSES = [502, 503, 504];

const FIRST_WAIT_MS = 250;
const MAX_WAIT_MS = 10_000;

/** True if repeating an operation does what doing it once does. `hasKey`: it has an Idempotency-Key. */
export function isRepeatable({ method, keyed }: Operation, hasKey: boolean): boolean {
  return method === 'GET' || method === 'PUT' || (keyed !== undefined && hasKey);
}

/** True if another attempt may succeed, and cannot do harm. */
export function isWorthAnother(error: unknown, canRepeat: boolean): boolean {
  if (!(error instanceof GatewayError)) return false;
  const { code, status } = error;
  if (REFUSED.includes(code)) return true;
  if (!canRepeat) return false;
  const isLost = code === 'internal_error' && (status === undefined || PROXY_STATUSES.includes(status));
  return isLost || PASSING.includes(code);
}

/** How long to wait before the next attempt: as asked for, else longer each time, with jitter. In ms. */
export function waitBefore(attempt: number, error: unknown): number {
  const { retryAfterSeconds } = error instanceof GatewayError ? error : {};
  if (retryAfterSeconds !== undefined) return retryAfterSeconds * 1_000;
  return Math.min(FIRST_WAIT_MS * 2 ** attempt, MAX_WAIT_MS) * (0.5 + Math.random() / 2);
}
