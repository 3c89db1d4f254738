import { readFile } from 'node:fs/promises';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { secureHeaders } from 'hono/secure-headers';
import * as v from 'valibot';
import { SimulatorError } from '../errors.ts';
import { renderQr } from '../web/documents.ts';
import type { Call, Dependencies } from './call.ts';
import { calls } from './calls.ts';

const OWN_HOSTS = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/** A file of 64 MB as base64, with room for the rest. */
const MAX_BODY_BYTES = 96 * 2 ** 20;

/** Headers for the phones' page: it loads nothing from elsewhere, runs no inline script, and is in no frame. */
const headers = secureHeaders({
  contentSecurityPolicy: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    formAction: ["'none'"],
    baseUri: ["'none'"],
    frameAncestors: ["'none'"],
    requireTrustedTypesFor: ["'script'"],
    trustedTypes: ["'none'"],
  },
  xFrameOptions: 'DENY',
  strictTransportSecurity: false,
});

export function createControlApp(simulator: Dependencies): Hono {
  const app = new Hono();
  app.use(headers);
  app.use(async (context, next) => {
    refuseForeign(context.req.header('origin'), context.req.header('host'));
    await next();
  });
  app.use(
    bodyLimit({ maxSize: MAX_BODY_BYTES, onError: (context) => context.json({ error: 'the body is too large' }, 413) }),
  );
  addPhonesPage(app, simulator);
  for (const call of Object.values<Call>(calls)) {
    app.on(call.method, call.path, async (context) => {
      const fields = call.method === 'GET' ? context.req.query() : await readBody(context);
      return context.json((await call.handle(simulator, context.req.param(), fields)) ?? {});
    });
  }
  app.notFound((context) => context.json({ error: `no route ${context.req.method} ${context.req.path}` }, 404));
  app.onError((error, context) => {
    if (error instanceof SimulatorError) return context.json({ error: error.message }, error.status);
    if (v.isValiError(error)) return context.json({ error: issueText(error.issues) }, 400);
    return context.json({ error: error.message }, 500);
  });
  return app;
}

/** Refuses the requests of all web pages except the phones' page, DNS rebinding included. */
function refuseForeign(origin: string | undefined, host: string | undefined): void {
  if (host !== undefined && !OWN_HOSTS.test(host))
    throw new SimulatorError(403, 'the Host header must be 127.0.0.1, localhost or [::1]');
  if (origin !== undefined && (host === undefined || origin !== `http://${host}`))
    throw new SimulatorError(403, 'requests from other web pages are refused');
}

async function readBody(context: Context): Promise<unknown> {
  const text = await context.req.text();
  if (text === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new SimulatorError(400, 'the body is not JSON');
  }
}

function issueText(issues: readonly v.BaseIssue<unknown>[]): string {
  return issues.map((issue) => `${v.getDotPath(issue) ?? 'body'}: ${issue.message}`).join('; ');
}

const files = [
  { path: '/', name: 'phones.html', type: 'text/html; charset=utf-8' },
  { path: '/phones.css', name: 'phones.css', type: 'text/css; charset=utf-8' },
  { path: '/phones.svg', name: 'phones.svg', type: 'image/svg+xml' },
  { path: '/phones.js', name: 'phones.js', type: 'text/javascript; charset=utf-8' },
];

/** Adds the page on which people play the phones, and pictures of the QRs that can be scanned there. */
function addPhonesPage(app: Hono, { pages }: Dependencies): void {
  for (const { path, name, type } of files) {
    const file = new URL(import.meta.resolve(`#simulator/phones/${name}`));
    app.get(path, async (context) => {
      const text = await readFile(file, 'utf8').catch(() => {
        throw new SimulatorError(404, `${path} has not been built: run npm run build`);
      });
      return context.body(text, 200, { 'content-type': type, 'cache-control': 'no-cache' });
    });
  }
  app.get('/pages/:pageId/qr.svg', (context) => {
    const qr = pages.list().find(({ id }) => id === context.req.param('pageId'))?.qr;
    if (qr === undefined) throw new SimulatorError(404, 'the page shows no QR');
    const { type, body } = renderQr(qr);
    return context.body(body, 200, { 'content-type': type, 'cache-control': 'no-store' });
  });
}
