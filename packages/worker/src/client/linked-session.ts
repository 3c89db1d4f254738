import {
  errorText,
  GatewayError,
  type PairingCode,
  pause,
  resultWithin,
  type WorkerOptions,
  withDeadline,
} from '@chat-web/protocol';
import type { Page } from 'puppeteer';
import { collectGarbageSoon } from '../media/garbage-collection.ts';
import type { Capability } from '../page/contract/index.ts';
import type { BrowserProcess } from './browser-process.ts';
import { Capabilities } from './capabilities.ts';
import { endBrowser } from './close-browser.ts';
import { CodeLinking, notToBeLinked, TYPED_MS } from './code-linking.ts';
import { connectBrowser } from './connect-browser.ts';
import { Deliveries } from './inbox/deliveries.ts';
import { awaitsQr, isLinked, isLinking, type LinkEffect, type LinkEvent, NEW_LINK, next } from './link-state.ts';
import { type PageSource, SUPPORT_TIMEOUT_MS } from './page-access.ts';
import { wasNavigated } from './page-errors.ts';
import type { PageLink, ReceivedSignal } from './page-link.ts';
import { PageReport } from './page-report.ts';
import { PageWatch } from './page-watch.ts';
import type { LinkingCalls, Log, ReportEvent, RunInPage } from './port.ts';
import { proxyFault } from './proxy-login.ts';
import { toSessionInfo } from './resources.ts';
import { SavedPages } from './saved-pages.ts';
import { WhatsAppClient } from './whatsapp-client.ts';

/** The network records who looks up a number. Accounts were unlinked for look-ups right after linking. */
const NO_LOOK_UPS_MS = 10 * 60_000;
/** How long the network waits for a requested passkey. */
const PASSKEY_MS = 10 * 60_000;
/** How often the link screen is read, which does not report changes itself. */
const SCREEN_INTERVAL_MS = 1_500;
const SCREEN_TIMEOUT_MS = 10_000;
const UNLINK_TIMEOUT_MS = 5_000;
const NOT_NAMED = 'this build of the page does not take a name: the phone shows its own';

export interface SessionDependencies {
  readonly options: WorkerOptions;
  /** The path of the page program. */
  readonly pageProgram: string;
  /** Started for this session, and not connected yet. */
  readonly browser: BrowserProcess;
  readonly report: ReportEvent;
  readonly log: Log;
}

/** How to stop a session. */
export interface StopOptions {
  /** Unlink this device from the phone first. */
  readonly unlink: boolean;
  /** How long the caller waits. Milliseconds. */
  readonly timeoutMs: number;
}

/**
 * One linked account in one browser, from launch to stop. What happens to it are events of its link state (`dispatch`),
 * whose effects it runs; what its page delivers goes to the deliveries; the watch detects what the page does not report.
 */
export class LinkedSession implements PageSource, LinkingCalls {
  readonly #dependencies: SessionDependencies;
  readonly #pages: SavedPages;
  readonly #capabilities = new Capabilities();
  readonly #pageReport: PageReport;
  readonly #deliveries: Deliveries;
  readonly #client: WhatsAppClient;
  readonly #watch: PageWatch;
  readonly #codes: CodeLinking;
  readonly #over = new AbortController();
  #state = NEW_LINK;
  #qrTimer: NodeJS.Timeout | undefined;
  #lastActivityAt = Date.now();

