import assert from 'node:assert/strict';
import { findBrowser } from '@chat-web/worker/browser';
import { type Browser, launch, type Page } from 'puppeteer';
import { eventually } from '../eventually.ts';
import { expectFit, watchHarm } from './page-fit.ts';

/** On a busy machine, large pages take more than the browser's usual limit of 30 s. */
const MAX_WAIT_MS = 120_000;

/** A browser for pages of this machine: `names` resolve to 127.0.0.1, no others resolve. */
export function openBrowser(names: readonly string[] = []): Promise<Browser> {
  const rules = [...names.map((name) => `MAP ${name} 127.0.0.1`), 'MAP * ~NOTFOUND'];
  return launch({
    executablePath: findBrowser({ configured: undefined, headlessShell: false, env: process.env }),
    args: [
      `--host-resolver-rules=${[...rules, 'EXCLUDE 127.0.0.1', 'EXCLUDE localhost'].join(', ')}`,
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), // Chromium has no sandbox for root.
    ],
    pipe: true,
  });
}

/** The console in a browser of its own, as a person uses it: by the names of buttons and fields. */
export class ConsolePage implements AsyncDisposable {
  readonly page: Page;
  /** Scripts that hostile content ran, violations of the policy, and errors of the page. */
  readonly harm: readonly string[];
  readonly #browser: Browser;

  private constructor(browser: Browser, page: Page, harm: readonly string[]) {
    this.#browser = browser;
    this.page = page;
    this.harm = harm;
  }

  /** Opens the console of a gateway, and signs in if it asks for a token. */
  static async open({
    url,
    token,
  }: {
    readonly url: string;
    readonly token?: string | undefined;
  }): Promise<ConsolePage> {
    const browser = await openBrowser(['attacker.lan']);
    const page = await browser.newPage();
    page.setDefaultTimeout(MAX_WAIT_MS);
    const harm = await watchHarm(page);
    await page.setViewport({ width: 1280, height: 900 });
    await page.goto(`${url}/console`);
    const opened = new ConsolePage(browser, page, harm);
    if (token !== undefined) await opened.signIn(token);
    return opened;
  }

  async signIn(token: string): Promise<void> {
    await this.fill('Token or key of the gateway', token);
    await this.press('Sign in');
    await this.page.locator('nav').wait();
  }

  /** Shows a view, such as `#/sessions/main`. */
  async show(hash: string): Promise<void> {
    await this.page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  }

  /** Presses a button or link by its accessible name, as soon as there is one. */
  async press(name: string, role = 'button'): Promise<void> {
    await this.page.locator(`::-p-aria([name="${name}"][role="${role}"])`).click();
  }

  /** Types into a field, by its label. */
  async fill(label: string, text: string): Promise<void> {
    await this.page.locator(`::-p-aria([name="${label}"])`).fill(text);
  }

  /** All text that is shown. */
  text(): Promise<string> {
    return this.page.evaluate('document.body.innerText') as Promise<string>;
  }

  /** Waits until the page shows a text. */
  async untilShown(text: string | RegExp, timeoutMs?: number): Promise<void> {
    const isIn = (shown: string) => (typeof text === 'string' ? shown.includes(text) : text.test(shown));
    await eventually(async () => assert.ok(isIn(await this.text()), `the page does not show ${text}`), timeoutMs);
  }

  /** The names of all buttons, links and fields that are shown. */
  async controls(): Promise<string[]> {
    const found = await this.page.$$('button, a[href], input, select, textarea');
    const names = found.map((one) =>
      one.evaluate((element: { textContent: string | null }) => element.textContent?.trim() ?? ''),
    );
    return (await Promise.all(names)).filter((name: string) => name !== '');
  }

  /**
   * Expects that the view needs no horizontal scrolling and that axe finds nothing serious, in light and dark, narrow
   * and wide. `CONSOLE_SCREENSHOTS=<folder>` saves screenshots.
   */
  async expectFit(name: string): Promise<void> {
    await expectFit(this.page, name, process.env.CONSOLE_SCREENSHOTS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }
}
