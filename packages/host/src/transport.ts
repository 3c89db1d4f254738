import { request } from 'node:http';
import { Readable } from 'node:stream';

/** Where the gateway is, and its token or key. */
export interface GatewayAddress {
  /** Such as `http://127.0.0.1:3000`, or `unix:/run/chat-web/gateway.sock`. */
  readonly url: string;
  /** Absent: no `Authorization` header. */
  readonly token?: string | undefined;
}

/** One request to a gateway, as for `fetch`. */
export interface GatewayRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

const UNIX = 'unix:';
/** Statuses without a body, even an empty one. */
const NO_BODY = [204, 304];

/** Sends a request to a route, with the token; the `url` may have a path, for a proxy. Rejects as `fetch` does. */
export function ask(
  { url, token }: GatewayAddress,
  path: string,
  { method = 'GET', headers: given = {}, body, signal }: GatewayRequest,
): Promise<Response> {
  const headers = { ...(token ? { Authorization: `Bearer ${token}` } : {}), ...given };
  if (url.startsWith(UNIX)) return askSocket(url.slice(UNIX.length), path, { method, headers, body, signal });
  return fetch(new URL(url.replace(/\/+$/, '') + path), {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    signal,
  });
}

/** `fetch` does not support unix sockets. */
function askSocket(socketPath: string, path: string, { body, ...options }: GatewayRequest): Promise<Response> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ ...options, socketPath, path, host: 'localhost', agent: false }, (incoming) => {
      const { statusCode: status = 500, headers } = incoming;
      const fields = Object.entries(headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((one): [string, string] => [name, one]),
      );
      const hasBody = options.method !== 'HEAD' && !NO_BODY.includes(status);
      if (!hasBody) incoming.resume();
      const content = hasBody ? (Readable.toWeb(incoming) as ReadableStream) : null;
      resolve(new Response(content, { status, headers: fields }));
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}