  constructor(dependencies: SessionDependencies) {
    this.#dependencies = dependencies;
    const { options, browser, log, report } = dependencies;
    if (browser.unsandboxed !== undefined) {
      log('warn', 'browser sandbox disabled', { reason: browser.unsandboxed, see: 'SECURITY.md' });
      report({ name: 'unsandboxed', reason: browser.unsandboxed });
    }
    const capabilities = this.#capabilities;
    const run: RunInPage = (name, ...args) => this.link.run(name, ...args);
    this.#pages = new SavedPages(options.pagesDir);
    this.#pageReport = new PageReport({ report, capabilities, log });
    this.#deliveries = new Deliveries({ ...options, run, report, log });
    this.#client = new WhatsAppClient({
      connect: connectBrowser.bind(undefined, browser),
      pageProgram: dependencies.pageProgram,
      document: options.pinnedPage,
      // The browser has no credentials for others.
      proxyLogin: options.proxy?.url.startsWith('http') ? options.proxy : undefined,
      deviceName: options.deviceName,
      capabilities,
      log,
      dispatch: (event) => this.dispatch(event),
      onSignal: (signal) => this.#onSignal(signal),
      onNamed: (isNamed) => this.#pageReport.setFinding('deviceName', isNamed ? undefined : NOT_NAMED),
      onPageChecked: () => this.#pageReport.send(),
      awaitsQr: () => awaitsQr(this.#state),
      lookUpsFrom: () => this.lookUpsFrom,
    });
    this.#watch = new PageWatch({
      session: this,
      client: this.#client,
      capabilities,
      inbox: this.#deliveries.inbox,
      report: this.#pageReport,
      log,
      options,
    });
    this.#codes = new CodeLinking({
      ask: (number, notifiesPhone) => run('requestCode', number, notifiesPhone, TYPED_MS),
      returnToQr: async () => {
        await run('returnToQr', TYPED_MS);
        await run('refreshQr', TYPED_MS, PASSKEY_MS);
      },
      dispatch: (event) => this.dispatch(event),
      log,
    });
  }

  /** Connects to the browser and loads the page; the outcome is reported as events. Never rejects. */
  async start(): Promise<void> {
    try {
      await this.#client.initialize();
      this.#watch.start();
      void this.#pollLinkScreen();
    } catch (error) {
      const detail = errorText(error);
      const fault = this.#dependencies.options.proxy && proxyFault(detail);
      if (fault) this.dispatch({ name: 'failed', reason: 'PROXY_FAILED', detail: fault });
      else this.dispatch({ name: 'failed', reason: 'LAUNCH_FAILED', detail });
    }
  }

  /** Something has happened to the link: changes the state, and runs what follows. */
  dispatch(event: LinkEvent): void {
    const { socket } = this.#state;
    const { state, effects } = next(this.#state, event, Date.now());
    this.#state = state;
    if (state.socket !== socket) {
      this.#dependencies.log('debug', 'socket state changed', { from: socket, to: state.socket });
      this.onNetworkActivity();
    }
    for (const effect of effects) this.#run(effect);
  }

  #run(effect: LinkEffect): void {
    switch (effect.type) {
      case 'report':
        this.#dependencies.report(effect.event);
        break;
      case 'render_qr':
        void this.#renderQr(effect.text);
        break;
      case 'request_qr':
        this.link.run('refreshQr', TYPED_MS, PASSKEY_MS).catch(() => {}); // `qr_due` requests another.
        break;
      case 'set_qr_timer':
        clearTimeout(this.#qrTimer);
        if (effect.ms !== undefined) this.#qrTimer = setTimeout(() => void this.#onQrDue(), effect.ms).unref();
        break;
      case 'forget_code':
        this.#codes.forget();
        break;
      case 'renew_code':
        this.#codes.renew();
        break;
      case 'end_code':
        this.#codes.cancel();
        break;
      case 'read_account':
        void this.#readAccount(effect.isExpected);
        break;
      case 'discard_history':
        this.#deliveries.discardHistory();
        break;
      case 'pause':
        this.#deliveries.pause();
        break;
      case 'became_ready':
        this.#onReady();
        break;
      case 'close':
        this.#close();
    }
  }

  /** The page signals something of its account. `own`: a message that this page sends, which proves no connection. */
  #onSignal(signal: ReceivedSignal): void {
    if (signal.is === 'dialogs') {
      this.#watch.onNews();
      return;
    }
    if (signal.is !== 'own') this.onNetworkActivity();
    this.#deliveries.onSignal(signal);
  }

  #onReady(): void {
    this.onNetworkActivity();
    void this.#savePage();
    collectGarbageSoon(); // Garbage from the start.
    void this.#deliveries.catchUp();
  }

  #close(): void {
    this.#over.abort();
    clearTimeout(this.#qrTimer);
    this.#codes.forget();
    this.#watch.stop();
    this.#deliveries.end();
  }

  async #renderQr(text: string): Promise<void> {
    try {
      const { toDataURL } = await import('qrcode'); // Most sessions start with saved auth, and never need it.
      this.dispatch({ name: 'qr_rendered', text, image: await toDataURL(text) });
    } catch (error) {
      const detail = `rendering the QR failed (${errorText(error)})`;
      this.dispatch({ name: 'failed', reason: 'PAGE_FAILED', detail });
    }
  }

  /** Never rejects. */
  async #onQrDue(): Promise<void> {
    // The page may have been linked before its QR was reported.
    const state = await this.link.run('readPageState').catch(() => undefined);
    if (state?.socketState) this.dispatch({ name: 'socket', state: state.socketState });
    this.dispatch({ name: 'qr_due' });
  }

  /** `isExpected`: the account must be readable, since the page is connected and listened to. Never rejects. */
  async #readAccount(isExpected: boolean): Promise<void> {
    try {
      const info = toSessionInfo(await this.link.run('readAccount'));
      this.dispatch({ name: 'account', info, isExpected });
    } catch (error) {
      // Not loaded yet: read again at the next poll of the page. A navigated page is read when it is connected again.
      if (!isExpected || wasNavigated(error)) return;
      const detail = `reading the account failed (${errorText(error)})`;
      this.dispatch({ name: 'account_unreadable', detail });
    }
  }

  /** Reads the link screen until the session is ready. Frozen and reloaded pages are detected elsewhere. Never rejects. */
  async #pollLinkScreen(): Promise<void> {
    const { signal } = this.#over;
    for (;;) {
      await pause(SCREEN_INTERVAL_MS, signal);
      if (signal.aborted || this.isReady) return;
      if (!isLinking(this.#state)) continue;
      const screen = await resultWithin(this.link.run('readLinkScreen', PASSKEY_MS), SCREEN_TIMEOUT_MS);
      if (screen) this.dispatch({ name: 'screen', ...screen });
    }
  }

  /** Saves the working document, so that it can be pinned if a later one fails. Never rejects. */
  async #savePage(): Promise<void> {
    const { version } = this.#capabilities;
    const { pinnedPage } = this.#dependencies.options;
    if (pinnedPage && version !== pinnedPage.version) {
      const reason = `page ${pinnedPage.version} is pinned, but the page reports version ${version}`;
      this.#pageReport.setFinding('page.version', reason);
    }
    const document = version === undefined ? undefined : this.#client.takeDocument();
    if (version === undefined || document === undefined) return;
    await this.#pages.save(version, document).catch((error: unknown) => {
      this.#dependencies.log('warn', 'saving the page failed', { version, error: errorText(error) });
    });
  }

  async requestCode(number: string): Promise<PairingCode> {
    const assertIsLinking = () => {
      if (!isLinking(this.#state)) throw notToBeLinked('it is not ready, or linked already');
      if (this.#state.passkey !== undefined) throw notToBeLinked('it asks for a passkey');
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
    return this.#state.phase === 'ready';
  }

  /** Throws 501 if the page lacks a needed part. */
  async assertSupported(needed: readonly Capability[]): Promise<void> {
    if (await this.#capabilities.assertSupported(this.link, needed)) this.#pageReport.send();
  }

  /** Reports inbound messages since that time, in Unix seconds, again: now, or when the session is ready. */
  reportAgain(since: number): void {
    this.#deliveries.inbox.lookAgain(since);
    if (this.isReady) void this.#deliveries.catchUp();
  }

  onSent(isConfirmed: boolean): void {
    this.#watch.onSent(isConfirmed);
  }

  /** The network has sent something. */
  onNetworkActivity(): void {
    this.#lastActivityAt = Date.now();
  }

  /** When the network last sent anything, in milliseconds since 1970. */
  get lastNetworkActivityAt(): number {
    return this.#lastActivityAt;
  }

  /** The time from which numbers may be looked up, in milliseconds since 1970. */
  get lookUpsFrom(): number {
    const linkedAt = this.#state.linkedAt || this.#dependencies.options.linkedAt * 1_000;
    return linkedAt + NO_LOOK_UPS_MS;
  }

  /**
   * Stops the session and its browser, gracefully if possible. Returns within 10 s; no events are reported afterwards.
   */
  async stop({ unlink, timeoutMs }: StopOptions): Promise<void> {
    const { isReady } = this;
    const mustSave = isLinked(this.#state) && !unlink;
    this.dispatch({ name: 'stopped' });
    if (unlink && isReady) await resultWithin(this.link.run('unlink', UNLINK_TIMEOUT_MS), UNLINK_TIMEOUT_MS);
    const { browser: browserProcess, log } = this.#dependencies;
    const { pupBrowser: browser, pupPage: page } = this.#client;
    // Not connected yet: there is no page to save.
    if (!browser) await resultWithin(browserProcess.kill(), timeoutMs);
    else await endBrowser(browserProcess, browser, { page, mustSave, timeoutMs }, log);
  }
}
