import { errorText, OVERLAP_SECONDS, rowId } from '@chat-web/protocol';
import * as v from 'valibot';
import { wasNavigated } from '../page-errors.ts';
import type { Log, ReportEvent } from '../port.ts';
import { toAccountEvent } from './account-event.ts';

/** Of so many events the gateway remembers that it was told. */
const MOST_CAUGHT_UP = 500;
const MOST_HELD_BACK = 1_000;
const SECOND_MS = 1_000;
/** How long a first sync may take, with restarts in between. */
const FIRST_SYNC_MS = 3_600_000;

/** What the page has told. */
export interface Change {
  readonly name: unknown;
  readonly data: unknown;
  readonly row?: unknown;
  /** By the network's clock where the page knows that, else by the sender's. Milliseconds since 1970. */
  readonly happenedAt?: unknown;
}

/** Reads what happened since a time, in milliseconds, oldest first: so many events at most. */
type ReadChanges = (since: number, most: number) => Promise<readonly unknown[]>;

/**
 * Reports what becomes of the account's messages, groups and chats. The page tells it live; what happened while nothing
 * listened is read when the session is ready, after the messages of that time. The gateway leaves out what it was told.
 */
export class AccountEvents {
  readonly #report: ReportEvent;
  readonly #read: ReadChanges;
  readonly #log: Log;
  /** From when on events may not have been told, in milliseconds. */
  #since: number;
  /** What was before the link is no news: its first sync may bring it. Milliseconds. */
  #historyUntil: number;
  #isLive = false;
  /** All of the time from `#since` to now was read, or told live. */
  #isComplete = false;
  /** What the page has told meanwhile. */
  #heldBack: Change[] = [];
  /** Counts the pauses: a catch-up that was overtaken by another pause does not end that one. */
  #pauses = 0;

  /**
   * `heardUntil`: what happened before this time, in Unix seconds, was told. `linkedAt`: when the account was linked, in
   * Unix seconds; 0 if it is not linked yet, or that is unknown.
   */
  constructor(report: ReportEvent, read: ReadChanges, log: Log, heardUntil: number, linkedAt: number) {
    this.#report = report;
    this.#read = read;
    this.#log = log;
    this.#historyUntil = linkedAt * SECOND_MS;
    this.#since = this.#afterLink((heardUntil - OVERLAP_SECONDS) * SECOND_MS);
  }

  /** The account is being linked: what happened until now is history. */
  discardHistory(): void {
    this.#historyUntil = Date.now();
    this.#since = this.#historyUntil;
  }

  /** The page or its connection is gone. */
  pause(): void {
    this.#pauses += 1;
    if (this.#isLive && this.#isComplete) this.#since = this.#afterLink(Date.now() - OVERLAP_SECONDS * SECOND_MS);
    this.#isLive = false;
  }

  #afterLink(time: number): number {
    return Math.max(time, this.#historyUntil);
  }

  /** A first sync may still bring history. */
  get #isFirstSync(): boolean {
    return Date.now() - this.#historyUntil < FIRST_SYNC_MS;
  }

  /** The page tells of a change as it happens. */
  onChange(change: Change): void {
    if (this.#isLive) this.#tellLive(change);
    // What the first sync sets is no news.
    else if (change.name === 'chat_updated' && this.#isFirstSync) return;
    // Later, it would be wrong.
    else if (change.name === 'presence') return;
    else if (this.#heldBack.length < MOST_HELD_BACK) this.#heldBack.push(change);
  }

  /**
   * Reports what the page stores of the time before. Rejects where the page cannot be read: the next catch-up reads that
   * time once more. What happens live is told all the same, unless the page was navigated: its next load is followed by
   * another catch-up.
   */
  async catchUp(): Promise<void> {
    this.pause();
    const pause = this.#pauses;
    this.#isComplete = false;
    try {
      const found = await this.#read(this.#since, MOST_CAUGHT_UP);
      if (pause !== this.#pauses) return;
      this.#isComplete = true;
      for (const change of found) {
        this.#tell((change ?? {}) as Partial<Change>);
      }
    } catch (error) {
      if (!wasNavigated(error)) this.#resume(pause);
      throw error;
    }
    this.#resume(pause);
  }

  #resume(pause: number): void {
    if (pause !== this.#pauses) return;
    this.#isLive = true;
    const heldBack = this.#heldBack;
    this.#heldBack = [];
    for (const change of heldBack) this.#tellLive(change);
  }

  #tellLive(change: Change): void {
    const { data, happenedAt } = change;
    // The page may store history as it stores news, but only these have a time before the link.
    const isTimed = Object.hasOwn((data ?? {}) as object, 'at');
    const isOld = isTimed && typeof happenedAt === 'number' && happenedAt < this.#historyUntil;
    if (!isOld || !this.#isFirstSync) this.#tell(change);
  }

  #tell({ name, data, row }: Partial<Change>): void {
    try {
      const event = toAccountEvent(name, data);
      this.#report({ name: 'account_event', event, row: v.is(rowId, row) ? row : undefined });
    } catch (error) {
      // Never with what was to be told: it may be a text that somebody wrote.
      const eventName = typeof name === 'string' ? name.slice(0, 60) : 'unknown';
      this.#log('error', 'event discarded', { eventName, error: errorText(error) });
    }
  }
}
