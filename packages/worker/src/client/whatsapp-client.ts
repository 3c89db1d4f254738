import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { errorText, type WorkerFailure } from '@chat-web/protocol';
import type { Browser, Page, Target } from 'puppeteer';
import type { PageState } from '../page/session.ts';
import type { Capabilities } from './capabilities.ts';
import { CrashWatch } from './crash-watch.ts';
import { USER_AGENT } from './launch-options.ts';
import { EXPOSED, LibraryClient, PAGE_URL } from './library.ts';
import type { LinkEvent } from './link-state.ts';
import { type PageDocument, servePage, watchDocument } from './page-document.ts';
import { wasNavigated } from './page-errors.ts';
import { PageLink, type ReceivedSignal } from './page-link.ts';
import type { Log } from './port.ts';
import { ProxyLogin } from './proxy-login.ts';

/** The referrer that the library sends. */
const REFERER = 'https://whatsapp.com/';
const INJECTION_RETRY_MS = 50;
const REGISTRY_POLL_MS = 100;
/** How long a page may take to connect again with its name. */
const NAMING_TIMEOUT_MS = 5_000;
/** The library's own time limit for the page: longer than any start. The gateway limits the start. */
const LIBRARY_TIMEOUT_MS = 3_600_000;
/** How long the page may take to load the parts that every session needs. */
const ESSENTIALS_TIMEOUT_MS = 30_000;
const ESSENTIALS_POLL_MS = 1_000;

export interface ClientDependencies {
  /** Connects to the session's browser. */
  connect(targetFilter: (target: Target) => boolean): Promise<Browser>;
  /** The path of the page program. */
  readonly pageProgram: string;
  /** The document to load instead of the network's. */
  readonly document?: PageDocument | undefined;
  /** What the proxy of the browser may ask for. Absent: no proxy, or one that never asks. */
  readonly proxyLogin?: { readonly username?: string | undefined; readonly password?: string | undefined } | undefined;
  /** The name of the device, if this page is linked. */
  readonly deviceName?: string | undefined;
  readonly capabilities: Capabilities;
  readonly log: Log;
  /** Something has happened to the account's link. Events are in order, and may be repeated. */
  dispatch(event: LinkEvent): void;
  /** What the page program signals, except about sends. */
  onSignal(signal: ReceivedSignal): void;
  /** Whether the page takes the name of the device. */
  onNamed(isNamed: boolean): void;
  /** The page was checked for needed parts: `capabilities` has the result. */
  onPageChecked(): void;
  /** True while the page shows a QR, or may show one. */
  awaitsQr(): boolean;
  /** The time from which numbers may be looked up, in milliseconds since 1970. */
  lookUpsFrom(): number;
}

/**
 * The library's client, hardened against its page: one injection at a time and one per document, the page's state
 * polled besides its events, our own listeners, and no unhandled rejections.
 */
export class WhatsAppClient extends LibraryClient {
  readonly #dependencies: ClientDependencies;
  readonly #exposed = new Set<string>();
  /** Functions that are being exposed to the page. */
  #exposing: Promise<void>[] = [];
  #injection: Promise<void> | undefined;
  #injectAgain = false;
  #sync: Promise<void> | undefined;
  #syncAgain = false;
  #document: PageDocument | undefined;
  #link: PageLink | undefined;

  constructor(dependencies: ClientDependencies) {
    super({ authTimeoutMs: LIBRARY_TIMEOUT_MS, webVersionCache: { type: 'none' } });
    this.#dependencies = dependencies;
    this.on('qr', (text) => dependencies.dispatch({ name: 'qr', text }));
  }

  /** The page; throws before the browser is started. */
  get page(): Page {
    if (!this.pupPage) throw new Error('the browser is not started yet');
    return this.pupPage;
  }

