import { isIP } from 'node:net';
import { GatewayError } from '@chat-web/protocol';
import type { MiddlewareHandler } from 'hono';

/** What the guard goes by. */
export interface OriginOptions {
  readonly token: string | undefined;
  readonly allowedHosts: readonly string[];
}

/**
 * Refuses what a web page in somebody's browser sends: requests that say so themselves, and, where no token protects
 * the gateway, those under a name that an attacker can point at this machine (DNS rebinding).
 */
export function originGuard({ token, allowedHosts }: OriginOptions): MiddlewareHandler {
  return async (c, next) => {
    const host = (c.req.header('Host') ?? '').toLowerCase();
    const origin = c.req.header('Origin');
    if (origin !== undefined && !isOwnOrigin(origin, host)) {
      throw new GatewayError('forbidden', 'requests from other web pages are refused (Origin)');
    }
    const site = c.req.header('Sec-Fetch-Site');
    if (site !== undefined && site !== 'same-origin' && site !== 'none') {
      throw new GatewayError('forbidden', 'requests from other web pages are refused (Sec-Fetch-Site)');
    }
    if (!token && !isLocalName(withoutPort(host), allowedHosts)) {
      throw new GatewayError('forbidden', 'the Host header bears a name that CHAT_WEB_ALLOWED_HOSTS does not list');
    }
    await next();
  };
}

function isOwnOrigin(origin: string, host: string): boolean {
  return origin.toLowerCase() === `http://${host}` || origin.toLowerCase() === `https://${host}`;
}

function isLocalName(name: string, allowedHosts: readonly string[]): boolean {
  return name === 'localhost' || isIP(name) !== 0 || allowedHosts.includes(name);
}

function withoutPort(host: string): string {
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(host) ?? [];
  return bracketed ?? host.replace(/:\d+$/, '');
}
