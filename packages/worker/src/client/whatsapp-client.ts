import { setTimeout as delay } from 'node:timers/promises';
import { errorText, type WorkerFailure } from '@chat-web/protocol';
import type { Page } from 'puppeteer';
import type wwebjs from 'whatsapp-web.js';
import { closeDialogs } from '../page/dialogs.ts';
import { listen } from '../page/listeners.ts';
import { prepareModules } from '../page/modules.ts';
import { mark, type PageLevels, readLevels, refreshQr } from '../page/session.ts';
import { installFileTools } from '../page/tools/files.ts';
import { installGroupTools } from '../page/tools/groups.ts';
import { installIdTools } from '../page/tools/identities.ts';
import { installMessageTools } from '../page/tools/messages.ts';
import { installOutcomeTools } from '../page/tools/outcomes.ts';
import type { Capabilities } from './capabilities.ts';
import { tellOfCrash } from './first-crash.ts';
import { LibraryClient, LocalAuth } from './library.ts';
import { type PageDocument, servePage, watchDocument } from './page-document.ts';
import { wasNavigated } from './page-errors.ts';
import { wasReplaced } from './replaced-document.ts';

/** What the client tells, in the order in which it happened. Any of it may be told more than once. */
export interface ClientSignals {
  onQr(text: string): void;
  onSocketState(state: string): void;
  /** The start has come further. */
  onProgress(): void;
  /** What the page has, and lacks, is known. */
  onPageLooked(): void;
  /** Everything is injected and the listeners are attached: messages are heard. */
  onListening(): void;
  /** The page has been loaded anew, and hears nothing until it is injected again. */
  onPageReloaded(): void;
  onLogout(): void;
  onMessage(model: unknown): void;
  onAck(id: string, ack: number): void;
  /** One thing that the page told could not be understood; the session goes on. */
  onOddity(text: string): void;
  /** The page or its browser cannot be used any more. */
  onFailure(reason: WorkerFailure, detail?: string): void;
}

const INJECTION_RETRY_MS = 50;
const REGISTRY_POLL_MS = 100;
/** The library's own limit of its wait for the page; how long a start may take is for the gateway to say. */
const LIBRARY_TIMEOUT_MS = 3_600_000;
/** How long parts that everything needs may take to come. */
const ESSENTIALS_TIMEOUT_MS = 30_000;
const ESSENTIALS_POLL_MS = 1_000;
const DIALOG_INTERVAL_MS = 1_000;
/** A dialog that is open for so long is not closed by itself. */
const DIALOG_REPORT_MS = 10_000;
/** The page's first QR holds for a minute, each after it for 20 s. One that is shown for longer is dead. */
const QR_AGE_MS = 57_000;
const QR_REFRESH_TIMEOUT_MS = 15_000;
const MOST_QR_REFRESHES = 3;

/** Auth in the session's own folder. It never deletes: the profile of a browser that runs is not ours to pull away. */
class KeptAuth extends LocalAuth {
  override logout = async (): Promise<void> => {};
}

/** What it takes to make a client. */
export interface ClientOptions {
  readonly sessionDir: string;
  readonly puppeteer: NonNullable<wwebjs.ClientOptions['puppeteer']>;
  /** The document to load in the place of the network's. */
  readonly document?: PageDocument | undefined;
  readonly capabilities: Capabilities;
  /** From when on the network may be asked about numbers, in milliseconds since 1970. */
  lookUpsFrom(): number;
}

/**
 * The library's client, made to survive its page: one injection at a time and one for each document, levels read
 * beside edges, listeners of its own, and no promise left to reject with nobody listening.
 */
export class WhatsAppClient extends LibraryClient {
  readonly #options: ClientOptions;
  readonly #signals: ClientSignals;
  readonly #exposed = new Set<string>();
  #injection: Promise<void> | undefined;
  #injectAgain = false;
  #sync: Promise<void> | undefined;
  #syncAgain = false;
  #socketState = '';
  #qrTimer: NodeJS.Timeout | undefined;
  #document: PageDocument | undefined;

  constructor(options: ClientOptions, signals: ClientSignals) {
    const { sessionDir, puppeteer } = options;
    super({
      authStrategy: new KeptAuth({ dataPath: sessionDir }),
      authTimeoutMs: LIBRARY_TIMEOUT_MS,
      puppeteer: {
        ...puppeteer,
        targetFilter: tellOfCrash(() => signals.onFailure('PAGE_CRASHED')),
      },
      webVersionCache: { type: 'none' },
    });
    this.#options = options;
    this.#signals = signals;
    this.on('qr', (text) => {
      this.#keepQrFresh(QR_AGE_MS, 0);
      signals.onQr(text);
    });
  }

