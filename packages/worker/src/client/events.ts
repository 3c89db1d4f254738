import { errorText, type WorkerFailure } from '@chat-web/protocol';
import type { Inbox } from './inbox.ts';
import { wasNavigated } from './page-errors.ts';
import type { PageReport } from './page-report.ts';
import type { Log, ReportEvent } from './port.ts';
import { toAck, toSessionInfo } from './resources.ts';
import type { ClientSignals } from './whatsapp-client.ts';

/** What this part asks of the rest: the account behind the page, and a QR's text as a PNG data URL. */
export interface EventSources {
  readAccount(): Promise<unknown>;
  renderQr(text: string): Promise<string>;
}

/** Socket states of a page that is still finding out, or waits to be paired: no connection has been lost. */
const UNPAIRED_STATES = new Set(['UNPAIRED', 'UNPAIRED_IDLE', 'UNLAUNCHED']);

/** Socket states in which the network wants nothing of this account, or of this address; trying again makes it worse. */
const RESTRICTIONS: Readonly<Record<string, string>> = {
  TOS_BLOCK: 'TOS_BLOCK, look at the phone for what the network wants',
  SMB_TOS_BLOCK: 'SMB_TOS_BLOCK, look at the phone for what the network wants',
  PROXYBLOCK: 'PROXYBLOCK, the network refuses the address that this host connects from',
};

/**
 * Turns the client's signals, which come in any number and order, into the events of the session: each once, in
 * order, and true. A session is ready while the network is connected and the listeners are attached.
 */
export class SessionEvents implements ClientSignals {
  readonly #report: ReportEvent;
  readonly #sources: EventSources;
  readonly #log: Log;
  readonly #inbox: Inbox;
  readonly #page: PageReport;
  #phase: 'starting' | 'qr' | 'authenticating' | 'ready' | 'lost' | 'over' = 'starting';
  #connected = false;
  #listening = false;
  #socketState = '';
  #lostTo = '';
  #qrText = '';
  #lastWordAt = Date.now();
  #linkedAt = 0;

  constructor(report: ReportEvent, sources: EventSources, inbox: Inbox, page: PageReport, log: Log) {
    this.#report = report;
    this.#sources = sources;
    this.#inbox = inbox;
    this.#page = page;
    this.#log = log;
  }

  /** True while messages can be sent and are heard. */
  get isReady(): boolean {
    return this.#phase === 'ready';
  }

  /** True once the account is linked, while its page is of use: it has something to lose. */
  get isLinked(): boolean {
    return this.#phase === 'authenticating' || this.#phase === 'ready' || this.#phase === 'lost';
  }

  /** When the account was linked in this run, in milliseconds since 1970; 0 for one that was linked before. */
  get linkedAt(): number {
    return this.#linkedAt;
  }

  /** When the network was last heard of, in milliseconds since 1970. */
  get lastWordAt(): number {
    return this.#lastWordAt;
  }

  /** Nothing is reported any more: the session is being stopped. */
  end(): void {
    this.#phase = 'over';
  }

  onQr(text: string): void {
    // The library builds the text before the page has its first reference.
    if (text.startsWith('undefined,') || text === this.#qrText) return;
    if (this.#phase !== 'starting' && this.#phase !== 'qr' && this.#phase !== 'lost') return;
    this.#qrText = text;
    this.#phase = 'qr';
    this.#inbox.beginNow();
    void this.#reportQr(text);
  }

  onSocketState(state: string): void {
    if (state !== this.#socketState) {
      this.#log('debug', `socket state ${state}`);
      this.onWord();
    }
    this.#socketState = state;
    this.#connected = state === 'CONNECTED';
    const restriction = RESTRICTIONS[state];
    if (restriction) this.onFailure('ACCOUNT_RESTRICTED', restriction);
    else if (state === 'DEPRECATED_VERSION') this.onFailure('PAGE_OUTDATED');
    else if (this.#connected) {
      this.#authenticating();
      void this.#readyIfSo();
    } else if (state === 'PAIRING') this.#authenticating();
    else if (UNPAIRED_STATES.has(state) && this.#phase !== 'ready') this.#unpaired();
    else this.#lost(state);
  }

  onProgress(): void {
    if (this.#phase === 'starting' || this.#phase === 'authenticating') this.#report({ name: 'progress' });
  }

  onPageLooked(): void {
    this.#page.tell();
  }

  onListening(): void {
    this.#listening = true;
    void this.#readyIfSo();
  }

  onPageReloaded(): void {
    this.#listening = false;
    this.#connected = false;
    this.#inbox.beginAgain();
    this.#lost('PAGE_RELOADED');
  }

  onLogout(): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#report({ name: 'unlinked' });
  }

  onMessage(model: unknown): void {
    this.onWord();
    if (this.#phase !== 'over') this.#inbox.onMessage(model);
  }

  onAck(id: string, ack: number): void {
    this.onWord();
    if (this.#phase === 'over') return;
    if (Number.isFinite(ack)) this.#report({ name: 'message_ack', id, ack: toAck(ack) });
    else this.#log('error', 'the page tells of an ack that is no number');
  }

  /** The network has been heard of. */
  onWord(): void {
    this.#lastWordAt = Date.now();
  }

  onOddity(text: string): void {
    this.#log('warn', text);
  }

  onFailure(reason: WorkerFailure, detail?: string): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#report({ name: 'failed', reason, detail, retry: reason !== 'ACCOUNT_RESTRICTED' });
  }

  #authenticating(): void {
    if (this.#phase !== 'starting' && this.#phase !== 'qr') return;
    if (this.#phase === 'qr') this.#linkedAt = Date.now();
    this.#phase = 'authenticating';
    this.#report({ name: 'authenticating' });
  }

  /** A pairing that came to nothing: the next QR counts again, also if it is the one of before. */
  #unpaired(): void {
    if (this.#phase !== 'authenticating') return;
    this.#phase = 'starting';
    this.#qrText = '';
  }

  #lost(pageState: string): void {
    // That the account is used elsewhere is news also to one that has lost its connection.
    const isNews = this.#phase === 'lost' && pageState === 'CONFLICT' && this.#lostTo !== pageState;
    if (this.#phase !== 'ready' && !isNews) return;
    this.#lostTo = pageState;
    this.#phase = 'lost';
    this.#inbox.beginAgain();
    this.#report({ name: 'connection_lost', pageState });
  }

  async #readyIfSo(): Promise<void> {
    if (!this.#canBeReady()) return;
    try {
      const info = toSessionInfo(await this.#sources.readAccount());
      if (!this.#canBeReady()) return;
      this.#phase = 'ready';
      this.onWord();
      this.#report({ name: 'ready', info });
      void this.#catchUp();
    } catch (error) {
      if (this.#canBeReady() && !wasNavigated(error))
        this.onFailure('PAGE_FAILED', `the account could not be read (${errorText(error)})`);
    }
  }

  async #catchUp(): Promise<void> {
    try {
      await this.#inbox.catchUp();
    } catch (error) {
      if (wasNavigated(error) || this.#phase === 'over') return;
      this.#log('warn', `what came while nobody listened could not be read: ${errorText(error)}`);
    }
  }

  #canBeReady(): boolean {
    return this.#connected && this.#listening && this.#phase !== 'ready' && this.#phase !== 'over';
  }

  async #reportQr(text: string): Promise<void> {
    try {
      const qr = await this.#sources.renderQr(text);
      if (this.#phase === 'qr' && this.#qrText === text) this.#report({ name: 'qr', qr });
    } catch (error) {
      this.onFailure('PAGE_FAILED', `the QR could not be drawn (${errorText(error)})`);
    }
  }
}
