import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, Page } from 'puppeteer';

/** An origin that nothing is stored for. */
const NOBODY = 'https://nobody.invalid';

/**
 * Closes the page, then the browser. `keepsWritten`: what the page wrote last is to be on the disk. Returns when the time
 * is up, whatever is done by then: `closeBy` as `Date.now()` has it.
 */
export async function closeBrowser(
  browser: Browser,
  page: Page | undefined,
  { closeBy, keepsWritten }: { readonly closeBy: number; readonly keepsWritten: boolean },
): Promise<void> {
  const left = () => Math.max(0, closeBy - Date.now());
  const storage = keepsWritten ? await inTime(openStorage(browser), left() / 4) : undefined;
  // Chromium writes local storage every few seconds, and when a page goes; not always when it ends with pages open.
  await inTime(page?.close(), left() / 2);
  await inTime(storage?.written(), left() / 2);
  await inTime(browser.close(), left());
}

/**
 * A process of the browser's own writes what pages have stored, and is killed when the browser ends, done or not. It does
 * one thing after the other: what it is asked for, once the page is gone, is answered when all before is written.
 * Nothing asks it but for a page; a hidden one is not even shown.
 */
async function openStorage(browser: Browser): Promise<{ written(): Promise<unknown> }> {
  const root = await browser.target().createCDPSession();
  const { targetId } = await root.send('Target.createTarget', { url: '', hidden: true });
  const { sessionId } = await root.send('Target.attachToTarget', { targetId, flatten: true });
  const session = root.connection()?.session(sessionId);
  return {
    written: async () => session?.send('Storage.clearDataForOrigin', { origin: NOBODY, storageTypes: 'local_storage' }),
  };
}

/** Waits for the end of some work, good or bad, or until the time is up; its end is nobody's business then. */
export async function inTime<T>(work: Promise<T> | undefined, timeoutMs: number): Promise<T | undefined> {
  const over = new AbortController();
  const outcome = work?.catch(() => undefined);
  const timer = delay(timeoutMs, undefined, { signal: over.signal }).catch(() => undefined);
  const first = await Promise.race([outcome, timer]);
  over.abort();
  return first;
}
