import { GatewayError } from '@chat-web/protocol';
import { backoffMs } from './wait.ts';

/** The gateway did not carry these requests out: any of them may be retried. */
const REFUSED = ['rate_limited', 'too_many_streams', 'insufficient_resources', 'shutting_down'];
/** A retry may succeed; it needs an operation that is safe to repeat. */
const PASSING = ['idempotency_in_progress', 'outcome_unknown', 'session_lost', 'request_timeout'];
/** A proxy could not reach the gateway, or lost it. */
const PROXY_STATUSES = [502, 503, 504];

const BACKOFF = { firstMs: 250, longestMs: 10_000 };

/** True for a status with which a proxy reports that it has no answer from the gateway. */
export function isOfProxy(status: number): boolean {
  return PROXY_STATUSES.includes(status);
}

/** True if another attempt may succeed, and does no harm. */
export function isWorthAnother(error: unknown, canRepeat: boolean): boolean {
  if (!(error instanceof GatewayError)) return false;
  const { code, status } = error;
  if (isRefused(error)) return true;
  if (!canRepeat) return false;
  const isLost = code === 'internal_error' && (status === undefined || isOfProxy(status));
  return isLost || PASSING.includes(code);
}

/** True if the gateway has certainly not carried the request out. */
export function isRefused(error: unknown): boolean {
  return error instanceof GatewayError && REFUSED.includes(error.code);
}

/**
 * How long to wait before the next attempt, in ms: as requested by the gateway, otherwise longer each time, with
 * jitter.
 */
export function waitBefore(attempt: number, error: unknown): number {
  const { retryAfterSeconds } = error instanceof GatewayError ? error : {};
  return retryAfterSeconds === undefined ? backoffMs(BACKOFF, attempt + 1) : retryAfterSeconds * 1_000;
}
