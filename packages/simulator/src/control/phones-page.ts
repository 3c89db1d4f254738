import { readFile } from 'node:fs/promises';
import type { Hono } from 'hono';
import { SimulatorError } from '../simulator-error.ts';
import { renderQr } from '../web/documents.ts';
import type { Stage } from './call.ts';

/** From the sources and from what is compiled alike. */
const root = new URL('../../', import.meta.url);

const files = [
  { path: '/', file: 'public/phones.html', type: 'text/html; charset=utf-8' },
  { path: '/phones.css', file: 'public/phones.css', type: 'text/css; charset=utf-8' },
  { path: '/phones.svg', file: 'public/phones.svg', type: 'image/svg+xml' },
  { path: '/phones.js', file: 'dist/phones-page/bundle.js', type: 'text/javascript; charset=utf-8' },
];

/** Adds the page on which people play the phones, and pictures of the QRs that can be scanned there. */
export function addPhonesPage(app: Hono, { pages }: Stage): void {
  for (const { path, file, type } of files) {
    app.get(path, async (context) => {
      const text = await readFile(new URL(file, root), 'utf8').catch(() => {
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
