import { errorText, OVERLAP_SECONDS } from '@chat-web/protocol';
import type { HeldMessage } from '../page/inbox.ts';
import { wasNavigated } from './page-errors.ts';
import type { Log, ReportEvent } from './port.ts';
import { toMessage } from './resources.ts';

/** What the inbox reads of the page. */
export interface HeldMessages {
  /** Loads what the page has stored since then; how many chats are not complete after it. */
  load(seconds: number): Promise<number>;
  /** True if a chat has changed since then. */
  hasChanged(seconds: number): Promise<boolean>;
  since(seconds: number): Promise<HeldMessage[]>;
  models(ids: readonly string[]): Promise<unknown[]>;
}

/** How many message ids are remembered, so that a page that tells of a message twice does not double it. */
const REMEMBERED_MESSAGES = 10_000;
/** What is older is history, whoever has heard of it. */
const OLDEST_SECONDS = 7 * 24 * 60 * 60;
const SECOND_MS = 1_000;
/** What the network holds back may come in late, with the time at which it was sent. */
const LATE_SECONDS = 6 * 60 * 60;
const HEARD_INTERVAL_SECONDS = 60 * 60;

/**
 * Tells of each inbound message once, whether the page told of it or has only kept it: while a listener was not
 * attached, or the account was away, messages come into the page without a word.
 */
export class Inbox {
  readonly #report: ReportEvent;
  readonly #held: HeldMessages;
  readonly #log: Log;
  readonly #told = new Set<string>();
  /** Those of the messages held that could not be read: once is enough. */
  #passedOver = new Set<string>();
  #heardUntil: number;
  /** Ids of messages that were untold at the last look: a live one may have been on its way. */
  #suspects = new Set<string>();
  #isListenedTo = false;
  /** From when on chats were reported as not complete: once is enough. */
  #gapFrom: number | undefined;
  /** Since when, in Unix seconds, the page has been listened to without a break; undefined while it is not. */
  #listeningSince: number | undefined;
  /** What comes in live while older messages are still to be told of waits until they have been. */
  readonly #waiting: unknown[] = [];
  /** How often there was something to catch up with, and up to which of these that has been told of. */
  #beginnings = 1;
  #caughtUpTo = 0;

  /** `heardUntil`: what came before this time, in Unix seconds, is of no interest any more. */
  constructor(report: ReportEvent, held: HeldMessages, log: Log, heardUntil: number) {
    this.#report = report;
    this.#held = held;
    this.#log = log;
    this.#heardUntil = heardUntil;
  }

  /** The account is being linked: what it got before is its history. */
  beginNow(): void {
    this.#heardUntil = Math.max(this.#heardUntil, Math.floor(Date.now() / SECOND_MS));
  }

  /** The page or its connection has gone: what it will tell waits until what it holds by then has been told of. */
  beginAgain(): void {
    this.#beginnings += 1;
    this.#listeningSince = undefined;
  }

  /** The page tells of a message. */
  onMessage(model: unknown): void {
    this.#isListenedTo = true;
    if (this.#mustWait) this.#waiting.push(model);
    else this.#tell(model);
  }

  get #mustWait(): boolean {
    return this.#caughtUpTo < this.#beginnings;
  }

  #tell(model: unknown): void {
    try {
      const message = toMessage(model);
      if (!this.#remember(message.id)) return;
      const at = Math.min(message.timestamp, Math.floor(Date.now() / SECOND_MS));
      this.#heardUntil = Math.max(this.#heardUntil, at - OVERLAP_SECONDS);
      this.#report({ name: 'message', message });
    } catch (error) {
      // One message that cannot be read is a line in the log, not the end of the session.
      this.#log('error', `a message of the page could not be read: ${errorText(error)}`);
    }
  }

