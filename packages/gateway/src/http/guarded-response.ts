import { type IncomingMessage, ServerResponse } from 'node:http';

/**
 * What every answer has. No page of another origin may use one, not even as an image or a script whose content it
 * cannot read; no browser guesses a type; nothing is kept in a cache, and no address is handed on.
 */
const HEADERS = {
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;

/** A response of Node's that has them from the start, also where Node itself answers; routes may set others. */
export class GuardedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  constructor(...args: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...args);
    for (const [name, value] of Object.entries(HEADERS)) this.setHeader(name, value);
  }
}

const REASONS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** The whole answer to what is no request, by the code of the error that it caused; none where it was not even HTTP. */
export function answerToNoRequest(code: string): string | undefined {
  const reason = REASONS[code] ?? (code.startsWith('HPE_') ? '400 Bad Request' : undefined);
  if (reason === undefined) return undefined;
  const lines = Object.entries({ ...HEADERS, Connection: 'close', 'Content-Length': '0' });
  return [`HTTP/1.1 ${reason}`, ...lines.map(([name, value]) => `${name}: ${value}`), '\r\n'].join('\r\n');
}