  /** The page; throws before the browser is up. */
  get page(): Page {
    if (!this.pupPage) throw new Error('the browser is not up yet');
    return this.pupPage;
  }

  /** Hands over the document that was loaded from the network last; none where it was replaced by one that was saved. */
  takeDocument(): PageDocument | undefined {
    const document = this.#document;
    this.#document = undefined;
    return document;
  }

  /** First seam after the browser is up and before the page is loaded: the page is made safe here. */
  override async initWebVersionCache(): Promise<void> {
    const { page } = this;
    const { document } = this.#options;
    page.on('close', () => {
      if (this.pupBrowser?.connected) this.#signals.onFailure('PAGE_CRASHED', 'the page was closed');
    });
    this.pupBrowser?.on('disconnected', () => this.#signals.onFailure('BROWSER_EXITED'));

    if (document === undefined) {
      watchDocument(page, (loaded) => {
        this.#document = loaded;
      });
    } else await servePage(page, document);
    await page.evaluateOnNewDocument(closeDialogs, DIALOG_INTERVAL_MS, DIALOG_REPORT_MS);
    await page.exposeFunction('chatWebOnMessage', (model: unknown) => this.#signals.onMessage(model));
    await page.exposeFunction('chatWebOnAck', (id: string, ack: number) => this.#signals.onAck(id, ack));
    const expose = page.exposeFunction.bind(page);
    page.exposeFunction = async (name, handler) => {
      // The library asks the page whether a name is taken; after a navigation the page may not know it yet.
      if (this.#exposed.has(name)) return;
      this.#exposed.add(name);
      await expose(name, this.#replacement(name, handler as () => unknown));
    };
  }

  /** Called by the library after the first load and after every navigation of any frame. Never rejects. */
  override inject(): Promise<void> {
    this.#injectAgain = true;
    this.#injection ??= this.#injectUntilCurrent().finally(() => {
      this.#injection = undefined;
    });
    return this.#injection;
  }

  /** Called by the library once its own functions are in the page. Its listeners are left out: see `page/listeners.ts`. */
  override async attachEventListeners(): Promise<void> {
    const { document, listening } = await this.page.evaluate(readLevels);
    if (listening) return; // The page was navigated on the way here, and what was meant for the one before came to it.
    await this.#lookForEssentials();
    await this.page.evaluate(installIdTools, this.#options.lookUpsFrom());
    for (const script of [installMessageTools, installOutcomeTools, installGroupTools, installFileTools, listen])
      await this.page.evaluate(script);
    await this.page.evaluate(mark, document, 'listening');
  }

  /** What the page is in: told by the page, or read as a level. */
  onSocketState(state: string): void {
    if (state !== this.#socketState) this.#signals.onProgress();
    this.#socketState = state;
    if (!state.startsWith('UNPAIRED')) clearTimeout(this.#qrTimer);
    this.#signals.onSocketState(state);
  }

  /** Looks at what the page has and lacks, and tells. */
  async look(): Promise<void> {
    await this.#options.capabilities.look(this.page);
    this.#signals.onPageLooked();
  }

  /** Modules also come late: what everything needs is waited for. Throws where it does not come. */
  async #lookForEssentials(): Promise<void> {
    const deadline = Date.now() + ESSENTIALS_TIMEOUT_MS;
    this.#options.capabilities.loaded();
    await this.look();
    for (;;) {
      const why = this.#options.capabilities.hopeless('session');
      if (!why) return;
      if (Date.now() > deadline) throw new UnsupportedPageError(why);
      await delay(ESSENTIALS_POLL_MS);
      await this.look();
    }
  }

  async #injectUntilCurrent(): Promise<void> {
    while (this.#injectAgain && !this.page.isClosed() && this.pupBrowser?.connected) {
      this.#injectAgain = false;
      let before: PageLevels | undefined;
      try {
        before = await this.page.evaluate(readLevels);
        if (!before.injected) {
          this.#signals.onPageReloaded();
          // How long this may take is for the gateway to say: it ends with the page.
          while (!(await this.page.evaluate(prepareModules))) await delay(REGISTRY_POLL_MS);
          this.#signals.onProgress();
          await super.inject();
          await this.page.evaluate(mark, before.document, 'injected');
        }
        await this.#readLevels();
      } catch (error) {
        if (await wasReplaced(this.page, before, error)) {
          this.#injectAgain = true;
          // A page that is closing refuses every call at once, and is told to be closed by an event that needs a turn.
          await delay(INJECTION_RETRY_MS);
        } else await this.#onSetUpFailed('the page could not be set up', error);
      }
    }
  }

  async #readLevels(): Promise<void> {
    const levels = await this.page.evaluate(readLevels);
    if (!levels.injected) this.#injectAgain = true;
    if (levels.socketState) this.onSocketState(levels.socketState);
    if (levels.hasSynced) await this.page.evaluate('window.onAppStateHasSyncedEvent()');
    // Also while it waits to be linked, so that an operator knows before that what will not work.
    else if (levels.injected && levels.socketState?.startsWith('UNPAIRED')) this.look().catch(() => {});
  }

  /** A page that lacks what everything needs is told apart from one that failed: trying again soon does not help. */
  async #onSetUpFailed(what: string, error: unknown): Promise<void> {
    const { capabilities } = this.#options;
    const isUnpaired = this.#socketState === '' || this.#socketState.startsWith('UNPAIRED');
    if (!(error instanceof UnsupportedPageError)) await this.look().catch(() => {});
    const why = capabilities.hopeless('session') ?? (isUnpaired ? capabilities.hopeless('link') : undefined);
    if (why) this.#signals.onFailure('PAGE_UNSUPPORTED', why);
    else this.#signals.onFailure('PAGE_FAILED', `${what} (${errorText(error)})`);
  }

  /** One run at a time: two at once would both find the page bare, and attach every listener twice. */
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
      let before: PageLevels | undefined;
      try {
        before = await this.page.evaluate(readLevels);
        if (!before.injected) continue; // A word of the document before this one, which will speak for itself.
        this.#signals.onProgress();
        await attach();
        const levels: PageLevels = await this.page.evaluate(readLevels);
        if (levels.listening) {
          clearTimeout(this.#qrTimer);
          this.#signals.onListening();
        } else if (levels.injected && levels.document === before.document)
          this.#signals.onFailure('PAGE_FAILED', 'the listeners could not be attached to the page');
      } catch (error) {
        if (!(await wasReplaced(this.page, before, error)))
          await this.#onSetUpFailed('the page could not be listened to', error);
      }
    }
  }

  /** A handler of the library, or ours in its place. None may reject: the page would get the error, and drop it. */
  #replacement(name: string, handler: (...args: unknown[]) => unknown): (...args: unknown[]) => unknown {
    switch (name) {
      case 'onAuthAppStateChangedEvent':
        return (state) => this.#onStateChanged(String(state));
      case 'onAppStateHasSyncedEvent':
        return () => this.#syncOnce(handler);
      case 'onOfflineProgressUpdateEvent':
        return () => this.#signals.onProgress();
      case 'onLogoutEvent':
        return () => this.#signals.onLogout();
      default:
        return async (...args) => {
          try {
            await handler(...args);
          } catch (error) {
            if (!wasNavigated(error)) this.#signals.onOddity(`${name} failed (${errorText(error)})`);
          }
        };
    }
  }