  /** Tells at once of what the page holds and nobody was told of: the session has just come up. */
  async catchUp(): Promise<void> {
    this.beginAgain();
    const beginning = this.#beginnings;
    const now = Math.floor(Date.now() / SECOND_MS);
    const from = this.#heardUntil;
    const since = Math.max(from, now - OLDEST_SECONDS);
    try {
      // What is too old is reported once, and is history then.
      if (from > 0 && since > from) {
        if (await this.#held.hasChanged(from)) this.#report({ name: 'gap', from, to: since, chats: 0 });
        this.#heardUntil = since;
      }
      const chats = await this.#load(since);
      if (from > 0 && chats > 0 && since !== this.#gapFrom) {
        this.#report({ name: 'gap', from: since, to: now, chats });
        this.#gapFrom = since;
      }
      const untold = await this.#untold(since);
      const models = await this.#models(untold);
      if (beginning === this.#beginnings) {
        this.#tellAll(untold, models);
        if (chats === 0) this.#listeningSince = now;
      }
      this.#caughtUpTo = Math.max(this.#caughtUpTo, beginning);
    } catch (error) {
      // A page that goes is asked again when it is back; one that cannot answer must not silence what comes in live.
      if (!wasNavigated(error)) this.#caughtUpTo = Math.max(this.#caughtUpTo, beginning);
      throw error;
    } finally {
      if (!this.#mustWait) for (const model of this.#waiting.splice(0)) this.#tell(model);
    }
  }

  /** What the page does not load it may still hold in part. */
  async #load(since: number): Promise<number> {
    try {
      return await this.#held.load(since);
    } catch (error) {
      if (wasNavigated(error)) throw error;
      this.#log('warn', `the page could not load what came while nobody listened: ${errorText(error)}`);
      // Which of them are not complete is not known.
      return (await this.#held.hasChanged(since).catch(() => true)) ? 1 : 0;
    }
  }

  /**
   * Tells of what the page has kept to itself since the last look. `deaf`: messages had come in live that its
   * listeners did not tell of. `hears`: they told of some. `quiet`: nothing came.
   */
  async look(): Promise<'deaf' | 'hears' | 'quiet'> {
    if (this.#mustWait) return 'quiet'; // What is older comes first.
    const untold = await this.#untold(this.#heardUntil);
    const kept = untold.filter(({ id }) => this.#suspects.has(id));
    this.#suspects = new Set(untold.map(({ id }) => id));
    const heardOthers = this.#isListenedTo;
    this.#isListenedTo = false;
    const models = await this.#models(kept);
    if (!this.#mustWait) this.#tellAll(kept, models);
    this.#moveOn();
    if (heardOthers) return 'hears';
    return kept.some(({ isNew }) => isNew) ? 'deaf' : 'quiet';
  }

  /** An account to which nobody writes has heard all the same: else silence would look like a gap after a restart. */
  #moveOn(): void {
    const until = Math.floor(Date.now() / SECOND_MS) - LATE_SECONDS;
    if (this.#listeningSince === undefined || until < this.#listeningSince) return;
    if (until < this.#heardUntil + HEARD_INTERVAL_SECONDS) return;
    this.#heardUntil = until;
    this.#report({ name: 'heard', until });
  }

  async #untold(since: number): Promise<HeldMessage[]> {
    const held = await this.#held.since(since);
    this.#passedOver = new Set(held.map(({ id }) => id).filter((id) => this.#passedOver.has(id)));
    return held.filter(({ id }) => !this.#told.has(id) && !this.#passedOver.has(id));
  }

  async #models(untold: readonly HeldMessage[]): Promise<unknown[]> {
    return untold.length === 0 ? [] : this.#held.models(untold.map(({ id }) => id));
  }

  #tellAll(untold: readonly HeldMessage[], models: readonly unknown[]): void {
    if (untold.length === 0) return;
    for (const model of models) this.#tell(model);
    for (const { id } of untold) if (!this.#told.has(id)) this.#passedOver.add(id);
    this.#log('info', `caught up with ${untold.length} messages`);
  }

  /** False for a message that is known already. */
  #remember(id: string): boolean {
    if (this.#told.has(id)) return false;
    this.#told.add(id);
    if (this.#told.size > REMEMBERED_MESSAGES) {
      for (const oldest of this.#told) {
        this.#told.delete(oldest);
        break;
      }
    }
    return true;
  }
}
