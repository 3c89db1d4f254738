import { setTimeout as delay } from 'node:timers/promises';
import { errorText, type WorkerFailure } from '@chat-web/protocol';
import type { Page } from 'puppeteer';
import type wwebjs from 'whatsapp-web.js';
import { wasNavigated } from '../page/errors.ts';
import { acknowledgeDialogues, ignoreEvents, mark, type PageLevels, readLevels, refreshQr } from '../page/session.ts';
import { installTools } from '../page/tools.ts';
import { tellOfCrash } from './first-crash.ts';
import { LibraryClient, LocalAuth } from './library.ts';
import { wasReplaced } from './replaced-document.ts';

/** What the client tells, in the order in which it happened. Any of it may be told more than once. */
export interface ClientSignals {
  onQr(text: string): void;
  onSocketState(state: string): void;
  /** Everything is injected and the listeners are attached: messages are heard. */
  onListening(): void;
  /** The page has been loaded anew, and hears nothing until it is injected again. */
  onPageReloaded(): void;
  onLogout(): void;
  onMessage(model: unknown): void;
  onAck(model: unknown, ack: number): void;
  /** One thing that the page told could not be understood; the session goes on. */
  onOddity(text: string): void;
  /** The page or its browser cannot be used any more. */
  onFailure(cause: WorkerFailure, reason: string): void;
}

/** Events whose consumers in the library cost calls into the page, or end the browser, and that nobody here needs. */
const IGNORED_EVENTS = [
  'onAddMessageCiphertextEvent',
  'onAppStateChangedEvent',
  'onArchiveChatEvent',
  'onBatteryStateChangedEvent',
  'onChangeMessageEvent',
  'onChangeMessageTypeEvent',
  'onChatUnreadCountEvent',
  'onCiphertextFailedEvent',
  'onEditMessageEvent',
  'onIncomingCall',
  'onMessageMediaUploadedEvent',
  'onOfflineProgressUpdateEvent',
  'onPollVoteEvent',
  'onReaction',
  'onRemoveChatEvent',
  'onRemoveMessageEvent',
];

const INJECTION_RETRY_MS = 50;
const DIALOGUE_INTERVAL_MS = 2_000;
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
}

/**
 * The library's client, made to survive its page: one injection at a time and one for each document, levels read
 * beside edges, and no promise left to reject with nobody listening.
 */
export class WhatsAppClient extends LibraryClient {
  readonly #signals: ClientSignals;
  readonly #exposed = new Set<string>();
  #injection: Promise<void> | undefined;
  #injectAgain = false;
  #sync: Promise<void> | undefined;
  #syncAgain = false;
  #qrTimer: NodeJS.Timeout | undefined;

  constructor({ sessionDir, puppeteer }: ClientOptions, signals: ClientSignals) {
    super({
      authStrategy: new KeptAuth({ dataPath: sessionDir }),
      puppeteer: {
        ...puppeteer,
        targetFilter: tellOfCrash(() => signals.onFailure('page_crashed', 'the page crashed')),
      },
      webVersionCache: { type: 'none' },
    });
    this.#signals = signals;
    this.on('qr', (text) => {
      this.#keepQrFresh(QR_AGE_MS, 0);
      signals.onQr(text);
    });
    this.on('message', (message) => signals.onMessage(message.rawData));
    this.on('message_ack', (message, ack) => signals.onAck(message.rawData, ack));
    this.on('disconnected', (reason) => {
      if (String(reason) === 'LOGOUT') signals.onLogout();
    });
  }

  /** The page; throws before the browser is up. */
  get page(): Page {
    if (!this.pupPage) throw new Error('the browser is not up yet');
    return this.pupPage;
  }

  /** First seam after the browser is up and before the page is loaded: the page is made safe here. */
  override async initWebVersionCache(): Promise<void> {
    const { page } = this;
    page.on('close', () => {
      if (this.pupBrowser?.connected) this.#signals.onFailure('page_crashed', 'the page was closed');
    });
    this.pupBrowser?.on('disconnected', () => this.#signals.onFailure('browser_gone', 'the browser is gone'));

    await page.evaluateOnNewDocument(ignoreEvents, IGNORED_EVENTS);
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

  override async attachEventListeners(): Promise<void> {
    const { document, listening } = await this.page.evaluate(readLevels);
    if (listening) return; // The page was navigated on the way here, and what was meant for the one before came to it.
    await this.page.evaluate(installTools);
    await super.attachEventListeners();
    await this.page.evaluate(acknowledgeDialogues, DIALOGUE_INTERVAL_MS);
    await this.page.evaluate(mark, document, 'listening');
  }

  async #injectUntilCurrent(): Promise<void> {
    while (this.#injectAgain && !this.page.isClosed() && this.pupBrowser?.connected) {
      this.#injectAgain = false;
      let before: PageLevels | undefined;
      try {
        before = await this.page.evaluate(readLevels);
        if (!before.injected) {
          this.#signals.onPageReloaded();
          await super.inject();
          await this.page.evaluate(mark, before.document, 'injected');
        }
        await this.#readLevels();
      } catch (error) {
        if (await wasReplaced(this.page, before, error)) {
          this.#injectAgain = true;
          // A page that is closing refuses every call at once, and is told to be closed by an event that needs a turn.
          await delay(INJECTION_RETRY_MS);
        } else {
          this.#signals.onFailure('page_failed', `the page could not be set up (${errorText(error)})`);
        }
      }
    }
  }

  async #readLevels(): Promise<void> {
    const levels = await this.page.evaluate(readLevels);
    if (!levels.injected) this.#injectAgain = true;
    if (levels.socketState) this.#signals.onSocketState(levels.socketState);
    if (levels.hasSynced) await this.page.evaluate('window.onAppStateHasSyncedEvent()');
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
        await attach();
        const levels: PageLevels = await this.page.evaluate(readLevels);
        if (levels.listening) this.#signals.onListening();
        else if (levels.injected && levels.document === before.document)
          this.#signals.onFailure('page_failed', 'the listeners could not be attached to the page');
      } catch (error) {
        if (!(await wasReplaced(this.page, before, error)))
          this.#signals.onFailure('page_failed', `the page could not be listened to (${errorText(error)})`);
      }
    }
  }

  /** A handler of the library, or ours in its place. None may reject: the page would get the error, and drop it. */
  #replacement(name: string, handler: (...args: unknown[]) => unknown): (...args: unknown[]) => unknown {
    switch (name) {
      case 'onAuthAppStateChangedEvent':
        return (state) => this.#onSocketState(String(state));
      case 'onAppStateHasSyncedEvent':
        return () => this.#syncOnce(handler);
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

  async #onSocketState(state: string): Promise<void> {
    this.#signals.onSocketState(state);
    if (!state.startsWith('UNPAIRED')) clearTimeout(this.#qrTimer);
    if (state === 'UNPAIRED_IDLE') await this.page.evaluate(refreshQr).catch(() => {});
  }

  /** Asks for a fresh QR once the present one must have expired; a page that gives none is of no use. */
  #keepQrFresh(waitMs: number, refreshes: number): void {
    clearTimeout(this.#qrTimer);
    this.#qrTimer = setTimeout(() => {
      if (this.page.isClosed()) return;
      if (refreshes === MOST_QR_REFRESHES) {
        this.#signals.onFailure('page_failed', 'the page does not refresh its QR');
        return;
      }
      void this.page.evaluate(refreshQr).catch(() => {});
      this.#keepQrFresh(QR_REFRESH_TIMEOUT_MS, refreshes + 1);
    }, waitMs).unref();
  }
}
