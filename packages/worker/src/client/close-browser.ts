import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'puppeteer';

const UNUSED_ORIGIN = 'https://unused.invalid';

/**
 * Closes the page, then the browser. `keepsWritten`: what the page wrote last is to be on the disk. Returns when the time
 * is up, whatever is done by then: `closeBy` as `performance.now()` has it. False where the last write may be missing.
 */
export async function closeBrowser(
  browser: Browser,
  page: Page | undefined,
  { closeBy, keepsWritten }: { readonly closeBy: number; readonly keepsWritten: boolean },
): Promise<boolean> {
  const left = () => Math.max(0, closeBy - performance.now());
  // First: with its last page the browser may end by itself.
  const storage = keepsWritten ? await inTime(openStorage(browser), left() / 3) : undefined;
  // Chromium writes local storage every few seconds, and when a page goes; not always when it ends with pages open.
  const isGone =
    !page ||
    (await inTime(
      page.close().then(() => true),
      left() / 2,
    ));
  const isWritten = (await inTime(storage?.written(), left() / 2)) !== undefined;
  await inTime(browser.close(), left());
  return !keepsWritten || (isGone === true && isWritten);
}

/**
 * A process of the browser's own writes what pages have stored, and is killed when the browser ends, done or not. It does
 * one thing after the other: a command that is sent once the page is gone is answered when all before it is written. The
 * command needs a page target; a hidden one has no tab.
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

/** Waits for the end of some work, good or bad, or until the time is up; later results are ignored. */
export async function inTime<T>(work: Promise<T> | undefined, timeoutMs: number): Promise<T | undefined> {
  const over = new AbortController();
  const outcome = work?.catch(() => undefined);
  const timer = delay(timeoutMs, undefined, { signal: over.signal }).catch(() => undefined);
  const first = await Promise.race([outcome, timer]);
  over.abort();
  return first;
}
