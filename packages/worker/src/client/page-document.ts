import { PAGE_URL } from './library.ts';
import type { PageLink } from './page-link.ts';

/** A document of the page, as its server sent it. */
export interface PageDocument {
  readonly html: string;
  /** The headers in `KEPT_HEADERS`, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers that restrict what a document may do and load: the page depends on them, and they protect it. */
const KEPT_HEADERS = [
  'content-security-policy',
  'cross-origin-embedder-policy',
  'cross-origin-opener-policy',
  'document-policy',
  'origin-agent-cluster',
  'permissions-policy',
  'referrer-policy',
  'x-content-type-options',
  'x-frame-options',
];

/** How much of the responses the browser keeps while the network is observed: enough for the document. Bytes. */
const OBSERVED = { maxTotalBufferSize: 8 * 1_048_576, maxResourceBufferSize: 8 * 1_048_576 };

/**
 * Calls `onLoaded` with the document whenever it is loaded from the network. Observes the network only until then: the
 * browser would report each frame of the page's socket, and keep everything that the page loads.
 */
export async function watchDocument({ session }: PageLink, onLoaded: (document: PageDocument) => void): Promise<void> {
  let mainFrame: string | undefined;
  let awaited: { readonly requestId: string; readonly headers: PageDocument['headers'] } | undefined;
  /** Counts the loads: handling one load must not stop observing the next. */
  let load = 0;
  let isReading = false;
  const observe = async () => {
    load += 1;
    await session.send('Network.enable', OBSERVED);
  };
  const stopObserving = async (of: number) => {
    if (of === load) await session.send('Network.disable').catch(() => {});
  };
  session.on('Page.frameStartedNavigating', ({ frameId, navigationType }) => {
    const isLoad = navigationType !== 'sameDocument' && navigationType !== 'historySameDocument';
    if (isLoad && frameId === mainFrame) observe().catch(() => {});
  });
  session.on('Page.frameStoppedLoading', ({ frameId }) => {
    if (frameId === mainFrame && !isReading) void stopObserving(load); // Even if no document was loaded.
  });
  session.on('Network.responseReceived', ({ requestId, type, response }) => {
    if (type !== 'Document' || response.url !== PAGE_URL || response.status !== 200) return;
    awaited = { requestId, headers: keptHeaders(response.headers) };
  });
  session.on('Network.loadingFinished', ({ requestId }) => {
    if (requestId !== awaited?.requestId) return;
    const { headers } = awaited;
    awaited = undefined;
    readBody(requestId).then(
      (html) => onLoaded({ html, headers }),
      () => {}, // The page was navigated meanwhile: the next load is reported.
    );
  });
  const readBody = async (requestId: string) => {
    const of = load;
    isReading = true;
    try {
      const { body, base64Encoded } = await session.send('Network.getResponseBody', { requestId });
      return base64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body;
    } finally {
      isReading = false;
      await stopObserving(of);
    }
  };
  const [{ frameTree }] = await Promise.all([session.send('Page.getFrameTree'), observe()]);
  mainFrame = frameTree.frame.id;
}

/** The headers to keep, by name in lower case. */
function keptHeaders(headers: Readonly<Record<string, string>>): PageDocument['headers'] {
  const kept = Object.entries(headers).map(([name, value]): [string, string] => [name.toLowerCase(), value]);
  return Object.fromEntries(kept.filter(([name]) => KEPT_HEADERS.includes(name)));
}

/**
 * Serves a saved document to the page instead of the network's. Intercepts only this one request: puppeteer's own
 * interception stops all requests, and those of the page's workers never continue.
 */
export async function servePage({ session }: PageLink, { html, headers }: PageDocument): Promise<void> {
  const body = Buffer.from(html).toString('base64');
  const responseHeaders = [
    { name: 'content-type', value: 'text/html; charset=utf-8' },
    // Several headers with one name are joined by line breaks.
    ...KEPT_HEADERS.flatMap((name) => (headers[name] ?? '').split('\n').map((value) => ({ name, value }))),
  ].filter(({ value }) => value !== '');
  session.on('Fetch.requestPaused', ({ requestId }) => {
    session.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders, body }).catch(() => {});
  });
  // The page's service worker would answer from its cache.
  await session.send('Network.enable');
  await session.send('Network.setBypassServiceWorker', { bypass: true });
  const patterns = [{ urlPattern: PAGE_URL, resourceType: 'Document', requestStage: 'Request' } as const];
  await session.send('Fetch.enable', { patterns });
}
