import type { Page } from 'puppeteer';

const PAGE_URL = 'https://web.whatsapp.com/';

/** Told of the document whenever it has been loaded from the network. */
export function watchDocument(page: Page, onLoaded: (html: string) => void): void {
  page.on('response', (response) => {
    if (!response.ok() || response.url() !== PAGE_URL || response.request().resourceType() !== 'document') return;
    // It may be gone before it was read: then the next one counts.
    response.text().then(onLoaded, () => {});
  });
}

/**
 * Gives the page a document that was saved, in the place of the network's. Only this one request is stopped:
 * puppeteer's interception stops all, and those of the page's workers never go on.
 */
export async function servePage(page: Page, html: string): Promise<void> {
  const client = await page.createCDPSession();
  const body = Buffer.from(html).toString('base64');
  client.on('Fetch.requestPaused', ({ requestId }) => {
    const responseHeaders = [{ name: 'Content-Type', value: 'text/html; charset=utf-8' }];
    client.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders, body }).catch(() => {});
  });
  // The page's service worker would answer with what it has kept.
  await client.send('Network.enable');
  await client.send('Network.setBypassServiceWorker', { bypass: true });
  const patterns = [{ urlPattern: PAGE_URL, resourceType: 'Document', requestStage: 'Request' } as const];
  await client.send('Fetch.enable', { patterns });
}
