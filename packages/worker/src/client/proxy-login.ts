import { hasCredentials, type SessionProxy } from '@chat-web/protocol';
import type { Browser, CDPSession, Page, Protocol } from 'puppeteer';
import { PAGE_URL } from './library.ts';

/** Errors of the browser that name its proxy, such as `net::ERR_TUNNEL_CONNECTION_FAILED`. */
const PROXY_ERROR = /net::(ERR_\w*(?:PROXY|TUNNEL|SOCKS)\w*)/;
/** Requests a file of the page's host that browsers request anyway. */
const LOAD_SMALL_FILE = `fetch('${PAGE_URL}favicon.ico', { cache: 'no-store', signal: AbortSignal.timeout(10_000) }).then(() => {}, () => {})`;
const CANCEL: Protocol.Fetch.AuthChallengeResponse = { response: 'CancelAuth' };

type Credentials = Omit<SessionProxy, 'url'>;

/** Why a page could not be loaded, if its proxy is the cause. */
export function proxyFault(error: string): string | undefined {
  const [, name] = PROXY_ERROR.exec(error) ?? [];
  return name && `the page was not loaded through it (${name})`;
}

/**
 * Gives the browser the user and the password of its proxy. The browser asks for them by a request that is intercepted,
 * and remembers them for all connections, also for those of sockets, which are not: so all requests are intercepted
 * until the page is loaded, and later only documents, since each costs a message in both directions.
 */
export class ProxyLogin {
  readonly #credentials: Credentials;
  readonly #onRefused: (why: string) => void;
  readonly #answered = new Set<string>();
  #session: CDPSession | undefined;

  /** `onRefused`: the proxy wants other credentials. May be called more than once. */
  constructor(credentials: Credentials, onRefused: (why: string) => void) {
    this.#credentials = credentials;
    this.#onRefused = onRefused;
  }

  /** Call before the first request. Covers pages and their workers. */
  async begin(browser: Browser): Promise<void> {
    const session = await browser.target().createCDPSession();
    this.#session = session;
    session.on('Fetch.requestPaused', ({ requestId }) => {
      session.send('Fetch.continueRequest', { requestId }).catch(() => {}); // It was cancelled meanwhile.
    });
    session.on('Fetch.authRequired', ({ requestId, authChallenge }) => {
      // Sites never get the credentials.
      const authChallengeResponse = authChallenge.source === 'Proxy' ? this.#answer(requestId) : CANCEL;
      session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(() => {});
    });
    await this.#intercept({ urlPattern: '*' });
  }

  /** Call once the page is loaded. It may come from its own cache, and connect a socket first. Never rejects. */
  async pageLoaded(page: Page): Promise<void> {
    if (this.#answered.size === 0 && hasCredentials(this.#credentials))
      await page.evaluate(LOAD_SMALL_FILE).catch(() => {});
    await this.#intercept({ urlPattern: '*', resourceType: 'Document' }).catch(() => {}); // The browser has exited.
  }

  async #intercept(pattern: Protocol.Fetch.RequestPattern): Promise<void> {
    await this.#session?.send('Fetch.enable', { patterns: [pattern], handleAuthRequests: true });
  }

  #answer(requestId: string): Protocol.Fetch.AuthChallengeResponse {
    const { username = '', password = '' } = this.#credentials;
    if (!hasCredentials(this.#credentials)) this.#onRefused('it asks for a user and a password');
    else if (this.#answered.has(requestId)) this.#onRefused('it refuses the user or the password');
    else {
      this.#answered.add(requestId);
      return { response: 'ProvideCredentials', username, password };
    }
    return CANCEL;
  }
}
