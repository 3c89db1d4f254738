import { errorText, OVERLAP_SECONDS, rowId, SECOND_MS, unixNow } from '@chat-web/protocol';
import * as v from 'valibot';
import type { Log, ReportEvent, RunInPage } from '../port.ts';
import { toAccountEvent } from './account-event.ts';
import { CatchUp } from './catch-up.ts';

/** The number of events that the gateway remembers as reported. */
const MAX_CAUGHT_UP = 500;
/** How long a first sync may take, with restarts in between. */
const FIRST_SYNC_MS = 3_600_000;

/** A change, as the page reports it. */
export interface Change {
  readonly name: unknown;
  readonly data: unknown;
  readonly row?: unknown;
  /** By the network's clock if the page knows it, otherwise by the sender's. Milliseconds since 1970. */
  readonly happenedAt?: unknown;
}

export interface AccountEventsDependencies {
  readonly report: ReportEvent;
  readonly run: RunInPage;
  readonly log: Log;
  /** Changes before this time, in Unix seconds, were reported. */
  readonly deliveredUntil: number;
  /** When the account was linked, in Unix seconds; 0 if it is not linked yet, or unknown. */
  readonly linkedAt: number;
}

/**
 * Reports changes of the account's messages, groups and chats. The page reports them live; changes that happened while
 * nothing listened are read when the session is ready, after the messages of that time. The gateway skips changes that
 * were reported before.
 */
export class AccountEvents {
  readonly #dependencies: AccountEventsDependencies;
  /** The time from which changes may not have been reported, in milliseconds. */
  #since: number;
  /**
   * Changes before linking are history, which the first sync may load. Milliseconds, of a whole second: the network's
   * times have no fraction, and a change right after the link must not seem older.
   */
  #historyUntil: number;
  /** All changes from `#since` to now were read, or reported live. */
  #isComplete = false;
  readonly #catchUp: CatchUp<Change>;

  constructor(dependencies: AccountEventsDependencies) {
    const { log, deliveredUntil, linkedAt } = dependencies;
    this.#dependencies = dependencies;
    this.#catchUp = new CatchUp('changes', (change) => this.#reportLive(change), log);
    this.#historyUntil = Math.floor(linkedAt) * SECOND_MS;
    this.#since = this.#afterLink((deliveredUntil - OVERLAP_SECONDS) * SECOND_MS);
  }

  /** The account is being linked: all changes until now are history. */
  discardHistory(): void {
    this.#historyUntil = unixNow() * SECOND_MS;
    this.#since = this.#historyUntil;
  }

  /** The page or its connection is gone. */
  pause(): void {
    if (this.#catchUp.isLive && this.#isComplete)
      this.#since = this.#afterLink(Date.now() - OVERLAP_SECONDS * SECOND_MS);
    this.#catchUp.pause();
  }

  #afterLink(time: number): number {
    return Math.max(time, this.#historyUntil);
  }

  /** True while the first sync may still load history. */
  get #isFirstSync(): boolean {
    return Date.now() - this.#historyUntil < FIRST_SYNC_MS;
  }

  /** The page reports a live change. */
  onChange(change: Change): void {
    // Changes by the first sync are not news.
    if (!this.#catchUp.isLive && change.name === 'chat_updated' && this.#isFirstSync) return;
    // The last presence of a chat is enough, and the page reports each once.
    const { chatId } = (change.data ?? {}) as { readonly chatId?: unknown };
    this.#catchUp.onLive(change, change.name === 'presence' ? (chatId ?? null) : change);
  }

  /**
   * Reports the missed changes that the page stores. Rejects if the page cannot be read: the next catch-up reads the
   * same time again. Live changes are reported in any case, unless the page was navigated: another catch-up follows its
   * next load.
   */
  async catchUp(): Promise<void> {
    this.pause();
    this.#isComplete = false;
    await this.#catchUp.run(async ({ isInterrupted, isComplete }) => {
      const found: readonly unknown[] = await this.#dependencies.run('changesSince', this.#since, MAX_CAUGHT_UP);
      if (isInterrupted()) return;
      this.#isComplete = isComplete();
      for (const change of found) this.#reportValid((change ?? {}) as Partial<Change>);
    });
  }

  #reportLive(change: Change): void {
    const { data, happenedAt } = change;
    // The page may store history in the same way as news, but only history has a time before linking.
    const isTimed = Object.hasOwn((data ?? {}) as object, 'at');
    const isOld = isTimed && typeof happenedAt === 'number' && happenedAt < this.#historyUntil;
    if (!isOld || !this.#isFirstSync) this.#reportValid(change);
  }

  #reportValid({ name, data, row }: Partial<Change>): void {
    const { report, log } = this.#dependencies;
    try {
      const event = toAccountEvent(name, data);
      report({ name: 'account_event', event, row: v.is(rowId, row) ? row : undefined });
    } catch (error) {
      // Never with the data of the event, which may contain a text that a person wrote.
      const eventName = typeof name === 'string' ? name.slice(0, 60) : 'unknown';
      log('error', 'event discarded', { eventName, error: errorText(error) });
    }
  }
}
