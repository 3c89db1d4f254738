import { type IncomingMessage, ServerResponse } from 'node:http';

/**
 * Headers of every response. Pages of other origins cannot embed one, not even as an image or script. Browsers do not
 * guess the type, cache the response or send its URL as a referrer.
 */
const HEADERS = {
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;

const ENTRIES = Object.entries(HEADERS);

/** A Node response with these headers, including those that Node itself sends. Routes can override them. */
export class GuardedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  constructor(...args: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...args);
    for (const [name, value] of ENTRIES) this.setHeader(name, value);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** The raw response to an invalid HTTP request, by the parser's error code; undefined if the input is not HTTP. */
export function answerToInvalidRequest(code: string): string | undefined {
  const reason = REASONS[code] ?? (code.startsWith('HPE_') ? '400 Bad Request' : undefined);
  if (reason === undefined) return undefined;
  const lines = [...ENTRIES, ['Connection', 'close'], ['Content-Length', '0']];
  return [`HTTP/1.1 ${reason}`, ...lines.map(([name, value]) => `${name}: ${value}`), '\r\n'].join('\r\n');
}
