import { type EventName, errorText, type Message, type SessionEvent } from '@chat-web/protocol';
import type { Journal } from '../journal/journal.ts';
import { NotStoredError } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import { type DeliveredMessages, deliveryNotes } from './delivered-messages.ts';
import { EventStreams } from './event-streams.ts';
import { Feed, type FeedOptions } from './feed.ts';

/** Events of which nothing is kept: they open an account, or say so. */
const SECRET: readonly EventName[] = ['qr'];

/** What a session has lost while nothing could be stored. */
interface Loss {
  readonly since: Date;
  readonly messages: boolean;
  readonly others: boolean;
}

/**
 * The events of all sessions. Each is on disk before anyone sees it. A message is stored once, however often it is
 * reported.
 */
export class EventLog {
  readonly streams = new EventStreams();
  /** How often readers were told of a gap, by reason. */
  readonly gaps = new Map<string, number>();
  readonly #journal: Journal;
  readonly #delivered: DeliveredMessages;
  readonly #log: Log;
  /** Messages on their way to the disk, by session and id. */
  readonly #storing = new Set<string>();
  readonly #lost = new Map<string, Loss>();
  /** The newest append: what follows an event must not overtake it. */
  #newest: Promise<void> = Promise.resolve();
  #pending = 0;

  constructor(journal: Journal, delivered: DeliveredMessages, log: Log) {
    this.#journal = journal;
    this.#delivered = delivered;
    this.#log = log;
  }

  // What sessions report.

  publish(session: string, event: SessionEvent): void {
    if (SECRET.includes(event.name)) this.#showSecret(session, event);
    else void this.#store(session, event, '').then((isStored) => isStored || this.#lose(session, 'others'));
  }

  /** An inbound message. It is left out if it is stored already, or about to be. */
  publishMessage(session: string, message: Message): void {
    const place = `${session}/${message.id}`;
    if (this.#storing.has(place) || this.#delivered.has(session, message.id)) return;
    this.#storing.add(place);
    void this.#store(session, { name: 'message', data: message }, message.id).then((isStored) => {
      this.#storing.delete(place);
      if (!isStored) this.#lose(session, 'messages');
    });
  }

  /** Messages before this time, in Unix seconds, were delivered or reported as a gap: they are not looked for again. */
  deliveredUntil(session: string, seconds: number): void {
    if (seconds > this.deliveredFrom(session)) this.#note(deliveryNotes.until(session, seconds));
  }

  /** The session is ready: the first time, everything before is history. */
  deliveryBegins(session: string): void {
    if (this.#delivered.from(session) === undefined) this.#note(deliveryNotes.until(session, unixNow()));
  }

  /** What was missing has been looked for again. */
  deliveryComplete(session: string): void {
    this.#note(deliveryNotes.complete(session));
  }

  /** Another account may be linked next. */
  resetDelivery(session: string): void {
    this.#note(deliveryNotes.reset(session));
  }

  /** Messages from this time on may not have been delivered yet, in Unix seconds: now, if nothing is known. */
  deliveredFrom(session: string): number {
    return this.#delivered.from(session) ?? unixNow();
  }

  /** Takes the session's events out of all streams. */
  forget(session: string): void {
    this.#lost.delete(session);
    this.#note({ kind: 'forget', name: '', session, key: '', text: '' });
  }

  // Storing.

  /** Resolves with whether it is on disk. */
  async #store(session: string, { name, data }: SessionEvent, key: string): Promise<boolean> {
    try {
      await this.#append({ kind: 'event', name, session, key, text: JSON.stringify(data) });
      return true;
    } catch (error) {
      if (!(error instanceof NotStoredError)) this.#log.error({ session, error: errorText(error) }, 'event not stored');
      return false;
    }
  }

  #note(record: Parameters<Journal['append']>[0]): void {
    this.#append(record).catch(() => {}); // The journal has logged it; what follows from older records holds.
  }

  #append(record: Parameters<Journal['append']>[0]): Promise<void> {
    this.#pending += 1;
    const appended = this.#journal.append(record).finally(() => {
      this.#pending -= 1;
    });
    this.#newest = appended.catch(() => {});
    return appended;
  }

  #showSecret(session: string, event: SessionEvent): void {
    if (this.#pending === 0) this.streams.show(session, event);
    else void this.#newest.then(() => this.streams.show(session, event));
  }

  // When nothing could be stored.

  #lose(session: string, what: 'messages' | 'others'): void {
    const { since = new Date(), messages = false, others = false } = this.#lost.get(session) ?? {};
    this.#lost.set(session, { since, messages: messages || what === 'messages', others: others || what === 'others' });
  }

  /**
   * To be called when events can be stored again. Says in each session's stream what it has lost, other than messages.
   * Returns the sessions whose messages are to be looked for again, each with the time from which on, in Unix seconds.
   */
  resume(): Map<string, number> {
    const missing = new Map<string, number>();
    const now = new Date().toISOString();
    for (const [session, { since, messages, others }] of this.#lost) {
      const seconds = Math.floor(since.getTime() / 1_000);
      if (messages) {
        missing.set(session, seconds);
        this.#note(deliveryNotes.missing(session, seconds));
      }
      if (others)
        this.publish(session, { name: 'gap', data: { reason: 'not_stored', from: since.toISOString(), to: now } });
    }
    this.#lost.clear();
    return missing;
  }

  // What readers get.

  /** Events from a position on. */
  feed(options: FeedOptions): Feed {
    return new Feed(this.#journal, options, (reason) => this.gaps.set(reason, (this.gaps.get(reason) ?? 0) + 1));
  }

  /** False while nothing can be stored. */
  get isStoring(): boolean {
    return this.#journal.stats.failingSince === undefined;
  }
}

function unixNow(): number {
  return Math.floor(Date.now() / 1_000);
}
