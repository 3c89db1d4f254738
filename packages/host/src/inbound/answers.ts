/** A refusal: `{error, code}`, like the gateway's own errors. It repeats nothing from the request. */
export function refused(status: number, code: string, error: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error, code }, { status, headers: { 'X-Content-Type-Options': 'nosniff', ...headers } });
}

/** 405 with the methods that the path allows. */
export function wrongMethod(...allowed: readonly string[]): Response {
  const methods = allowed.join(', ');
  return refused(405, 'method_not_allowed', `use ${methods}`, { Allow: methods });
}

/** When a sender may try again while we are overloaded. */
const RETRY_AFTER_SECONDS = 5;

/** 503: asks the sender to repeat the request. */
export function serviceUnavailable(code: string, error: string): Response {
  return refused(503, code, error, { 'Retry-After': String(RETRY_AFTER_SECONDS) });
}
