import { once } from 'node:events';
import { errorText, type WorkerOptions } from '@chat-web/protocol';
import type { Page } from 'puppeteer';
import type { Capability } from '../page/contract.ts';
import { hasChanged, inboundSince, loadSince, messageModels } from '../page/inbox.ts';
import { readAccount, unlink } from '../page/session.ts';
import type { BrowserSearch } from './browser.ts';
import { Capabilities } from './capabilities.ts';
import { closeBrowser, inTime } from './close-browser.ts';
import { SessionEvents } from './events.ts';
import { Inbox } from './inbox.ts';
import { launchOptions } from './launch-options.ts';
import type { PageSource } from './page-access.ts';
import { PageReport } from './page-report.ts';
import { PageWatch } from './page-watch.ts';
import type { Log, ReportEvent } from './port.ts';
import { SavedPages } from './saved-pages.ts';
import { WhatsAppClient } from './whatsapp-client.ts';

/** How long the page may take to load what came while nobody listened. */
const LOAD_LIMITS = { timeoutMs: 30_000, mostMessages: 2_000 };
/** Looking a number up makes the network write down who it belongs to: right after a link that has done harm. */
const NO_LOOK_UPS_MS = 10 * 60_000;
const UNLINK_TIMEOUT_MS = 5_000;
/** Of page and browser. One that was in use gets more: many that end at once share the cores. */
const CLOSE_TIMEOUT_MS = 3_000;
const READY_CLOSE_TIMEOUT_MS = 6_000;
/** What is left for the killing of a browser that has not closed by then. */
const KILL_MS = 500;
const EXIT_TIMEOUT_MS = 1_000;

/** How a session is to end. */
export interface Ending {
  /** The phone is told that this device goes. */
  readonly unlink: boolean;
  /** When whoever wants it will not wait any longer. */
  readonly timeoutMs: number;
}

/** One linked account in one browser, from launch to end. */
export class LinkedSession implements PageSource {
  readonly #client: WhatsAppClient;
  readonly #events: SessionEvents;
  readonly #watch: PageWatch;
  readonly #capabilities = new Capabilities();
  readonly #report: PageReport;
  readonly #pages: SavedPages;
  readonly #options: WorkerOptions;
  readonly #log: Log;

