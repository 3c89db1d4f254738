import { GatewayError } from '@chat-web/protocol';
import type { Body } from './request-body.ts';

/** The address of the gateway, and its token. */
export interface GatewayAddress {
  /** For example `http://127.0.0.1:3000`; it may have a path, for a proxy. */
  readonly url: string;
  /** The gateway's token or a key: both are bearer tokens. Absent: no `Authorization` header. */
  readonly token?: string | undefined;
  /** Used instead of the platform's `fetch`, such as `unixSocketFetch` of `@chat-web/host/node`. */
  readonly fetch?: typeof fetch | undefined;
}

/** One request to a gateway, as for `fetch`. */
export interface GatewayRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body | undefined;
  readonly signal: AbortSignal;
}

/** The address cannot be that of a gateway: the message says what to write. */
export class AddressError extends TypeError {
  /** The status of the response that shows it; undefined if no request was sent. */
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.name = 'AddressError';
    this.status = status;
  }

  /** Converts it for callers: `invalid_request` if no request was sent. */
  toGatewayError(): GatewayError {
    const code = this.status === undefined ? 'invalid_request' : 'internal_error';
    return new GatewayError(code, this.message, { status: this.status ?? null });
  }
}

/**
 * Sends a request to a route, with the token. Rejects like `fetch`. A redirect is an error: the token is only for this
 * gateway. Rejects with an AddressError if the url is wrong.
 */
export async function ask(
  { url, token, fetch: fetchWith = fetch }: GatewayAddress,
  path: string,
  { method = 'GET', headers: given = {}, body, signal }: GatewayRequest,
): Promise<Response> {
  const headers = { ...(token ? { Authorization: `Bearer ${token}` } : {}), ...given };
  const isStream = body instanceof ReadableStream;
  const init = {
    method,
    headers,
    signal,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
    ...(isStream ? { duplex: 'half' } : {}),
  } satisfies RequestInit & { duplex?: string };
  const response = await fetchWith(routeAt(url, path), init as RequestInit);
  const isRedirect = response.type === 'opaqueredirect' || (response.status >= 300 && response.status <= 399);
  if (!isRedirect) return response;
  await response.body?.cancel();
  throw new AddressError('the url redirects: use the address that it redirects to', response.status);
}

function routeAt(url: string, path: string): string {
  const base = URL.canParse(url) ? new URL(url) : undefined;
  if (base?.protocol === 'unix:')
    throw new AddressError('for a unix socket, use `gatewayAddress` of @chat-web/host/node');
  if (base?.protocol !== 'http:' && base?.protocol !== 'https:')
    throw new AddressError('the url of the gateway must be like http://127.0.0.1:3000');
  if (base.username || base.password)
    throw new AddressError('the url of the gateway must not contain a user name or a password: pass `token`');
  if (base.search || base.hash) throw new AddressError('the url of the gateway must not have a query or a fragment');
  // An id of dots would lead to another route, which the token may have access to.
  if (/\/\.{0,2}(\/|\?|$)/.test(path)) throw new AddressError('an id in the path is missing, or is made of dots');
  return url.replace(/\/+$/, '') + path;
}
