import { GatewayError } from '@chat-web/protocol';
import { backoffMs } from './wait.ts';

/** The gateway has not carried these out: they may be tried again, whatever they are. */
const REFUSED = ['rate_limited', 'too_many_streams', 'insufficient_resources', 'shutting_down'];
/** What a repetition may get over where it does no harm. */
const PASSING = ['idempotency_in_progress', 'outcome_unknown', 'session_lost', 'request_timeout'];
/** A proxy could not reach the gateway, or lost it. */
const PROXY_STATUSES = [502, 503, 504];

const BACKOFF = { firstMs: 250, longestMs: 10_000 };

/** True for a status with which a proxy says that it has no answer of the gateway. */
export function isOfProxy(status: number): boolean {
  return PROXY_STATUSES.includes(status);
}

/** True if another attempt may succeed, and cannot do harm. */
export function isWorthAnother(error: unknown, canRepeat: boolean): boolean {
  if (!(error instanceof GatewayError)) return false;
  const { code, status } = error;
  if (isRefused(error)) return true;
  if (!canRepeat) return false;
  const isLost = code === 'internal_error' && (status === undefined || isOfProxy(status));
  return isLost || PASSING.includes(code);
}

/** True if the gateway has surely carried nothing out. */
export function isRefused(error: unknown): boolean {
  return error instanceof GatewayError && REFUSED.includes(error.code);
}

/** How long to wait before the next attempt: as asked for, else longer each time, with jitter. In ms. */
export function waitBefore(attempt: number, error: unknown): number {
  const { retryAfterSeconds } = error instanceof GatewayError ? error : {};
  return retryAfterSeconds === undefined ? backoffMs(BACKOFF, attempt + 1) : retryAfterSeconds * 1_000;
}