  /** Our own connection to the page; throws before the browser is started. */
  get link(): PageLink {
    if (!this.#link) throw new Error('the browser is not started yet');
    return this.#link;
  }

  /** Returns the last document loaded from the network, once; none if a saved one was loaded instead. */
  takeDocument(): PageDocument | undefined {
    const document = this.#document;
    this.#document = undefined;
    return document;
  }

  /** Connects to the browser, and loads the page. Replaces the library's own steps, which also launch the browser. */
  override async initialize(): Promise<void> {
    const crashes = new CrashWatch(() => this.#fail('PAGE_CRASHED'));
    const browser = await this.#dependencies.connect(crashes.filter);
    this.pupBrowser = browser;
    browser.on('disconnected', () => this.#fail('BROWSER_EXITED'));
    const [page] = await browser.pages();
    if (!page) throw new Error('the browser has no page');
    this.pupPage = page;
    await crashes.attached();
    const { proxyLogin } = this.#dependencies;
    const login = proxyLogin && new ProxyLogin(proxyLogin, (why) => this.#fail('PROXY_FAILED', why));
    await Promise.all([this.#preparePage(page), login?.begin(browser)]);
    // No time limit of its own: the gateway limits the start.
    await page.goto(PAGE_URL, { waitUntil: 'load', timeout: 0, referer: REFERER });
    void login?.pageLoaded(page);
    await this.inject();
    page.on('framenavigated', () => void this.inject());
  }

  /** Runs all steps at once: each is several calls to the browser. */
  async #preparePage(page: Page): Promise<void> {
    const { document } = this.#dependencies;
    const onGone = () => {
      const detail = 'the page was closed, or the browser detached from it';
      if (this.pupBrowser?.connected) this.#fail('PAGE_CRASHED', detail);
    };
    page.on('close', onGone);
    const expose = page.exposeFunction.bind(page);
    page.exposeFunction = async (name, handler) => {
      // The library checks in the page whether a name is exposed; right after a navigation it may not be yet.
      if (this.#exposed.has(name)) return;
      this.#exposed.add(name);
      // The library would wait for each in turn. Its next call reaches the page after this one anyway.
      const exposing = expose(name, this.#replacement(name, handler as () => unknown));
      exposing.catch(() => {}); // Awaited after the injection.
      this.#exposing.push(exposing);
    };
    const link = await PageLink.open(page, readFileSync(this.#dependencies.pageProgram, 'utf8'), {
      onSignal: this.#dependencies.onSignal,
      onDetached: onGone,
    });
    this.#link = link;
    await Promise.all([
      link.overrideUserAgent(USER_AGENT),
      document
        ? servePage(link, document)
        : watchDocument(link, (loaded) => {
            this.#document = loaded;
          }),
    ]);
  }

  /** Called after the first load and after every navigation of any frame. Never rejects. */
  override inject(): Promise<void> {
    this.#injectAgain = true;
    this.#injection ??= this.#injectUntilCurrent().finally(() => {
      this.#injection = undefined;
    });
    return this.#injection;
  }

  /**
   * Called by the library once its own functions are in the page. Its listeners are not used: see `page/listeners.ts`.
   */
  override async attachEventListeners(): Promise<void> {
    const { document, listening } = await this.link.run('readPageState');
    if (listening) return; // The page was navigated meanwhile: this call belongs to the previous document.
    await Promise.all([this.#waitForEssentials(), this.link.listen()]);
    await this.link.run('attach', document, this.#dependencies.lookUpsFrom());
  }

  #fail(reason: WorkerFailure, detail?: string): void {
    this.#dependencies.dispatch({ name: 'failed', reason, detail });
  }

  /** Checks which parts the page has, and signals the check. */
  async checkPage(): Promise<void> {
    await this.#dependencies.capabilities.check(this.link);
    this.#dependencies.onPageChecked();
  }

  /** Checks again, and attaches listeners to parts that were loaded meanwhile. */
  async checkLateParts(): Promise<void> {
    await this.checkPage();
    await this.link.run('listenToChanges');
  }

  /** Waits for the parts that every session needs: modules may load late. Throws if they do not load. */
  async #waitForEssentials(): Promise<void> {
    const deadline = Date.now() + ESSENTIALS_TIMEOUT_MS;
    this.#dependencies.capabilities.onPageLoaded();
    await this.checkPage();
    for (;;) {
      const why = this.#dependencies.capabilities.unusableFor('session');
      if (!why) return;
      if (Date.now() > deadline) throw new UnsupportedPageError(why);
      await delay(ESSENTIALS_POLL_MS);
      await this.checkPage();
    }
  }

  async #injectUntilCurrent(): Promise<void> {
    while (this.#injectAgain && !this.page.isClosed() && this.pupBrowser?.connected) {
      this.#injectAgain = false;
      let before: PageState | undefined;
      try {
        before = await this.link.run('readPageState');
        if (!before.injected) {
          this.#dependencies.dispatch({ name: 'reloaded' });
          // No time limit of its own: the gateway limits the start, and this loop ends with the page.
          while (!(await this.link.run('prepareModules'))) await delay(REGISTRY_POLL_MS);
          this.#dependencies.dispatch({ name: 'progress' });
          await this.#nameDevice();
          await this.link.run('watchLinking'); // Before a QR is shown, which may be scanned at once.
          await super.inject();
          await Promise.all(this.#exposing.splice(0));
          await this.link.run('mark', before.document, 'injected');
        }
        await this.#pollState();
      } catch (error) {
        if (await wasReplaced(this.link, before, error)) {
          this.#injectAgain = true;
          // A closing page refuses calls at once; its close event needs a turn of the event loop.
          await delay(INJECTION_RETRY_MS);
        } else await this.#onSetUpFailed('page set-up failed', error);
      }
    }
  }

  async #nameDevice(): Promise<void> {
    const { deviceName, onNamed } = this.#dependencies;
    if (deviceName !== undefined) onNamed(await this.link.run('nameDevice', deviceName, NAMING_TIMEOUT_MS));
  }

  async #pollState(): Promise<void> {
    const state = await this.link.run('readPageState');
    if (!state.injected) this.#injectAgain = true;
    if (state.socketState) this.#onSocketState(state.socketState);
    if (state.hasSynced) await this.page.evaluate(`window.${EXPOSED.synced}()`);
    // Also before linking, so that the operator sees what will not work.
    else if (state.injected && state.socketState?.startsWith('UNPAIRED')) this.checkPage().catch(() => {});
  }

  /** A page that lacks essential parts has a separate reason: an early retry does not help. */
  async #onSetUpFailed(what: string, error: unknown): Promise<void> {
    const { capabilities, awaitsQr } = this.#dependencies;
    if (!(error instanceof UnsupportedPageError)) await this.checkPage().catch(() => {});
    const why = capabilities.unusableFor('session') ?? (awaitsQr() ? capabilities.unusableFor('link') : undefined);
    if (why) this.#fail('PAGE_UNSUPPORTED', why);
    else this.#fail('PAGE_FAILED', `${what} (${errorText(error)})`);
  }

  /** One run at a time: two at once would both see a page without listeners, and attach them twice. */
  #syncOnce(attach: () => unknown): Promise<void> {
    this.#syncAgain = true;
    this.#sync ??= this.#syncUntilCurrent(attach).finally(() => {
      this.#sync = undefined;
    });
    return this.#sync;
  }

