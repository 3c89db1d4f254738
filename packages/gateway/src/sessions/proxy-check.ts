import { once } from 'node:events';
import { connect } from 'node:net';
import { AddressGuard, addressIn, ForbiddenAddressError, refusalReason } from '@chat-web/outbound';
import { GatewayError, type SessionProxy } from '@chat-web/protocol';

/** How long a proxy may take to accept a connection. */
const CONNECT_TIMEOUT_MS = 10_000;

/** The proxy of a session cannot be used: the message says why, as in the reason PROXY_FAILED. */
export class ProxyError extends Error {}

/** Checks the proxies that callers name: they must be on public addresses, or on hosts that the operator allows. */
export class ProxyCheck {
  readonly #guard: AddressGuard;

  constructor(allowed: readonly string[]) {
    this.#guard = new AddressGuard(allowed);
  }

  /** `url_not_allowed` if its address is not allowed, or unknown. `keyId`: of the caller, whose look-up it is. */
  async requireAllowed({ url }: SessionProxy, sessionId: string, keyId?: string): Promise<void> {
    try {
      await this.#guard.resolve(webUrl(url), { owner: keyId ?? ownerOf(sessionId) });
    } catch (error) {
      const why = `the proxy is not allowed: ${refusalReason(error)}; see CHAT_WEB_PROXY_HOSTS`;
      throw new GatewayError('url_not_allowed', why);
    }
  }

  /**
   * The address on which a proxy accepts connections now. The browser connects to this address: its own look-up of the
   * host could have another result. Rejects with a ProxyError, or when the signal aborts.
   */
  async reach({ url }: SessionProxy, sessionId: string, signal: AbortSignal): Promise<string> {
    const target = webUrl(url);
    try {
      const lookup = this.#guard.lookupFor(target, { owner: ownerOf(sessionId), signal });
      const socket = connect({ host: addressIn(target), port: Number(target.port || 80), lookup });
      try {
        await once(socket, 'connect', { signal: AbortSignal.any([signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]) });
        return socket.remoteAddress ?? '';
      } finally {
        socket.on('error', () => {}).destroy();
      }
    } catch (error) {
      signal.throwIfAborted();
      throw new ProxyError(whyNot(error));
    }
  }
}

/** Who looks up the proxy: an id with a space is no key's. */
function ownerOf(sessionId: string): string {
  return `session ${sessionId}`;
}

/** The same host and port: the guard knows only URLs of the web. */
function webUrl(url: string): URL {
  return new URL(url.replace(/^\w+:/, 'http:'));
}

function whyNot(error: unknown): string {
  if (error instanceof ForbiddenAddressError)
    return `its address is not allowed: ${error.message}; see CHAT_WEB_PROXY_HOSTS`;
  const { code, name } = error as NodeJS.ErrnoException;
  if (name === 'AbortError') return `it accepts no connection within ${CONNECT_TIMEOUT_MS / 1_000} s`;
  return code === undefined ? 'it accepts no connection' : `it accepts no connection (${code})`;
}
