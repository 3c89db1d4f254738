import { BoundedMap, errorText, MAX_DELIVERED_IDS, MAX_WITHOUT_CONTENT, unixNow } from '@chat-web/protocol';
import type { HeldMessage } from '../../page/inbox.ts';
import { wasNavigated } from '../page-errors.ts';
import type { Log, ReportEvent, RunInPage } from '../port.ts';
import { toMessage } from '../resources.ts';
import { CatchUp, type Reading } from './catch-up.ts';
import { DeafnessCheck, type Hearing } from './deafness-check.ts';
import { DeliveredUntil } from './delivered-until.ts';

/** Older messages are history, delivered or not. */
const HISTORY_SECONDS = 7 * 24 * 60 * 60;
/** What one round of loading may take. Rounds follow each other for as long as they load anything. */
const ROUND = { timeoutMs: 30_000, maxMessages: 2_000 };
/** What a catch-up may load: live messages are held back until it ends, and the journal has room for so many at once. */
const LOAD_LIMITS = { timeoutMs: 10 * 60_000, maxMessages: 10_000 };
/** How many models to read at once: while the page makes them, it does nothing else. */
const MODELS_AT_ONCE = 500;

export interface InboxDependencies {
  readonly report: ReportEvent;
  readonly run: RunInPage;
  readonly log: Log;
  /** Messages before this time, in Unix seconds, are history. */
  readonly deliveredUntil: number;
  /** Messages that were delivered without their content: it may be in the page by now. */
  readonly withoutContent: readonly string[];
}

/**
 * Delivers each inbound message once, and in order. The page reports messages as they arrive (live). It only stores
 * messages that arrive while its listeners are not attached, or while the account is offline: a catch-up reads those,
 * and holds live messages back until the older ones are delivered. A regular check finds messages that the listeners
 * missed.
 */
export class Inbox {
  readonly #report: ReportEvent;
  readonly #run: RunInPage;
  readonly #log: Log;
  readonly #deliveredUntil: DeliveredUntil;
  readonly #deafness = new DeafnessCheck();
  readonly #delivered = new BoundedMap<string, true>(MAX_DELIVERED_IDS);
  /** Messages that were delivered without their content: that is delivered once it comes. */
  readonly #withoutContent = new BoundedMap<string, true>(MAX_WITHOUT_CONTENT);
  /** Undelivered messages in the page that cannot be read: they are not retried. */
  #unreadable: ReadonlySet<string> = new Set();
  readonly #catchUp: CatchUp<unknown>;
  /** The time up to which messages were delivered when the page was last live. */
  #liveUntil: number;
  /** Start of the last gap of incomplete chats, which is reported once. */
  #gapFrom: number | undefined;

  constructor({ report, run, log, deliveredUntil, withoutContent }: InboxDependencies) {
    this.#report = report;
    this.#run = run;
    this.#log = log;
    this.#deliveredUntil = new DeliveredUntil(deliveredUntil);
    this.#liveUntil = deliveredUntil;
    this.#catchUp = new CatchUp('messages', (model) => this.#deliver(model), log);
    for (const id of withoutContent) this.#withoutContent.set(id, true);
  }

  // Live.

  /** The page reports a message as it arrives. */
  onMessage(model: unknown): void {
    this.#deafness.onReported();
    this.#catchUp.onLive(model);
  }

  #deliver(model: unknown): void {
    try {
      const message = toMessage(model);
      const { id, unavailable } = message;
      const isContent = unavailable === undefined && this.#withoutContent.delete(id);
      if (this.#delivered.has(id) && !isContent) return;
      this.#delivered.set(id, true);
      if (unavailable !== undefined) this.#withoutContent.set(id, true);
      this.#deliveredUntil.onDelivered(message.timestamp, unixNow());
      this.#report({ name: 'message', message });
    } catch (error) {
      // One unreadable message is logged, and must not end the session.
      this.#log('error', 'message discarded', { error: errorText(error) });
    }
  }

  // History.

  /** The account is being linked: all messages until now are its history. */
  discardHistory(): void {
    this.#deliveredUntil.discardBefore(unixNow());
    this.#liveUntil = this.#deliveredUntil.seconds;
  }

  // Catching up.

