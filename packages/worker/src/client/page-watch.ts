import { setTimeout as delay } from 'node:timers/promises';
import { errorText } from '@chat-web/protocol';
import { wasNavigated } from '../page/errors.ts';
import { isNetworkThere, type PageLevels, readLevels } from '../page/session.ts';
import type { SessionEvents } from './events.ts';
import type { Inbox } from './inbox.ts';
import { PageProbe } from './page-probe.ts';
import type { Log } from './port.ts';
import type { WhatsAppClient } from './whatsapp-client.ts';

/** How long the network may take to say that it is there, and how often it may fail to before the page is deaf. */
const NETWORK_TIMEOUT_MS = 20_000;
const MOST_SILENCES = 2;
const MOST_DEAF_LOOKS = 2;
/** So many sends in a row that nobody confirms, while the page says that it is connected, mean that it sends nothing. */
const MOST_UNCONFIRMED = 5;

/** What the watch looks at and speaks to. */
export interface WatchParts {
  readonly client: WhatsAppClient;
  readonly events: SessionEvents;
  readonly inbox: Inbox;
  readonly log: Log;
  /** After so long without a word of the network it is asked whether it is there. Milliseconds. */
  readonly silenceTimeoutMs: number;
}

/**
 * Finds out what a page does not tell by itself: that it is frozen, that its listeners are gone, that it keeps
 * messages to itself, that it says CONNECTED and is so to nobody.
 */
export class PageWatch {
  readonly #parts: WatchParts;
  readonly #probe: PageProbe<PageLevels>;
  #isAsking = false;
  #silences = 0;
  #deafLooks = 0;
  #unconfirmed = 0;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#probe = new PageProbe({
      ask: () => parts.client.page.evaluate(readLevels),
      onAnswer: (levels) => void this.#onLevels(levels),
      onFrozen: (reason) => parts.events.onFailure('page_frozen', reason),
    });
  }

  /** Begins to look, once the page has been loaded and injected. */
  start(): void {
    void this.#probe.run();
  }

  stop(): void {
    this.#probe.stop();
  }

  /** A send has been confirmed by the network, or was not in time: as of a page that a full disk has made mute. */
  onSent(isConfirmed: boolean): void {
    this.#unconfirmed = isConfirmed ? 0 : this.#unconfirmed + 1;
    if (this.#unconfirmed === MOST_UNCONFIRMED && this.#parts.events.isReady)
      this.#parts.events.onFailure('page_mute', `the network has confirmed none of ${MOST_UNCONFIRMED} sends`);
  }

  /** Levels beside edges: what the page is, whatever it has told. Never rejects. */
  async #onLevels({ injected, listening, socketState }: PageLevels): Promise<void> {
    const { client, events, log } = this.#parts;
    try {
      if (!injected) await client.inject();
      else if (socketState) events.onSocketState(socketState);
      if (!events.isReady) return;
      if (!listening) events.onFailure('page_deaf', 'nobody listens to the page any more');
      else if (await this.#hearsNothing()) {
        // What has come since the last look, too.
        await this.#parts.inbox.catchUp().finally(() => {
          events.onFailure('page_deaf', 'the page keeps what comes in to itself');
        });
      } else void this.#askNetwork();
    } catch (error) {
      if (!wasNavigated(error)) log('warn', `the page could not be looked at (${errorText(error)})`);
    }
  }

  /** True when the page has seemed deaf as often as not to be a chance. */
  async #hearsNothing(): Promise<boolean> {
    const seen = await this.#parts.inbox.look();
    if (seen === 'deaf') this.#deafLooks += 1;
    else if (seen === 'hears') this.#deafLooks = 0;
    return this.#deafLooks === MOST_DEAF_LOOKS;
  }

  /** After a long silence the network is asked for an answer, whatever it is. Never rejects. */
  async #askNetwork(): Promise<void> {
    const { client, events, log, silenceTimeoutMs } = this.#parts;
    if (this.#isAsking || Date.now() - events.lastWordAt < silenceTimeoutMs) return;
    this.#isAsking = true;
    const isThere = await Promise.race([
      client.page.evaluate(isNetworkThere).then(
        () => true,
        () => true, // A refusal is an answer; a page that is going is told of elsewhere.
      ),
      delay(NETWORK_TIMEOUT_MS, false, { ref: false }),
    ]);
    this.#isAsking = false;
    if (isThere) {
      this.#silences = 0;
      events.onWord();
      return;
    }
    this.#silences += 1;
    log('warn', 'the network does not answer, although the page says that it is connected');
    if (this.#silences === MOST_SILENCES && events.isReady)
      events.onFailure('page_deaf', 'the page says that it is connected, but the network does not answer');
  }
}
