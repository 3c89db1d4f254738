import { isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Context } from 'hono';
import { Refusal } from '../access/refusal.ts';
import { isAllowedOrigin, isPreflight, preflightResponse, setCorsHeaders } from './cors.ts';
import { HEALTH } from './plain-path.ts';
import type { Route, ServerEnv } from './server-env.ts';

export interface OriginOptions {
  readonly asksForToken: boolean;
  readonly allowedHosts: readonly string[];
  /** Origins of other pages that may use the gateway, in lower case. */
  readonly corsOrigins: readonly string[];
}

/** Paths that a browser may open without a token: they reveal nothing about sessions. */
const PAGES = /^\/(openapi\.json|health|health\/(front|ready)|(console|docs)(\/.*)?)$/;
const STATIC_PAGES = /^\/(console|docs)\/?$/;

/**
 * A route for this origin, and those allowed by CORS: refuses requests of foreign web pages, by Origin and
 * Sec-Fetch-Site; a link to a static page passes. Without a token it also refuses Host names that an attacker can point
 * at this machine (DNS rebinding), and browser requests without both headers: over plain HTTP, browsers request images
 * and scripts of foreign pages like that. This applies to the unix socket, too: a proxy may forward the request of a
 * page.
 */
export function fromOwnOrigin({ asksForToken, allowedHosts, corsOrigins }: OriginOptions, route: Route): Route {
  return (c) => {
    const host = (c.req.header('Host') ?? '').toLowerCase();
    const origin = c.req.header('Origin');
    const isTls = isEncrypted(c.env);
    const isAllowed = isAllowedOrigin(origin, corsOrigins);
    if (corsOrigins.length > 0) setCorsHeaders(c, isAllowed ? origin : undefined);
    if (origin !== undefined && !isAllowed && !isOwnOrigin(origin, host, isTls)) {
      throw new Refusal('web_page', 'requests from other web pages are refused (Origin)');
    }
    const site = c.req.header('Sec-Fetch-Site');
    if (!isAllowed && site !== undefined && site !== 'same-origin' && site !== 'none' && !isLink(c)) {
      throw new Refusal('web_page', 'requests from other web pages are refused (Sec-Fetch-Site)');
    }
    const isUnidentified = origin === undefined && site === undefined && isBrowser(c.req.header('User-Agent'));
    if (
      !asksForToken &&
      isUnidentified &&
      !PAGES.test(c.req.path) &&
      !isOwnPage(c.req.header('Referer'), host, isTls)
    ) {
      throw new Refusal(
        'web_page',
        'over plain HTTP a browser does not name the page that sends a request: set CHAT_WEB_TOKEN, or use HTTPS',
      );
    }
    // Some monitors speak HTTP/1.0 without a Host. Browsers always send it.
    const isMonitor = host === '' && HEALTH.test(c.req.path);
    if (!asksForToken && !isMonitor && !isLocalName(withoutPort(host), allowedHosts)) {
      throw new Refusal('web_page', 'the Host header is not in CHAT_WEB_ALLOWED_HOSTS');
    }
    return isAllowed && isPreflight(c) ? preflightResponse(c) : route(c);
  };
}

/**
 * True if someone follows a link on another page, such as a wiki, to the console or the reference. These cannot be
 * framed, and the linking page cannot access them.
 */
function isLink({ req }: Context<ServerEnv>): boolean {
  return (
    req.method === 'GET' &&
    STATIC_PAGES.test(req.path) &&
    req.header('Sec-Fetch-Mode') === 'navigate' &&
    req.header('Sec-Fetch-Dest') === 'document'
  );
}

/** Without TLS, the origin may still be https behind a proxy. Over TLS, an http origin is foreign. */
function isOwnOrigin(origin: string, host: string, isTls: boolean): boolean {
  const written = origin.toLowerCase();
  return written === `https://${host}` || (!isTls && written === `http://${host}`);
}

/** There is no connection in tests that call the routes without a server. */
function isEncrypted(env: Partial<ServerEnv['Bindings']> | undefined): boolean {
  return env?.incoming?.socket instanceof TLSSocket;
}

function isBrowser(userAgent = ''): boolean {
  return userAgent.startsWith('Mozilla/'); // All browsers do, and no page can change it.
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
