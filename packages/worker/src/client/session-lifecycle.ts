import {
  errorText,
  networkId,
  type OpenAck,
  type PairingCode,
  type PasskeyStep,
  type WorkerFailure,
} from '@chat-web/protocol';
import * as v from 'valibot';
import type { AccountEvents, Change } from './inbox/account-events.ts';
import type { Inbox } from './inbox/inbox.ts';
import { wasNavigated } from './page-errors.ts';
import type { PageReport } from './page-report.ts';
import type { Log, ReportEvent } from './port.ts';
import { toAck, toSessionInfo } from './resources.ts';
import type { ClientSignals } from './whatsapp-client.ts';

/** The sources of the lifecycle: the linked account, acks, and a QR's text as a PNG data URL. */
export interface LifecycleSources {
  readAccount(): Promise<unknown>;
  renderQr(text: string): Promise<string>;
  /** The acks of the messages that the page has. */
  readAcks(ids: readonly string[]): Promise<readonly FoundAck[]>;
  /** The acks of the newest messages that the account sent since the last run. */
  readNewAcks(): Promise<readonly FoundAck[]>;
}

/** An ack, as the page returns it. */
interface FoundAck {
  readonly id: string;
  readonly ack: unknown;
}

/** How many messages to look up at once. */
const ACKS_AT_ONCE = 50;

/** Socket states before the account is linked: not a lost connection. */
const UNPAIRED_STATES = new Set(['UNPAIRED', 'UNPAIRED_IDLE', 'UNLAUNCHED']);

/** Socket states in which the network refuses this account or this address; a retry makes it worse. */
const RESTRICTIONS: Readonly<Record<string, string>> = {
  TOS_BLOCK: 'TOS_BLOCK, check the phone for what the network requires',
  SMB_TOS_BLOCK: 'SMB_TOS_BLOCK, check the phone for what the network requires',
  PROXYBLOCK: 'PROXYBLOCK, the network refuses the address that this host connects from',
};

/**
 * The state machine that turns the client's signals into the events of the session. Signals arrive in any number and
 * order; events are reported once each, and in order. A session is ready while the network is connected and the
 * listeners are attached.
 */
export class SessionLifecycle implements ClientSignals {
  readonly #report: ReportEvent;
  readonly #sources: LifecycleSources;
  readonly #log: Log;
  readonly #inbox: Inbox;
  readonly #accountEvents: AccountEvents;
  readonly #page: PageReport;
  #phase: 'starting' | 'qr' | 'authenticating' | 'ready' | 'lost' | 'over' = 'starting';
  #isConnected = false;
  #isListening = false;
  #socketState = '';
  /** The socket state of the last `connection_lost`. */
  #lostState = '';
  #qrText = '';
  /** The step that the page waits for to link an account with a passkey. */
  #passkey: PasskeyStep | undefined;
  #lastNetworkActivityAt = Date.now();
  #linkedAt = 0;
  #hasReportedAccount = false;
  /** Messages whose acks may have increased while no worker ran. */
  #openAcks: readonly OpenAck[];
  #readingAcks: Promise<void> | undefined;

  constructor(
    report: ReportEvent,
    sources: LifecycleSources,
    inbox: Inbox,
    accountEvents: AccountEvents,
    page: PageReport,
    log: Log,
    openAcks: readonly OpenAck[] = [],
  ) {
    this.#report = report;
    this.#sources = sources;
    this.#inbox = inbox;
    this.#accountEvents = accountEvents;
    this.#page = page;
    this.#log = log;
    this.#openAcks = openAcks;
  }

  /** True while messages can be sent and received. */
  get isReady(): boolean {
    return this.#phase === 'ready';
  }

  /** True while the account is linked and its page usable: a stop must save the browser's profile. */
  get isLinked(): boolean {
    return this.#phase === 'authenticating' || this.#phase === 'ready' || this.#phase === 'lost';
  }

