import {
  errorText,
  GatewayError,
  OVERLAP_SECONDS,
  type PairingCode,
  resultWithin,
  type WorkerEvent,
  type WorkerOptions,
  withDeadline,
} from '@chat-web/protocol';
import type { Page } from 'puppeteer';
import { collectGarbageSoon } from '../media/garbage-collection.ts';
import type { Capability } from '../page/contract/index.ts';
import type { LinkScreen } from '../page/linking.ts';
import type { BrowserProcess } from './browser-process.ts';
import { Capabilities } from './capabilities.ts';
import { endBrowser } from './close-browser.ts';
import { CodeLinking, notToBeLinked, TYPED_MS } from './code-linking.ts';
import { connectBrowser } from './connect-browser.ts';
import { AccountEvents } from './inbox/account-events.ts';
import { Inbox } from './inbox/inbox.ts';
import { storeOf } from './inbox/message-store.ts';
import { LinkScreenWatch } from './link-screen-watch.ts';
import type { PageSource } from './page-access.ts';
import type { PageLink } from './page-link.ts';
import { PageReport } from './page-report.ts';
import { PageWatch } from './page-watch.ts';
import type { LinkingCalls, Log, ReportEvent } from './port.ts';
import { SavedPages } from './saved-pages.ts';
import { SessionLifecycle } from './session-lifecycle.ts';
import { WhatsAppClient } from './whatsapp-client.ts';

/** The network records who looks up a number. Accounts were unlinked for look-ups right after linking. */
const NO_LOOK_UPS_MS = 10 * 60_000;
/** The number of messages whose acks the gateway remembers. */
const MAX_NEW_ACKS = 400;
/** How long the network waits for a requested passkey. */
const PASSKEY_MS = 10 * 60_000;
/** How long to wait for modules of the page that load late. */
const SUPPORT_TIMEOUT_MS = 10_000;
const UNLINK_TIMEOUT_MS = 5_000;

/** Options of a session. */
export interface SessionOptions extends WorkerOptions {
  /** The path of the page program. */
  readonly pageProgram: string;
}

/** How to stop a session. */
export interface StopOptions {
  /** Unlink this device from the phone first. */
  readonly unlink: boolean;
  /** How long the caller waits. Milliseconds. */
  readonly timeoutMs: number;
}

/**
 * One linked account in one browser, from launch to stop. The client's signals go to the lifecycle, which reports
 * events; messages go through the inbox; the watch detects what the page does not report.
 */
export class LinkedSession implements PageSource, LinkingCalls {
  readonly #options: SessionOptions;
  readonly #browser: BrowserProcess;
  readonly #report: ReportEvent;
  readonly #log: Log;
  readonly #pages: SavedPages;
  readonly #capabilities = new Capabilities();
  readonly #pageReport: PageReport;
  readonly #lifecycle: SessionLifecycle;
  readonly #client: WhatsAppClient;
  readonly #watch: PageWatch;
  readonly #linkScreen: LinkScreenWatch;
  readonly #codes: CodeLinking;

