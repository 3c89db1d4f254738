import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import type { GatewayAddress } from '../transport.ts';

const UNIX = 'unix:';
/** Statuses without a body, even an empty one. */
const NO_BODY = [204, 304];

/**
 * The address of a gateway, whose url may be that of a unix socket: `unix:/run/chat-web/gateway.sock`.
 *
 * @example
 * const client = createClient(gatewayAddress({ url: 'unix:/run/chat-web/gateway.sock', token }));
 */
export function gatewayAddress({ url, token }: Pick<GatewayAddress, 'url' | 'token'>): GatewayAddress {
  if (!url.startsWith(UNIX)) return { url, token };
  return { url: 'http://localhost', token, fetch: unixSocketFetch(url.slice(UNIX.length)) };
}

/**
 * A `fetch` over a unix socket: it does not resolve the host of the url. It accepts a url, and a body of text or a
 * stream.
 */
export function unixSocketFetch(socketPath: string): typeof fetch {
  return async (input, init = {}) => {
    const { pathname, search, host } = new URL(input instanceof Request ? input.url : input);
    const { method = 'GET', body, signal } = init;
    const headers = Object.fromEntries(new Headers(init.headers));
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const options = { method, headers, socketPath, path: pathname + search, host, agent: false } as const;
      const outgoing = request({ ...options, ...(signal ? { signal } : {}) }, (incoming) => {
        const { statusCode: status = 500, headers: answered } = incoming;
        const fields = Object.entries(answered).flatMap(([name, value]) =>
          [value ?? []].flat().map((one): [string, string] => [name, one]),
        );
        const hasBody = method !== 'HEAD' && !NO_BODY.includes(status);
        if (!hasBody) incoming.resume();
        const content = hasBody ? (Readable.toWeb(incoming) as ReadableStream) : null;
        resolve(new Response(content, { status, headers: fields }));
      });
      outgoing.once('error', (error) => reject(signal?.aborted ? signal.reason : failed(error)));
      if (body instanceof ReadableStream) {
        // Each side ends with the other.
        pipeline(Readable.fromWeb(body as NodeStream), outgoing).catch((error) => reject(failed(error)));
      } else if (body instanceof Blob) body.arrayBuffer().then((bytes) => outgoing.end(Buffer.from(bytes)), reject);
      else outgoing.end(body ?? undefined);
    });
  };
}

function failed(cause: Error): TypeError {
  return new TypeError('fetch failed', { cause });
}
