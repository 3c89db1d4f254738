import type { Page } from 'puppeteer';

const PAGE_URL = 'https://web.whatsapp.com/';

/** A document of the page, as its server sent it. */
export interface PageDocument {
  readonly html: string;
  /** Its headers among `KEPT_HEADERS`, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers that restrict what a document may do and load: the page depends on them, and they protect it. */
const KEPT_HEADERS = [
  ...['content-security-policy', 'cross-origin-embedder-policy', 'cross-origin-opener-policy', 'document-policy'],
  ...['origin-agent-cluster', 'permissions-policy', 'referrer-policy', 'x-content-type-options', 'x-frame-options'],
];

/** Calls `onLoaded` with the document whenever it is loaded from the network. */
export function watchDocument(page: Page, onLoaded: (document: PageDocument) => void): void {
  page.on('response', (response) => {
    if (!response.ok() || response.url() !== PAGE_URL || response.request().resourceType() !== 'document') return;
    // Reading fails if the page is navigated meanwhile: the next load is reported.
    const all = response.headers();
    const headers = Object.fromEntries(KEPT_HEADERS.flatMap((name) => (all[name] ? [[name, all[name]]] : [])));
    response.text().then(
      (html) => onLoaded({ html, headers }),
      () => {},
    );
  });
}

/**
 * Serves a saved document to the page instead of the network's. Only this one request is intercepted: puppeteer's own
 * interception stops all requests, and those of the page's workers never continue.
 */
export async function servePage(page: Page, { html, headers }: PageDocument): Promise<void> {
  const client = await page.createCDPSession();
  const body = Buffer.from(html).toString('base64');
  const responseHeaders = [
    { name: 'content-type', value: 'text/html; charset=utf-8' },
    // Several headers of one name are joined by line breaks.
    ...KEPT_HEADERS.flatMap((name) => (headers[name] ?? '').split('\n').map((value) => ({ name, value }))),
  ].filter(({ value }) => value !== '');
  client.on('Fetch.requestPaused', ({ requestId }) => {
    client.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders, body }).catch(() => {});
  });
  // The page's service worker would answer from its cache.
  await client.send('Network.enable');
  await client.send('Network.setBypassServiceWorker', { bypass: true });
  const patterns = [{ urlPattern: PAGE_URL, resourceType: 'Document', requestStage: 'Request' } as const];
  await client.send('Fetch.enable', { patterns });
}
