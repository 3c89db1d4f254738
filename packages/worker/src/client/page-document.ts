import type { Page } from 'puppeteer';

const PAGE_URL = 'https://web.whatsapp.com/';

/** A document of the page, as its server sent it. */
export interface PageDocument {
  readonly html: string;
  /** Those of `KEPT_HEADERS` that it came with, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What a document may do, and what may be done to it: part of how the page works, and of how it is protected. */
const KEPT_HEADERS = [
  ...['content-security-policy', 'cross-origin-embedder-policy', 'cross-origin-opener-policy', 'document-policy'],
  ...['origin-agent-cluster', 'permissions-policy', 'referrer-policy', 'x-content-type-options', 'x-frame-options'],
];

/** Told of the document whenever it has been loaded from the network. */
export function watchDocument(page: Page, onLoaded: (document: PageDocument) => void): void {
  page.on('response', (response) => {
    if (!response.ok() || response.url() !== PAGE_URL || response.request().resourceType() !== 'document') return;
    // It may be gone before it was read: then the next one counts.
    const all = response.headers();
    const headers = Object.fromEntries(KEPT_HEADERS.flatMap((name) => (all[name] ? [[name, all[name]]] : [])));
    response.text().then(
      (html) => onLoaded({ html, headers }),
      () => {},
    );
  });
}

/**
 * Gives the page a document that was saved, in the place of the network's. Only this one request is stopped:
 * puppeteer's interception stops all, and those of the page's workers never go on.
 */
export async function servePage(page: Page, { html, headers }: PageDocument): Promise<void> {
  const client = await page.createCDPSession();
  const body = Buffer.from(html).toString('base64');
  const responseHeaders = [
    { name: 'content-type', value: 'text/html; charset=utf-8' },
    // Several policies under one name are joined by line breaks.
    ...KEPT_HEADERS.flatMap((name) => (headers[name] ?? '').split('\n').map((value) => ({ name, value }))),
  ].filter(({ value }) => value !== '');
  client.on('Fetch.requestPaused', ({ requestId }) => {
    client.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders, body }).catch(() => {});
  });
  // The page's service worker would answer with what it has kept.
  await client.send('Network.enable');
  await client.send('Network.setBypassServiceWorker', { bypass: true });
  const patterns = [{ urlPattern: PAGE_URL, resourceType: 'Document', requestStage: 'Request' } as const];
  await client.send('Fetch.enable', { patterns });
}
