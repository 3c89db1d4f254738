/** An answer without content. */
export function accepted(): Response {
  return new Response(null, { status: 204 });
}

/** An answer of plain text, which no browser takes for anything else. */
export function plainText(status: number, text: string): Response {
  return new Response(text, {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' },
  });
}

/** A refusal: `{error, code}` as the gateway's own errors have it. Nothing of the request is repeated in it. */
export function refused(status: number, code: string, error: string, headers: Record<string, string> = {}): Response {
  return Response.json({ error, code }, { status, headers: { 'X-Content-Type-Options': 'nosniff', ...headers } });
}

/** 405 with the methods that the path has. */
export function wrongMethod(...allowed: readonly string[]): Response {
  const methods = allowed.join(', ');
  return refused(405, 'method_not_allowed', `use ${methods}`, { Allow: methods });
}

/** Seconds after which a sender may try again, where we are not able to take more at the moment. */
const RETRY_AFTER_SECONDS = 5;

/** 503: the sender is to repeat it. */
export function comeBackLater(code: string, error: string): Response {
  return refused(503, code, error, { 'Retry-After': String(RETRY_AFTER_SECONDS) });
}
