import { GatewayError, retryOf } from '@chat-web/protocol';

/** A proxy could not reach the gateway, or lost it. */
const PROXY_STATUSES = [502, 503, 504];

const BACKOFF = { firstMs: 250, maxMs: 10_000 };

/** True for a status with which a proxy reports that it has no response from the gateway. */
export function isOfProxy(status: number): boolean {
  return PROXY_STATUSES.includes(status);
}

/** True if another attempt may succeed, and does no harm. */
export function shouldRetry(error: unknown, canRepeat: boolean): boolean {
  if (!(error instanceof GatewayError)) return false;
  const { code, status } = error;
  if (isRefused(error)) return true;
  if (!canRepeat) return false;
  const isLost = code === 'internal_error' && (status === undefined || isOfProxy(status));
  return isLost || retryOf(code) === 'repeatable';
}

/** True if the gateway has certainly not carried the request out. */
export function isRefused(error: unknown): boolean {
  return error instanceof GatewayError && retryOf(error.code) === 'always';
}

/**
 * How long to wait before the next attempt, in ms: as requested by the gateway, otherwise longer each time, with
 * jitter.
 */
export function waitBefore(attempt: number, error: unknown): number {
  const { retryAfterSeconds } = error instanceof GatewayError ? error : {};
  return retryAfterSeconds === undefined ? backoffMs(BACKOFF, attempt + 1) : retryAfterSeconds * 1_000;
}

/** Milliseconds of a wait that doubles from `firstMs` to `maxMs`. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** The longest that a gateway, or a proxy in front of it, can make us wait. */
const MAX_RETRY_AFTER_MS = 3_600_000;

/** How long to wait after this many failures in a row (1 is the first), with jitter of half of it. */
export function backoffMs({ firstMs, maxMs }: Backoff, failures: number): number {
  return Math.min(firstMs * 2 ** Math.min(failures - 1, 30), maxMs) * (0.5 + Math.random() / 2);
}

/** The same, but no earlier than requested; clients with the same request do not all return at once. */
export function requestedBackoffMs(backoff: Backoff, failures: number, requestedSeconds: number | undefined): number {
  const ownMs = backoffMs(backoff, failures);
  if (requestedSeconds === undefined) return ownMs;
  return Math.max(ownMs, Math.min(requestedSeconds * 1_000, MAX_RETRY_AFTER_MS) + Math.random() * backoff.firstMs);
}