  async #onStateChanged(state: string): Promise<void> {
    this.onSocketState(state);
    if (state === 'UNPAIRED_IDLE') await this.page.evaluate(refreshQr).catch(() => {});
  }

  /** Asks for a fresh QR once the present one must have expired; a page that gives none is of no use. */
  #keepQrFresh(waitMs: number, refreshes: number): void {
    clearTimeout(this.#qrTimer);
    this.#qrTimer = setTimeout(() => void this.#refreshStaleQr(refreshes), waitMs).unref();
  }

  async #refreshStaleQr(refreshes: number): Promise<void> {
    if (this.page.isClosed()) return;
    // The page may have been linked before its QR was told.
    const levels = await this.page.evaluate(readLevels).catch(() => undefined);
    if (levels?.socketState) this.onSocketState(levels.socketState);
    if (levels?.socketState && !levels.socketState.startsWith('UNPAIRED')) return;
    if (refreshes === MOST_QR_REFRESHES) {
      this.#signals.onFailure('PAGE_FAILED', 'the page does not refresh its QR');
      return;
    }
    await this.page.evaluate(refreshQr).catch(() => {});
    this.#keepQrFresh(QR_REFRESH_TIMEOUT_MS, refreshes + 1);
  }
}

/** The page lacks what everything needs. */
class UnsupportedPageError extends Error {}