  /** Throws where no browser is to be found. */
  constructor(options: WorkerOptions, env: BrowserSearch['env'], report: ReportEvent, log: Log) {
    const { sessionDir, heardUntil, pinnedPage, silenceTimeoutMs, wasMute } = options;
    this.#options = options;
    this.#log = log;
    this.#pages = new SavedPages(options.pagesDir);
    this.#report = new PageReport(report, this.#capabilities, log);
    const held = {
      load: (seconds: number) => this.page.evaluate(loadSince, seconds, LOAD_LIMITS),
      hasChanged: (seconds: number) => this.page.evaluate(hasChanged, seconds),
      since: (seconds: number) => this.page.evaluate(inboundSince, seconds),
      models: (ids: readonly string[]) => this.page.evaluate(messageModels, ids),
    };
    const inbox = new Inbox(report, held, log, heardUntil);
    const sources = { readAccount: () => this.page.evaluate(readAccount), renderQr };
    const tell: ReportEvent = (event) => {
      report(event);
      if (event.name === 'ready') void this.#keepPage();
    };
    this.#events = new SessionEvents(tell, sources, inbox, this.#report, log);
    const puppeteer = launchOptions(options, env);
    if (puppeteer.args.includes('--no-sandbox')) log('warn', 'the browser runs without a sandbox: see Security');
    const [capabilities, lookUpsFrom] = [this.#capabilities, () => this.#lookUpsFrom];
    this.#client = new WhatsAppClient(
      { sessionDir, puppeteer, document: pinnedPage, capabilities, lookUpsFrom },
      this.#events,
    );
    this.#watch = new PageWatch({
      ...{ client: this.#client, capabilities, events: this.#events, inbox, report: this.#report, log },
      ...{ silenceTimeoutMs, wasMute, lookUpsFrom },
    });
  }

  get page(): Page {
    return this.#client.page;
  }

  /** True while messages can be sent and are heard. */
  get isReady(): boolean {
    return this.#events.isReady;
  }

  /** Throws 501 where the page lacks what is needed. */
  async assertSupported(needed: readonly Capability[]): Promise<void> {
    if (await this.#capabilities.assertSupported(this.page, needed)) this.#report.tell();
  }

  /** From when on the network may be asked about numbers, in milliseconds since 1970. */
  get #lookUpsFrom(): number {
    const linkedAt = this.#events.linkedAt || this.#options.linkedAt * 1_000;
    return linkedAt + NO_LOOK_UPS_MS;
  }

  /** Keeps the document that works, for a day on which the next one does not. Never rejects. */
  async #keepPage(): Promise<void> {
    const { version } = this.#capabilities;
    const { pinnedPage } = this.#options;
    if (pinnedPage && version !== pinnedPage.version)
      this.#report.found(
        'page.version',
        `page ${pinnedPage.version} was chosen, and the page says that it is ${version}`,
      );
    if (version === undefined) return;
    const document = this.#client.takeDocument();
    if (document === undefined) return;
    await this.#pages.keep(version, document).catch((error: unknown) => {
      this.#log('warn', `the document of page ${version} could not be kept: ${errorText(error)}`);
    });
  }

  onSent(isConfirmed: boolean): void {
    this.#watch.onSent(isConfirmed);
  }

  /** Launches the browser and loads the page; what comes of it is reported as events. Never rejects. */
  async start(): Promise<void> {
    try {
      await this.#client.initialize();
      this.#watch.start();
    } catch (error) {
      this.#events.onFailure('LAUNCH_FAILED', errorText(error));
    }
  }

  /** Ends the session and its browser, gracefully if it can be. Returns within 10 s; nothing is reported after. */
  async stop(
    { unlink: unlinkFirst, timeoutMs }: Ending = { unlink: false, timeoutMs: CLOSE_TIMEOUT_MS },
  ): Promise<void> {
    const wasReady = this.#events.isReady;
    const wasLinked = this.#events.isLinked;
    this.#events.end();
    this.#watch.stop();
    if (unlinkFirst && wasReady) await inTime(this.#client.page.evaluate(unlink), UNLINK_TIMEOUT_MS);
    const browser = this.#client.pupBrowser;
    if (!browser) return; // Still being launched: it ends with the pipe to this process.
    const browserProcess = browser.process();
    const keepsWritten = wasLinked && !unlinkFirst;
    const closeMs = keepsWritten ? Math.min(READY_CLOSE_TIMEOUT_MS, timeoutMs - KILL_MS) : CLOSE_TIMEOUT_MS;
    const closeBy = performance.now() + closeMs;
    const isWritten = await closeBrowser(browser, this.#client.pupPage, { closeBy, keepsWritten });
    if (!isWritten) this.#log('warn', 'what the page wrote last may be missing: it could not be confirmed in time');
    if (!browserProcess?.pid || browserProcess.exitCode !== null || browserProcess.signalCode !== null) return;
    this.#log('warn', 'the browser did not close in time and is killed');
    const exit = once(browserProcess, 'exit');
    try {
      process.kill(-browserProcess.pid, 'SIGKILL'); // The browser leads a process group of its own.
    } catch {
      return; // It has just ended by itself.
    }
    // A killed process keeps its files open until its memory is given back; the next browser wants the same files.
    await inTime(exit, EXIT_TIMEOUT_MS);
  }
}

async function renderQr(text: string): Promise<string> {
  const { toDataURL } = await import('qrcode'); // Most sessions start with saved auth, and never need it.
  return toDataURL(text);
}