  /** True while the page may be being linked, as far as known. */
  get isLinking(): boolean {
    if (this.#phase === 'starting') return UNPAIRED_STATES.has(this.#socketState);
    return this.#phase === 'qr' || (this.#phase === 'authenticating' && this.#linkedAt > 0);
  }

  /** True while the page waits for the passkey of an account: its QR must not be used. */
  get asksForPasskey(): boolean {
    return this.#passkey !== undefined;
  }

  /** When the account was linked in this run, in milliseconds since 1970; 0 if it was linked before. */
  get linkedAt(): number {
    return this.#linkedAt;
  }

  /** When the network last sent anything, in milliseconds since 1970. */
  get lastNetworkActivityAt(): number {
    return this.#lastNetworkActivityAt;
  }

  /** The session is being stopped: no further events are reported. */
  end(): void {
    this.#phase = 'over';
  }

  onQr(text: string): void {
    // The library also builds the text before the page has its first reference, and while it has no secret.
    if (/(^|,)(undefined|null)(,|$)/.test(text) || text === this.#qrText) return;
    if (this.#phase !== 'starting' && this.#phase !== 'qr' && this.#phase !== 'lost') return;
    this.#qrText = text;
    this.#phase = 'qr';
    this.#inbox.discardHistory();
    this.#accountEvents.discardHistory();
    void this.#reportQr(text);
  }

  onSocketState(state: string): void {
    if (state !== this.#socketState) {
      this.#log('debug', 'socket state changed', { from: this.#socketState, to: state });
      this.onNetworkActivity();
    }
    this.#socketState = state;
    this.#isConnected = state === 'CONNECTED';
    const restriction = RESTRICTIONS[state];
    if (restriction) this.onFailure('ACCOUNT_RESTRICTED', restriction);
    else if (state === 'DEPRECATED_VERSION') this.onFailure('PAGE_OUTDATED');
    else if (this.#isConnected) {
      this.#authenticating();
      void this.#tellAccount();
      void this.#readyIfPossible();
    } else if (state === 'PAIRING') {
      if (!this.asksForPasskey) this.#authenticating();
    } else if (UNPAIRED_STATES.has(state) && this.#phase !== 'ready') this.#unpaired();
    else this.#connectionLost(state);
  }

  /** The step that the page waits for to link an account with a passkey; undefined if none. */
  onPasskey(shown: PasskeyStep | undefined): void {
    const step = this.#isConnected ? undefined : shown; // Once linked, the screen is about to close.
    if (step === this.#passkey) return;
    this.#passkey = step;
    if (step === undefined) {
      if (this.#socketState === 'PAIRING') this.#authenticating();
      else this.onQrVoid(); // The passkey was refused or cancelled: the next QR may take a while.
      return;
    }
    this.#phase = 'qr';
    this.#qrText = '';
    this.#report({ name: 'passkey', step });
  }

  /** The current QR or code is invalid: another follows. */
  onQrVoid(): void {
    if (this.#phase !== 'qr') return;
    this.#qrText = '';
    this.#report({ name: 'qr_void' });
  }

  /** The page has a code for that number, and its QR is invalid. */
  onCode(number: string, code: PairingCode): void {
    if (this.#phase !== 'starting' && this.#phase !== 'qr') return;
    this.#phase = 'qr';
    this.#qrText = '';
    this.#report({ name: 'pairing_code', number, ...code });
  }

  onProgress(): void {
    if (this.#phase === 'starting' || this.#phase === 'authenticating') this.#report({ name: 'progress' });
  }

  onPageChecked(): void {
    this.#page.send();
  }

  onListenersAttached(): void {
    this.#isListening = true;
    void this.#readyIfPossible();
  }

  onPageReloaded(): void {
    this.#passkey = undefined;
    this.onQrVoid();
    this.#isListening = false;
    this.#isConnected = false;
    this.#inbox.pause();
    this.#accountEvents.pause();
    this.#connectionLost('PAGE_RELOADED');
  }

  onLogout(): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#report({ name: 'unlinked' });
  }

  onMessage(model: unknown): void {
    this.onNetworkActivity();
    if (this.#phase !== 'over') this.#inbox.onMessage(model);
  }

  onAck(id: unknown, ack: unknown): void {
    this.onNetworkActivity();
    if (this.#phase === 'over') return;
    if (typeof id === 'string' && typeof ack === 'number' && Number.isFinite(ack))
      this.#report({ name: 'message_ack', id, ack: toAck(ack) });
    else this.#log('error', 'ack discarded', { error: 'the id is not a text, or the ack is not a number' });
  }

  onChange(change: Change): void {
    this.onNetworkActivity();
    if (this.#phase !== 'over') this.#accountEvents.onChange(change);
  }

  onOwnMessage(id: unknown): void {
    if (this.#phase !== 'over' && v.is(networkId, id)) this.#report({ name: 'own_message', id });
  }

  /** The network has sent something. */
  onNetworkActivity(): void {
    this.#lastNetworkActivityAt = Date.now();
  }

  onHandlerFailed(handler: string, error: string): void {
    this.#log('warn', 'page event handler failed', { handler, error });
  }

  onFailure(reason: WorkerFailure, detail?: string): void {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#report({ name: 'failed', reason, detail, retry: reason !== 'ACCOUNT_RESTRICTED' });
  }

  #authenticating(): void {
    if (this.#phase !== 'starting' && this.#phase !== 'qr') return;
    if (this.#phase === 'qr') this.#linkedAt = Date.now();
    this.#passkey = undefined;
    this.#phase = 'authenticating';
    this.#report({ name: 'authenticating' });
  }

  /** The pairing failed: the next QR is reported, even if its text is the same as before. */
  #unpaired(): void {
    if (this.#phase !== 'authenticating') return;
    this.#phase = 'starting';
    this.#qrText = '';
  }

  #connectionLost(pageState: string): void {
    // A conflict (the account is used elsewhere) is reported even if the session is disconnected already.
    const isNewConflict = this.#phase === 'lost' && pageState === 'CONFLICT' && this.#lostState !== pageState;
    if (this.#phase !== 'ready' && !isNewConflict) return;
    this.#lostState = pageState;
    this.#phase = 'lost';
    this.#inbox.pause();
    this.#accountEvents.pause();
    this.#report({ name: 'connection_lost', pageState });
  }

  /** Reports inbound messages since that time, in Unix seconds, again: now, or with the next catch-up. */
  reportAgain(since: number): void {
    this.#inbox.lookAgain(since);
    if (this.isReady) void this.#catchUp();
  }

  async #readyIfPossible(): Promise<void> {
    if (!this.#canBeReady()) return;
    try {
      const info = toSessionInfo(await this.#sources.readAccount());
      if (!this.#canBeReady()) return;
      this.#phase = 'ready';
      this.onNetworkActivity();
      this.#report({ name: 'ready', info });
      void this.#catchUp();
    } catch (error) {
      if (this.#canBeReady() && !wasNavigated(error))
        this.onFailure('PAGE_FAILED', `reading the account failed (${errorText(error)})`);
    }
  }

  /** Reports the number of a newly linked account once, during its first sync. Never rejects. */
  async #tellAccount(): Promise<void> {
    if (this.#phase !== 'authenticating' || this.#linkedAt === 0 || this.#hasReportedAccount) return;
    try {
      const { phone } = toSessionInfo(await this.#sources.readAccount());
      if (this.#phase !== 'authenticating' || this.#hasReportedAccount || !phone) return;
      this.#hasReportedAccount = true;
      this.#report({ name: 'account', number: phone });
    } catch {
      // Not loaded yet: retried at the next poll of the page.
    }
  }

  #canBeReady(): boolean {
    return this.#isConnected && this.#isListening && this.#phase !== 'ready' && this.#phase !== 'over';
  }

  async #catchUp(): Promise<void> {
    const works = [() => this.#inbox.catchUp(), () => this.#accountEvents.catchUp(), () => this.#reportMissedAcks()];
    for (const work of works) {
      try {
        await work();
      } catch (error) {
        if (wasNavigated(error) || this.#phase === 'over') return;
        this.#log('warn', 'catching up with missed messages failed', { error: errorText(error) });
      }
    }
  }

  /** Reports acks of sent messages that arrived while nothing listened. */
  #reportMissedAcks(): Promise<void> {
    this.#readingAcks ??= this.#readAcks().finally(() => {
      this.#readingAcks = undefined;
    });
    return this.#readingAcks;
  }

  async #readAcks(): Promise<void> {
    while (this.#openAcks.length > 0 && this.isReady) {
      const some = this.#openAcks.slice(0, ACKS_AT_ONCE);
      const found = await this.#sources.readAcks(some.map(({ id }) => id));
      this.#openAcks = this.#openAcks.slice(some.length);
      const known = new Map(some.map(({ id, ack }) => [id, ack]));
      for (const { id, ack } of found)
        if (typeof ack === 'number' && ack !== 0 && toAck(ack) !== known.get(id))
          this.#report({ name: 'message_ack', id, ack: toAck(ack) });
    }
    if (!this.isReady) return;
    // Also for messages sent right before the page was lost, or from the phone. The gateway skips acks that it knows.
    for (const { id, ack } of await this.#sources.readNewAcks())
      if (typeof ack === 'number') this.#report({ name: 'message_ack', id, ack: toAck(ack) });
  }

  async #reportQr(text: string): Promise<void> {
    try {
      const qr = await this.#sources.renderQr(text);
      if (this.#phase === 'qr' && this.#qrText === text) this.#report({ name: 'qr', qr });
    } catch (error) {
      this.onFailure('PAGE_FAILED', `rendering the QR failed (${errorText(error)})`);
    }
  }
}