  async #syncUntilCurrent(attach: () => unknown): Promise<void> {
    while (this.#syncAgain && !this.page.isClosed()) {
      this.#syncAgain = false;
      let before: PageState | undefined;
      try {
        before = await this.link.run('readPageState');
        if (!before.injected) continue; // The event belongs to the previous document.
        this.#dependencies.dispatch({ name: 'progress' });
        await attach();
        const after: PageState = await this.link.run('readPageState');
        if (after.listening) this.#dependencies.dispatch({ name: 'listening' });
        else if (after.injected && after.document === before.document)
          this.#fail('PAGE_FAILED', 'the listeners were not attached to the page');
      } catch (error) {
        if (!(await wasReplaced(this.link, before, error)))
          await this.#onSetUpFailed('attaching the listeners failed', error);
      }
    }
  }

  /** A handler of the library, or ours instead. It must not reject: the error would be lost in the page. */
  #replacement(name: string, handler: (...args: unknown[]) => unknown): (...args: unknown[]) => unknown {
    switch (name) {
      case EXPOSED.socketState:
        return (state) => (typeof state === 'string' ? this.#onSocketState(state) : undefined);
      case EXPOSED.synced:
        return () => this.#syncOnce(handler);
      case EXPOSED.progress:
        return () => this.#dependencies.dispatch({ name: 'progress' });
      case EXPOSED.logout:
        return () => this.#dependencies.dispatch({ name: 'unlinked' });
      default:
        return async (...args) => {
          try {
            await handler(...args);
          } catch (error) {
            if (wasNavigated(error)) return;
            this.#dependencies.log('warn', 'page event handler failed', { handler: name, error: errorText(error) });
          }
        };
    }
  }

  #onSocketState(state: string): void {
    this.#dependencies.dispatch({ name: 'socket', state });
  }
}

/**
 * True if a navigation explains an error: the document of `before` was replaced. The call may also have run in the next
 * document while that was loading, and failed there. Never rejects.
 */
async function wasReplaced(link: PageLink, before: PageState | undefined, error: unknown): Promise<boolean> {
  if (wasNavigated(error)) return true;
  try {
    return before !== undefined && before.document !== (await link.run('readPageState')).document;
  } catch (again) {
    return wasNavigated(again);
  }
}

/** The page lacks parts that every session needs. */
class UnsupportedPageError extends Error {}
