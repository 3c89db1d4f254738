import { setTimeout as delay } from 'node:timers/promises';
import { errorText } from '@chat-web/protocol';
import { isNetworkThere, type PageLevels, readLevels } from '../page/session.ts';
import type { Capabilities } from './capabilities.ts';
import type { SessionEvents } from './events.ts';
import type { Inbox } from './inbox.ts';
import { wasNavigated } from './page-errors.ts';
import { PageProbe } from './page-probe.ts';
import type { PageReport } from './page-report.ts';
import type { Log } from './port.ts';
import { Suspicion } from './suspicion.ts';
import type { WhatsAppClient } from './whatsapp-client.ts';

/** How long the network may take to say that it is there, and how often it may fail to before the page is deaf. */
const NETWORK_TIMEOUT_MS = 20_000;
const MOST_SILENCES = 2;
const MOST_DEAF_LOOKS = 2;
/** Two chance events days apart are not two in a row. */
const SUSPICION_FADES_MS = 60 * 60_000;
/** So many sends in a row that nobody confirms, while the page says that it is connected, are looked into. */
const MOST_UNCONFIRMED = 5;

/** What the watch looks at and speaks to. */
export interface WatchParts {
  readonly client: WhatsAppClient;
  readonly capabilities: Capabilities;
  readonly events: SessionEvents;
  readonly inbox: Inbox;
  readonly report: PageReport;
  readonly log: Log;
  /** After so long without a word of the network it is asked whether it is there. Milliseconds. */
  readonly silenceTimeoutMs: number;
  /** A restart for sends that nobody confirms has been tried: another would gain nothing. */
  readonly wasMute: boolean;
  /** From when on the network may be asked about numbers, in milliseconds since 1970. */
  lookUpsFrom(): number;
}

/**
 * Finds out what a page does not tell by itself: that it is frozen, that its listeners are gone, that it keeps
 * messages to itself, that it says CONNECTED and is so to nobody.
 */
export class PageWatch {
  readonly #parts: WatchParts;
  readonly #probe: PageProbe<PageLevels>;
  readonly #deafness = new Suspicion(MOST_DEAF_LOOKS, SUSPICION_FADES_MS);
  readonly #silence = new Suspicion(MOST_SILENCES, SUSPICION_FADES_MS);
  #isAsking = false;
  #unconfirmed = 0;
  #progress = '';

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#probe = new PageProbe({
      ask: () => parts.client.page.evaluate(readLevels),
      onAnswer: (levels) => void this.#onLevels(levels),
      onFrozen: (detail) => parts.events.onFailure('PAGE_FROZEN', detail),
    });
  }

  /** Begins to look, once the page has been loaded and injected. */
  start(): void {
    void this.#probe.run();
  }

  stop(): void {
    this.#probe.stop();
  }

  /** A send has been acknowledged by the network, or was not in time. */
  onSent(isConfirmed: boolean): void {
    this.#unconfirmed = isConfirmed ? 0 : this.#unconfirmed + 1;
    if (isConfirmed) this.#parts.report.found('sendMessage', undefined);
    else if (this.#unconfirmed >= MOST_UNCONFIRMED && this.#parts.events.isReady) void this.#onMute();
  }

  /**
   * A page that a full disk has made mute is replaced; so is one that is connected to nobody. An account that the
   * network restricts looks the same, and no restart helps it: one is tried, then it is reported. Never rejects.
   */
  async #onMute(): Promise<void> {
    const { events, report, wasMute } = this.#parts;
    const why = `the network has acknowledged none of the last ${this.#unconfirmed} sends`;
    const isThere = this.#mayAsk() ? await this.#isNetworkThere() : undefined;
    if (isThere === false) events.onFailure('PAGE_MUTE', `${why}, and does not answer either`);
    else if (!wasMute) events.onFailure('PAGE_MUTE', why);
    else report.found('sendMessage', `${why}, also after a restart: look at the phone, the account may be restricted`);
  }

  /** Levels beside edges: what the page is, whatever it has told. Never rejects. */
  async #onLevels({ injected, listening, socketState, progress, dialogs }: PageLevels): Promise<void> {
    const { client, events, log, report } = this.#parts;
    try {
      report.found('page.dialog', dialogs.length > 0 ? `a dialog stays open: ${dialogs.join('; ')}` : undefined);
      if (progress !== this.#progress) events.onProgress();
      this.#progress = progress;
      if (!injected) await client.inject();
      else if (socketState) client.onSocketState(socketState);
      if (!events.isReady) return;
      await this.#lookForLateModules();
      if (!listening) events.onFailure('PAGE_DEAF', 'nobody listens to the page any more');
      else if (await this.#hearsNothing()) {
        // What has come since the last look, too.
        await this.#parts.inbox.catchUp().finally(() => {
          events.onFailure('PAGE_DEAF', 'the page keeps what comes in to itself');
        });
      } else void this.#askNetwork();
    } catch (error) {
      if (!wasNavigated(error)) log('warn', `the page could not be looked at (${errorText(error)})`);
    }
  }

  async #lookForLateModules(): Promise<void> {
    const { client, capabilities } = this.#parts;
    if (capabilities.lacking.length > 0 && capabilities.isYoung) await client.look();
  }

  /** True when the page has seemed deaf as often as not to be a chance. */
  async #hearsNothing(): Promise<boolean> {
    const seen = await this.#parts.inbox.look();
    if (seen === 'hears') this.#deafness.clear();
    return seen === 'deaf' && this.#deafness.raise();
  }

  /** After a long silence the network is asked for an answer, whatever it is. Never rejects. */
  async #askNetwork(): Promise<void> {
    const { events, log, silenceTimeoutMs } = this.#parts;
    if (this.#isAsking || !this.#mayAsk() || Date.now() - events.lastWordAt < silenceTimeoutMs) return;
    this.#isAsking = true;
    const isThere = await this.#isNetworkThere();
    this.#isAsking = false;
    if (isThere) {
      this.#silence.clear();
      events.onWord();
      return;
    }
    log('warn', 'the network does not answer, although the page says that it is connected');
    if (this.#silence.raise() && events.isReady) events.onFailure('PAGE_DEAF', 'the network does not answer');
  }

  /** Right after a link, a question about a number does harm. */
  #mayAsk(): boolean {
    return Date.now() >= this.#parts.lookUpsFrom();
  }

  #isNetworkThere(): Promise<boolean> {
    return Promise.race([
      this.#parts.client.page.evaluate(isNetworkThere).then(
        () => true,
        () => true, // A refusal is an answer; a page that is going is told of elsewhere.
      ),
      delay(NETWORK_TIMEOUT_MS, false, { ref: false }),
    ]);
  }
}
