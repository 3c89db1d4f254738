import { type IncomingHttpHeaders, request } from 'node:http';
import { request as secureRequest } from 'node:https';

/** A request as bytes on the wire: headers and path are not normalized, unlike with fetch. */
export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** The certificate to trust, over HTTPS. */
  readonly ca?: string;
}

/** The response. `body` is the text parsed as JSON, if it is JSON. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: {
    readonly code?: string;
    readonly error?: string;
    readonly issues?: { path: string; message: string }[];
  };
}

const TIMEOUT_MS = 60_000;

/** Sends one request, for a `unix:` url through that socket. Rejects if there is no response within a minute. */
export function rawRequest(
  url: string,
  { method = 'GET', path, headers = {}, body, ca }: RawRequest,
): Promise<RawAnswer> {
  const { protocol, hostname, port, pathname } = new URL(url);
  const target = protocol === 'unix:' ? { socketPath: pathname, host: 'localhost' } : { hostname, port };
  const send = protocol === 'https:' ? secureRequest : request;
  return new Promise((resolve, reject) => {
    const outgoing = send(
      {
        ...target,
        method,
        path,
        headers,
        timeout: TIMEOUT_MS,
        agent: false,
        ...(ca ? { ca, servername: 'localhost' } : {}),
      },
      (incoming) => {
        let text = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => {
          text += chunk;
        });
        incoming.on('end', () => {
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, body: parse(text) });
        });
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer to ${method} ${path}`)));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function parse(text: string): RawAnswer['body'] {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
