import { errorText } from '@chat-web/protocol';
import { wasNavigated } from '../page/errors.ts';
import type { Log, ReportEvent } from './port.ts';
import { toAck, toMessage, toSessionInfo } from './resources.ts';
import type { ClientSignals } from './whatsapp-client.ts';

/** What this part asks of the rest: the account behind the page, and a QR's text as a PNG data URL. */
export interface EventSources {
  readAccount(): Promise<unknown>;
  renderQr(text: string): Promise<string>;
}

/** How many message ids are remembered, so that a page that tells of a message twice does not double it. */
const REMEMBERED_MESSAGES = 2_000;

/** Socket states of a page that is still finding out, or waits to be paired: no connection has been lost. */
const UNPAIRED_STATES = new Set(['UNPAIRED', 'UNPAIRED_IDLE', 'UNLAUNCHED']);

/**
 * Turns the client's signals, which come in any number and order, into the events of the session: each once, in
 * order, and true. A session is ready while the network is connected and the listeners are attached.
 */
export class SessionEvents implements ClientSignals {
  readonly #report: ReportEvent;
  readonly #sources: EventSources;
  readonly #log: Log;
  readonly #seen = new Set<string>();
  #phase: 'starting' | 'qr' | 'authenticating' | 'ready' | 'lost' | 'over' = 'starting';
  #connected = false;
  #listening = false;
  #qrText = '';

  constructor(report: ReportEvent, sources: EventSources, log: Log) {
    this.#report = report;
    this.#sources = sources;
    this.#log = log;
  }

  /** True while messages can be sent and are heard. */
  get isReady(): boolean {
    return this.#phase === 'ready';
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
    void this.#reportQr(text);
  }

  onSocketState(state: string): void {
    this.#log('debug', `socket state ${state}`);
    this.#connected = state === 'CONNECTED';
    if (this.#connected) {
      this.#authenticating();
      void this.#readyIfSo();
    } else if (state === 'PAIRING') this.#authenticating();
    else if (UNPAIRED_STATES.has(state) && this.#phase !== 'ready') this.#unpaired();
    else this.#lost(state);
  }

  onListening(): void {
    this.#listening = true;
    void this.#readyIfSo();
  }

  onPageReloaded(): void {
    this.#listening = false;
    this.#connected = false;
    this.#lost('PAGE_RELOADED');
  }

  onLogout(): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#report({ name: 'unlinked' });
  }

  onMessage(model: unknown): void {
    if (this.#phase === 'over') return;
    this.#tell('message', () => {
      const message = toMessage(model);
      if (this.#seen.has(message.id)) return;
      this.#remember(message.id);
      this.#report({ name: 'message', message });
    });
  }

  onAck(model: unknown, ack: number): void {
    if (this.#phase === 'over') return;
    this.#tell('message_ack', () => {
      const { id, fromMe } = toMessage(model);
      if (fromMe) this.#report({ name: 'message_ack', id, ack: toAck(ack) });
    });
  }

  onOddity(text: string): void {
    this.#log('warn', text);
  }

  onFailure(reason: string): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#report({ name: 'failed', reason, retry: true });
  }

  /** One event that cannot be read is a line in the log, not the end of the session. */
  #tell(what: string, tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.#log('error', `a ${what} of the page could not be read: ${errorText(error)}`);
    }
  }

  #authenticating(): void {
    if (this.#phase !== 'starting' && this.#phase !== 'qr') return;
    this.#phase = 'authenticating';
    this.#report({ name: 'authenticating' });
  }

  /** A pairing that came to nothing: the next QR counts again, also if it is the one of before. */
  #unpaired(): void {
    if (this.#phase !== 'authenticating') return;
    this.#phase = 'starting';
    this.#qrText = '';
  }

  #lost(reason: string): void {
    if (this.#phase !== 'ready') return;
    this.#phase = 'lost';
    this.#report({ name: 'connection_lost', reason });
  }

  async #readyIfSo(): Promise<void> {
    if (!this.#canBeReady()) return;
    try {
      const info = toSessionInfo(await this.#sources.readAccount());
      if (!this.#canBeReady()) return;
      this.#phase = 'ready';
      this.#report({ name: 'ready', info });
    } catch (error) {
      if (this.#canBeReady() && !wasNavigated(error))
        this.onFailure(`the account could not be read (${errorText(error)})`);
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
      this.onFailure(`the QR could not be drawn (${errorText(error)})`);
    }
  }

  #remember(id: string): void {
    this.#seen.add(id);
    if (this.#seen.size <= REMEMBERED_MESSAGES) return;
    for (const oldest of this.#seen) {
      this.#seen.delete(oldest);
      return;
    }
  }
}