  /** The page or its connection is gone: live messages are held back until a catch-up has delivered the older ones. */
  pause(): void {
    if (this.#catchUp.isLive) this.#liveUntil = this.#deliveredUntil.seconds;
    this.#catchUp.pause();
    this.#deliveredUntil.onInterrupted();
  }

  /** Makes the next catch-up deliver messages since that time, in Unix seconds, again. */
  lookAgain(sinceSeconds: number): void {
    this.#deliveredUntil.goBackTo(sinceSeconds);
    this.#delivered.clear();
    this.#unreadable = new Set();
  }

  /**
   * Delivers the stored messages that are not delivered yet, then those held back meanwhile. Rejects if the page cannot
   * be read; live messages are delivered in any case, unless the page was navigated: another catch-up follows its next
   * load.
   */
  async catchUp(): Promise<void> {
    this.pause();
    await this.#catchUp.run(async (reading) => {
      const { seconds } = this.#deliveredUntil;
      // A message that was not held back may be older than those delivered since.
      if (reading.hasDropped) this.#deliveredUntil.goBackTo(this.#liveUntil);
      await this.#deliverStored(reading);
      if (reading.hasDropped && !reading.isInterrupted()) this.#deliveredUntil.discardBefore(seconds);
    });
  }

  async #deliverStored({ isInterrupted, isComplete }: Reading): Promise<void> {
    const now = unixNow();
    const from = this.#deliveredUntil.seconds;
    const isFirst = from === 0; // Nothing was ever delivered, so nothing is missing.
    await this.#discardExpired(now);
    const since = Math.max(this.#deliveredUntil.seconds, now - HISTORY_SECONDS);
    const incompleteChats = await this.#load(since, isInterrupted);
    if (isInterrupted()) return;
    if (!isFirst && incompleteChats > 0) this.#reportIncomplete(since, now, incompleteChats);
    await this.#deliverAll(await this.#undelivered(since), isInterrupted);
    if (isInterrupted()) return;
    // Otherwise, another reading follows.
    if (isComplete()) {
      if (incompleteChats === 0) this.#deliveredUntil.onLive(now);
      if (!isFirst) this.#report({ name: 'caught_up', since: from });
    }
    await this.#deliverContents(isInterrupted);
  }

  /** Delivers what has come of messages that were delivered without their content. */
  async #deliverContents(isInterrupted: () => boolean): Promise<void> {
    if (this.#withoutContent.size === 0) return;
    const models: readonly unknown[] = await this.#run('contentsOf', [...this.#withoutContent.keys()]);
    if (!isInterrupted()) for (const model of models) this.#deliver(model);
  }

  /**
   * Loads messages in rounds until all chats are complete, a round loads nothing, or a limit is reached. Returns the
   * number of incomplete chats. The page loads the newest first, so nothing is delivered before the last round.
   */
  async #load(since: number, isInterrupted: () => boolean): Promise<number> {
    const startedAt = performance.now();
    let left = LOAD_LIMITS.maxMessages;
    try {
      for (;;) {
        const maxMessages = Math.min(ROUND.maxMessages, left);
        const { loaded, incompleteChats } = await this.#run('loadSince', since, { ...ROUND, maxMessages });
        left -= loaded;
        const isLate = performance.now() - startedAt >= LOAD_LIMITS.timeoutMs;
        if (incompleteChats === 0 || loaded === 0 || left <= 0 || isLate || isInterrupted()) return incompleteChats;
        this.#log('info', 'loading missed messages', { loaded: LOAD_LIMITS.maxMessages - left, incompleteChats });
      }
    } catch (error) {
      if (wasNavigated(error)) throw error;
      this.#log('warn', 'loading missed messages failed', { error: errorText(error) });
      // The number of incomplete chats is unknown. What was loaded is in the page's memory.
      return (await this.#run('hasChanged', since).catch(() => true)) ? 1 : 0;
    }
  }

  // The gap: messages that are never delivered.

  /** Moves the time past messages that are too old. Reports a gap if any chat has changed since. */
  async #discardExpired(now: number): Promise<void> {
    const from = this.#deliveredUntil.seconds;
    const to = now - HISTORY_SECONDS;
    if (from === 0 || from >= to) return;
    if (await this.#run('hasChanged', from)) this.#report({ name: 'gap', from, to, chats: 0 });
    this.#deliveredUntil.discardBefore(to);
  }

  #reportIncomplete(from: number, to: number, chats: number): void {
    if (from === this.#gapFrom) return;
    this.#report({ name: 'gap', from, to, chats });
    this.#gapFrom = from;
  }

  // Deafness.

  /** Delivers messages that the listeners missed, and returns whether they work. Call regularly. */
  async checkListeners(): Promise<Hearing> {
    if (!this.#catchUp.isLive) return 'quiet'; // Older messages come first.
    const { missed, hearing } = this.#deafness.check(await this.#undelivered(this.#deliveredUntil.seconds));
    await this.#deliverAll(missed, () => !this.#catchUp.isLive);
    const until = this.#deliveredUntil.advanceIdle(unixNow());
    if (until !== undefined) this.#report({ name: 'delivered', until });
    return hearing;
  }

  // What the page stores.

  async #undelivered(since: number): Promise<HeldMessage[]> {
    const stored = await this.#run('inboundSince', since);
    this.#unreadable = new Set(stored.map(({ id }) => id).filter((id) => this.#unreadable.has(id)));
    return stored.filter(({ id }) => !this.#delivered.has(id) && !this.#unreadable.has(id));
  }

  /** Reads the messages and delivers them, in their order, until it is interrupted. */
  async #deliverAll(messages: readonly HeldMessage[], isInterrupted: () => boolean): Promise<void> {
    const unreadable: string[] = [];
    for (let read = 0; read < messages.length; read += MODELS_AT_ONCE) {
      const ids = messages.slice(read, read + MODELS_AT_ONCE).map(({ id }) => id);
      const models = await this.#run('messageModels', ids);
      if (isInterrupted()) return;
      for (const model of models) this.#deliver(model);
      unreadable.push(...ids.filter((id) => !this.#delivered.has(id)));
    }
    if (messages.length === 0) return;
    this.#unreadable = new Set([...this.#unreadable, ...unreadable]);
    this.#log('info', 'missed messages delivered', {
      messages: messages.length - unreadable.length,
      unreadable: unreadable.length,
    });
  }
}
