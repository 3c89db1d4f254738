import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GatewayError } from '@chat-web/protocol';
import { serveStatic } from '@hono/node-server/serve-static';
import type { Route } from './server-env.ts';

/** The hashes of the scripts in a page, which the build wrote. */
const INTEGRITY = /(?<=\bintegrity=")sha256-[\w+/]{43}=(?=")/g;
/** Files whose names contain a hash of their content. */
const NAMED_BY_CONTENT = /-[0-9a-f]{10}\.\w+$/;

/** Static pages that may be opened without a token: they contain no session data. */
interface StaticPages {
  /** The path that they are served below, such as `/console`. */
  readonly path: string;
  /** The folder of the files, with an `index.html`. */
  readonly dir: string;
  /** Beside the scripts of the page itself, which are allowed by their hashes. */
  readonly contentSecurityPolicy: string;
}

const FROM_HERE = [
  "default-src 'none'",
  "connect-src 'self'",
  "worker-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** The operators' page. Trusted Types reject any text that becomes HTML there, not only what would run. */
export const consolePages: StaticPages = {
  path: '/console',
  dir: dirname(fileURLToPath(import.meta.resolve('#console/index.html'))),
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
  dir: dirname(fileURLToPath(import.meta.resolve('#reference/index.html'))),
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
    const scripts = await scriptSources(dir); // Before a file is opened that would have to be closed.
    const response = await files(c, async () => {});
    if (!response) throw new GatewayError('route_not_found', 'there is no such file');
    const { headers } = response;
    headers.set('Content-Security-Policy', `${contentSecurityPolicy}; script-src ${scripts}`);
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

/**
 * The scripts of a page, by hash. Not `'self'`: others send media, which have the same origin, and a `blob:` that a page
 * makes of one inherits its policy.
 */
async function scriptSources(dir: string): Promise<string> {
  const html = await readFile(join(dir, 'index.html'), 'utf8').catch(() => '');
  return (html.match(INTEGRITY) ?? ['none']).map((hash) => `'${hash}'`).join(' ');
}
