import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GatewayError } from '@chat-web/protocol';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Route } from './server-env.ts';

/** Files whose names contain a hash of their content. */
const NAMED_BY_CONTENT = /-[0-9a-f]{10}\.\w+$/;

/** Static pages that may be opened without a token: they contain no session data. */
interface StaticPages {
  /** The path that they are served below, such as `/console`. */
  readonly path: string;
  /** The folder of the files, with an `index.html`. */
  readonly dir: string;
  /** Everything is loaded from the gateway itself, and inline scripts do not run. */
  readonly contentSecurityPolicy: string;
}

const FROM_HERE = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** The operators' page. Trusted Types reject any text that becomes HTML there, not only what would run. */
export const consolePages: StaticPages = {
  path: '/console',
  dir: dirname(fileURLToPath(import.meta.resolve('@chat-web/console/console/index.html'))),
  contentSecurityPolicy: [
    ...FROM_HERE,
    "img-src 'self' data:",
    "style-src 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
};

/** The reference. Swagger UI turns descriptions into HTML, after it has removed whatever could run. */
export const referencePages: StaticPages = {
  path: '/docs',
  dir: dirname(fileURLToPath(import.meta.resolve('@chat-web/console/reference/index.html'))),
  contentSecurityPolicy: [...FROM_HERE, "img-src 'self' data: blob:", 'media-src blob:', "style-src 'self'"].join('; '),
};

/**
 * A route that serves the files of a folder. The path itself redirects to the one with a slash, which relative links
 * need.
 */
export function staticPages({ path, dir, contentSecurityPolicy }: StaticPages): Route {
  const files = serveStatic({
    root: dir,
    precompressed: true,
    rewriteRequestPath: (requested) => requested.slice(path.length),
  });
  return async (c) => {
    // Relative, since a proxy may have added a prefix to the path.
    if (c.req.path === path) return c.body(null, 308, { Location: `${path.slice(path.lastIndexOf('/') + 1)}/` });
    const response = await files(c, async () => {});
    if (!response) throw new GatewayError('route_not_found', 'there is no such file');
    const { headers } = response;
    headers.set('Content-Security-Policy', contentSecurityPolicy);
    headers.set('Cross-Origin-Opener-Policy', 'same-origin');
    // Without a token, the Referer shows that a request over plain HTTP comes from here.
    headers.set('Referrer-Policy', 'same-origin');
    headers.set(
      'Cache-Control',
      NAMED_BY_CONTENT.test(c.req.path) ? 'public, max-age=31536000, immutable' : 'no-cache',
    );
    return response;
  };
}