  /** `browser`: started for this session, and not connected yet. */
  constructor(options: SessionOptions, browser: BrowserProcess, report: ReportEvent, log: Log) {
    this.#options = options;
    this.#browser = browser;
    this.#report = report;
    this.#log = log;
    if (!browser.usesSandbox) log('warn', 'browser sandbox disabled', { see: 'SECURITY.md' });
    const { deliveredUntil, linkedAt, openAcks, pinnedPage: document, silenceTimeoutMs, wasMute } = options;
    const capabilities = this.#capabilities;
    const lookUpsFrom = () => this.#lookUpsFrom;

    this.#pages = new SavedPages(options.pagesDir);
    this.#pageReport = new PageReport(report, capabilities, log);
    const sources = {
      readAccount: () => this.link.run('readAccount'),
      readAcks: (ids: readonly string[]) => this.link.run('acksOf', ids),
      readNewAcks: () => this.link.run('acksSince', deliveredUntil - OVERLAP_SECONDS, MAX_NEW_ACKS),
      renderQr,
    };
    const store = storeOf(() => this.link);
    const inbox = new Inbox(report, store, log, deliveredUntil);
    const readChanges = (since: number, max: number) => this.link.run('changesSince', since, max);
    const accountEvents = new AccountEvents(report, readChanges, log, deliveredUntil, linkedAt);
    const lifecycle = new SessionLifecycle(
      (event) => this.#onEvent(event),
      sources,
      inbox,
      accountEvents,
      this.#pageReport,
      log,
      openAcks,
    );
    const connect = connectBrowser.bind(undefined, browser);
    const codes = new CodeLinking({
      ask: (number, notifiesPhone) => this.link.run('requestCode', number, notifiesPhone, TYPED_MS),
      returnToQr: async () => {
        await this.link.run('returnToQr', TYPED_MS);
        await this.link.run('refreshQr', TYPED_MS);
      },
      onVoid: () => lifecycle.onQrVoid(),
      onCode: (number, code) => lifecycle.onCode(number, code),
      onOver: () => client.releaseQr('code'),
      log,
    });
    const client = new WhatsAppClient(
      {
        connect,
        pageProgram: options.pageProgram,
        document,
        capabilities,
        lookUpsFrom,
        holdsQr: () => lifecycle.asksForPasskey || codes.isActive,
        onPageReloaded: () => codes.forget(),
      },
      lifecycle,
    );
    this.#watch = new PageWatch({
      client,
      capabilities,
      lifecycle,
      inbox,
      report: this.#pageReport,
      log,
      silenceTimeoutMs,
      wasMute,
      lookUpsFrom,
    });
    this.#linkScreen = new LinkScreenWatch({
      look: () => this.link.run('readLinkScreen', PASSKEY_MS),
      isLinking: () => lifecycle.isLinking,
      onScreen: (screen) => this.#onLinkScreen(screen),
    });
    this.#codes = codes;
    this.#lifecycle = lifecycle;
    this.#client = client;
  }

  /** Connects to the browser and loads the page; the outcome is reported as events. Never rejects. */
  async start(): Promise<void> {
    try {
      await this.#client.initialize();
      this.#watch.start();
      void this.#linkScreen.run();
    } catch (error) {
      this.#lifecycle.onFailure('LAUNCH_FAILED', errorText(error));
    }
  }

  #onLinkScreen({ passkey, code }: LinkScreen): void {
    const { asksForPasskey: asked } = this.#lifecycle;
    this.#lifecycle.onPasskey(passkey);
    if (passkey !== undefined)
      this.#codes.forget(); // The code was typed, or the QR scanned, before.
    else if (asked) this.#client.releaseQr('passkey');
    else if (code === 'renew') this.#codes.renew();
    else if (code === 'end') this.#codes.cancel();
  }

  #onEvent(event: WorkerEvent): void {
    if (event.name === 'authenticating' || event.name === 'ready') this.#codes.forget();
    this.#report(event);
    if (event.name !== 'ready') return;
    this.#linkScreen.stop();
    void this.#savePage();
    collectGarbageSoon(); // Garbage from the start.
  }

  /** Saves the working document, so that it can be pinned if a later one fails. Never rejects. */
  async #savePage(): Promise<void> {
    const { version } = this.#capabilities;
    const { pinnedPage } = this.#options;
    if (pinnedPage && version !== pinnedPage.version) {
      const reason = `page ${pinnedPage.version} is pinned, but the page reports version ${version}`;
      this.#pageReport.setFinding('page.version', reason);
    }
    const document = version === undefined ? undefined : this.#client.takeDocument();
    if (version === undefined || document === undefined) return;
    await this.#pages.save(version, document).catch((error: unknown) => {
      this.#log('warn', 'saving the page failed', { version, error: errorText(error) });
    });
  }

  async requestCode(number: string): Promise<PairingCode> {
    const assertIsLinking = () => {
      const { isLinking, asksForPasskey } = this.#lifecycle;
      if (!isLinking) throw notToBeLinked('it is not ready, or linked already');
      if (asksForPasskey) throw notToBeLinked('it asks for a passkey');
    };
    assertIsLinking();
    const isSupported = async () => {
      if (this.#capabilities.version === undefined) await this.#client.checkPage();
      await this.assertSupported(['requestPairingCode']);
    };
    await withDeadline(isSupported(), SUPPORT_TIMEOUT_MS, () => {
      throw new GatewayError('client_failed', 'the page does not respond; no code was requested');
    });
    assertIsLinking();
    return this.#codes.request(number);
  }

  /** Returns from a pairing code to the QR, if there is a code. */
  showQr(): void {
    this.#codes.cancel();
  }

  get page(): Page {
    return this.#client.page;
  }

  get link(): PageLink {
    return this.#client.link;
  }

  /** True while messages can be sent and received. */
  get isReady(): boolean {
    return this.#lifecycle.isReady;
  }

  /** Throws 501 if the page lacks a needed part. */
  async assertSupported(needed: readonly Capability[]): Promise<void> {
    if (await this.#capabilities.assertSupported(this.link, needed)) this.#pageReport.send();
  }

  /** Reports inbound messages since that time, in Unix seconds, again: now, or when the session is ready. */
  reportAgain(since: number): void {
    this.#lifecycle.reportAgain(since);
  }

  onSent(isConfirmed: boolean): void {
    this.#watch.onSent(isConfirmed);
  }

  /** The time from which numbers may be looked up, in milliseconds since 1970. */
  get #lookUpsFrom(): number {
    const linkedAt = this.#lifecycle.linkedAt || this.#options.linkedAt * 1_000;
    return linkedAt + NO_LOOK_UPS_MS;
  }

  /**
   * Stops the session and its browser, gracefully if possible. Returns within 10 s; no events are reported afterwards.
   */
  async stop(options: StopOptions): Promise<void> {
    const { isReady, isLinked } = this.#lifecycle;
    this.#lifecycle.end();
    this.#watch.stop();
    this.#linkScreen.stop();
    this.#codes.forget();
    if (options.unlink && isReady) await resultWithin(this.link.run('unlink', UNLINK_TIMEOUT_MS), UNLINK_TIMEOUT_MS);
    const { pupBrowser: browser, pupPage: page } = this.#client;
    if (!browser) {
      await resultWithin(this.#browser.kill(), options.timeoutMs); // Not connected yet: there is no page to save.
      return;
    }
    const mustSave = isLinked && !options.unlink;
    await endBrowser(this.#browser, browser, { page, mustSave, timeoutMs: options.timeoutMs }, this.#log);
  }
}

async function renderQr(text: string): Promise<string> {
  const { toDataURL } = await import('qrcode'); // Most sessions start with saved auth, and never need it.
  return toDataURL(text);
}
