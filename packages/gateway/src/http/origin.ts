import { isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { MiddlewareHandler } from 'hono';
import { Refusal } from '../access/refusal.ts';
import type { ServerEnv } from './server-env.ts';

/** What the guard goes by. */
export interface OriginOptions {
  /** A token protects the gateway. */
  readonly asksForToken: boolean;
  readonly allowedHosts: readonly string[];
}

/** What may be opened in a browser by its address: it tells nothing of sessions. */
const PAGES = new Set(['/docs', '/openapi.json', '/health', '/health/ready']);

/**
 * Refuses what a web page in somebody's browser sends: requests that say so themselves, and, where no token protects
 * the gateway, those under a name that an attacker can point at this machine (DNS rebinding), and those of a browser
 * that does not say: over plain HTTP it asks for the images and scripts of foreign pages with neither header. A unix
 * socket makes no difference: no page reaches it, but a proxy does, and brings what a page sent.
 */
export function originGuard({ asksForToken, allowedHosts }: OriginOptions): MiddlewareHandler<ServerEnv> {
  return async (c, next) => {
    const host = (c.req.header('Host') ?? '').toLowerCase();
    const origin = c.req.header('Origin');
    const isTls = isEncrypted(c.env);
    if (origin !== undefined && !isOwnOrigin(origin, host, isTls)) {
      throw new Refusal('web_page', 'requests from other web pages are refused (Origin)');
    }
    const site = c.req.header('Sec-Fetch-Site');
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      throw new Refusal('web_page', 'requests from other web pages are refused (Sec-Fetch-Site)');
    }
    const isUnsaid = origin === undefined && site === undefined && isBrowser(c.req.header('User-Agent'));
    if (!asksForToken && isUnsaid && !PAGES.has(c.req.path) && !isOwnPage(c.req.header('Referer'), host, isTls)) {
      throw new Refusal(
        'web_page',
        'over plain HTTP a browser does not say which web page a request comes from: set CHAT_WEB_TOKEN, or put HTTPS in front',
      );
    }
    if (!asksForToken && !isLocalName(withoutPort(host), allowedHosts)) {
      throw new Refusal('web_page', 'the name in the Host header is not in CHAT_WEB_ALLOWED_HOSTS');
    }
    await next();
  };
}

/** A connection without TLS may come from a proxy that speaks it; over TLS, a page that came without is another's. */
function isOwnOrigin(origin: string, host: string, isTls: boolean): boolean {
  const written = origin.toLowerCase();
  return written === `https://${host}` || (!isTls && written === `http://${host}`);
}

/** Without a server, as in tests of the routes alone, there is no connection. */
function isEncrypted(env: Partial<ServerEnv['Bindings']> | undefined): boolean {
  return env?.incoming?.socket instanceof TLSSocket;
}

function isBrowser(userAgent = ''): boolean {
  return userAgent.startsWith('Mozilla/'); // Each does, and no page can have it say anything else.
}

function isOwnPage(referer: string | undefined, host: string, isTls: boolean): boolean {
  return referer !== undefined && URL.canParse(referer) && isOwnOrigin(new URL(referer).origin, host, isTls);
}

function isLocalName(name: string, allowedHosts: readonly string[]): boolean {
  return name === 'localhost' || isIP(name) !== 0 || allowedHosts.includes(name);
}

function withoutPort(host: string): string {
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(host) ?? [];
  return bracketed ?? host.replace(/:\d+$/, '');
}
