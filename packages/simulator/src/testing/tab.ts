import type { BrowserContext, Page } from 'puppeteer';
import { expect } from 'vitest';
// The compiled one: it serves the compiled scripts next to it.
import { type Simulator, type SimulatorOptions, startSimulator } from '../../dist/index.js';
import { sharedBrowser } from './shared-browser.ts';

/** Waits for a state of a page. */
export function poll<T>(read: () => T | Promise<T>) {
  return expect.poll(read);
}

/** The page in a real browser, for tests of its scripts: one at a time in each process. */
export class Tab implements AsyncDisposable {
  readonly simulator: Simulator;
  readonly page: Page;
  readonly #profile: BrowserContext;

  private constructor(simulator: Simulator, profile: BrowserContext, page: Page) {
    this.simulator = simulator;
    this.#profile = profile;
    this.page = page;
  }

  static async open(options: SimulatorOptions = {}): Promise<Tab> {
    const quick = { refDelayMs: 0, pairDelayMs: 0, syncDelayMs: 0, ackDelayMs: 0, deliveryDelayMs: 0 };
    const { certificate, openProfile } = await sharedBrowser();
    const simulator = await startSimulator({ certificate, ...options, settings: { ...quick, ...options.settings } });
    let profile: BrowserContext | undefined;
    try {
      profile = await openProfile(simulator.port);
      const page = await profile.newPage();
      await page.goto('https://web.whatsapp.com/');
      return new Tab(simulator, profile, page);
    } catch (error) {
      await profile?.close();
      await simulator.close();
      throw error;
    }
  }

  static async linked(number: string, options?: SimulatorOptions): Promise<Tab> {
    const tab = await Tab.open(options);
    await tab.link(number);
    return tab;
  }

  get phones() {
    return this.simulator.phones;
  }

  /** Links the page to an account, until it has synced. */
  async link(number: string): Promise<void> {
    await this.pair(number);
    await this.untilSynced();
  }

  /** The same, until its login is accepted. */
  async pair(number: string): Promise<void> {
    await this.scan(number);
    await poll(async () => (await this.look())?.socketState).toBe('CONNECTED');
  }

  /** The phone scans the QR of the page, once it shows one; resolves with that QR. */
  async scan(number: string): Promise<string> {
    await poll(async () => (await this.look())?.qr).toBeDefined();
    const qr = (await this.look())?.qr ?? '';
    await this.phones.scan(number, qr);
    return qr;
  }

  async untilSynced(): Promise<void> {
    await poll(async () => (await this.look())?.hasSynced).toBe(true);
  }

  async look() {
    return (await this.phones.pages())[0];
  }

  /** Runs a script in the page: an expression, which may await, over `require` and the arguments as `a`. */
  run<T>(script: string, ...args: unknown[]): Promise<T> {
    return this.page.evaluate(
      async (text, given) => (await new Function('a', `return (async () => { ${text} })()`)(given)) as never,
      script,
      args,
    );
  }

  /** The same for a script that must fail: the visible fields of its error in the page. */
  async fail(script: string, ...args: unknown[]): Promise<Record<string, unknown>> {
    const body = `try { await (async () => { ${script} })(); return { did: 'not fail' }; }
      catch (e) { return { name: e.name, message: e.message, ...e }; }`;
    return this.run(body, ...args);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#profile.browser().connected && !this.#profile.closed) await this.#profile.close();
    await this.simulator.close();
  }
}
