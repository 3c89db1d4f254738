import { type IncomingHttpHeaders, request } from 'node:http';

/** A request as bytes on the wire: headers and path as they are, which fetch would tidy up. */
export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** What came back; `body` is the text read as JSON, where it is JSON. */
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

const TIMEOUT_MS = 10_000;

/** Sends one request. Rejects if no answer comes within 10 s. */
export function rawRequest(url: string, { method = 'GET', path, headers = {}, body }: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { hostname, port, method, path, headers, timeout: TIMEOUT_MS, agent: false },
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
