import { resultWithin } from '@chat-web/protocol';
import type { Browser, Page } from 'puppeteer';
import type { BrowserProcess } from './browser-process.ts';
import type { Log } from './port.ts';

const UNUSED_ORIGIN = 'https://unused.invalid';
/** For page and browser. A linked one gets more time: many that close at once share the cores. */
const CLOSE_TIMEOUT_MS = 3_000;
const LINKED_CLOSE_TIMEOUT_MS = 6_000;
/** Reserved for killing a browser that has not closed by then. */
const KILL_MS = 500;
const EXIT_TIMEOUT_MS = 1_000;

/** How to close a browser. */
export interface CloseOptions {
  readonly page: Page | undefined;
  /** The page's last writes must be on disk: the account is linked, and stays linked. */
  readonly mustSave: boolean;
  /** When the caller stops waiting. Milliseconds. */
  readonly timeoutMs: number;
}

/** Closes the browser of the process `started`, and kills it if it does not close in time. Returns within 8 s. */
export async function endBrowser(
  started: BrowserProcess,
  browser: Browser,
  { page, mustSave, timeoutMs }: CloseOptions,
  log: Log,
): Promise<void> {
  const closeMs = mustSave ? Math.min(LINKED_CLOSE_TIMEOUT_MS, timeoutMs - KILL_MS) : CLOSE_TIMEOUT_MS;
  const closeBy = performance.now() + closeMs;
  const isSaved = await closeBrowser(browser, page, { closeBy, mustSave });
  if (!isSaved) log('warn', 'last writes of the page not confirmed');
  if (started.isRunning) log('warn', 'browser killed');
  // A killed process keeps its files open until its memory is freed; the next browser needs the same files.
  await resultWithin(started.kill(), EXIT_TIMEOUT_MS);
}

/**
 * Closes the page, then the browser. Returns when `closeBy` (as of `performance.now()`) has passed, closed or not.
 * False if the page's last writes must be saved, and may be missing.
 */
async function closeBrowser(
  browser: Browser,
  page: Page | undefined,
  { closeBy, mustSave }: { readonly closeBy: number; readonly mustSave: boolean },
): Promise<boolean> {
  const left = () => Math.max(0, closeBy - performance.now());
  // First, because the browser may exit by itself with its last page.
  const storage = mustSave ? await resultWithin(openStorage(browser), left() / 3) : undefined;
  // Chromium writes local storage every few seconds and when a page closes, but not always when it exits with open
  // pages.
  const isPageClosed =
    !page ||
    (await resultWithin(
      page.close().then(() => true),
      left() / 2,
    ));
  const isWritten = storage !== undefined && (await resultWithin(storage.written(), left() / 2)) !== undefined;
  await resultWithin(browser.close(), left());
  return !mustSave || (isPageClosed === true && isWritten);
}

/**
 * A separate process of the browser writes the storage of pages, and is killed when the browser exits, even before it
 * has finished. It runs one command after the other: a command sent after the page is closed is answered when all
 * earlier writes are done. The command needs a page target; a hidden one has no tab.
 */
async function openStorage(browser: Browser): Promise<{ written(): Promise<unknown> }> {
  const root = await browser.target().createCDPSession();
  const { targetId } = await root.send('Target.createTarget', { url: '', hidden: true });
  const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true });
  const session = root.connection()?.session(sessionId);
  return {
    written: async () =>
      session?.send('Storage.clearDataForOrigin', { origin: UNUSED_ORIGIN, storageTypes: 'local_storage' }),
  };
}
