import { setTimeout as delay } from 'node:timers/promises';
import {
  type AccountEvent,
  errorText,
  GatewayError,
  type Message,
  type OpenAck,
  SECRET_EVENTS,
  type SessionEvent,
} from '@chat-web/protocol';
import type { NewRecord } from '../journal/frame.ts';
import type { Journal } from '../journal/journal.ts';
import { NotStoredError } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import { type DeliveredMessages, deliveryNotes } from './delivered-messages.ts';
import { EventStreams } from './event-streams.ts';
import { type Entry, entryOf, Feed, type FeedOptions, OLDEST } from './feed.ts';
import { ImportShares } from './import-shares.ts';
import { JournalShares, type SharedJournal } from './journal-shares.ts';
import type { OpenAcks } from './open-acks.ts';
import { type ToldEvents, toldKeyOf, toldNotes } from './told-events.ts';

/** What a session has lost while nothing could be stored. */
interface Loss {
  /** The timestamp of its oldest message that was refused, in Unix seconds. */
  messagesFrom: number | undefined;
  /** The newest of its `status` events that were refused. */
  status: SessionEvent | undefined;
  /** When the first of its other events was refused. */
  othersSince: Date | undefined;
}

/** What folds need, and who waits until it is on disk. */
interface Note {
  readonly record: NewRecord;
  stored(): void;
}

/** How long a deletion waits for the disk. */
const FORGET_TIMEOUT_MS = 5_000;

/** What follows from the events. */
export interface EventFolds {
  readonly delivered: DeliveredMessages;
  readonly openAcks: OpenAcks;
  readonly told: ToldEvents;
}

/**
 * The events of all sessions. Each is on disk before anyone sees it. A message is stored once, however often it is
 * reported.
 */
export class EventLog {
  readonly streams = new EventStreams();
  /** How often readers were told of a gap, by reason. */
  readonly gaps = new Map<string, number>();
  /** What imports may store, through `storeImported`. */
  readonly imports: ImportShares;
  readonly #journal: Journal;
  readonly #delivered: DeliveredMessages;
  readonly #openAcks: OpenAcks;
  readonly #told: ToldEvents;
  readonly #log: Log;
  readonly #shares: JournalShares;
  /** Messages and other events on their way to the disk, by session and id or key. */
  readonly #storing = new Set<string>();
  /** Acks on their way to the disk, by session and id. */
  readonly #acksOnTheWay = new Map<string, OpenAck['ack']>();
  readonly #lost = new Map<string, Loss>();
  /** Notes that were refused, in their order. */
  readonly #owed: Note[] = [];
  /** Deleted sessions of which the disk may not know yet, each with the newest seq of that time. */
  readonly #deleted = new Map<string, number>();
  /** The newest append: what follows an event must not overtake it. */
  #newest: Promise<void> = Promise.resolve();
  #pending = 0;

  constructor(journal: Journal, { delivered, openAcks, told }: EventFolds, limits: SharedJournal, log: Log) {
    this.#journal = journal;
    this.imports = new ImportShares(limits);
    this.#shares = new JournalShares(limits);
    this.#delivered = delivered;
    this.#openAcks = openAcks;
    this.#told = told;
    this.#log = log;
  }

  // What sessions report.

  /**
   * An event other than a message or an ack. One that opens an account is shown, and not stored. `isCurrent`: whether it
   * still holds when its turn has come; it is not shown otherwise.
   */
  publish(session: string, event: SessionEvent, isCurrent = () => true): void {
    if (SECRET_EVENTS.includes(event.name)) this.#showSecret(session, event, isCurrent);
    else if (event.name === 'status') this.#storeStatus(session, event);
    else void this.#store(session, event, '', () => this.#loseOther(session));
  }

  /** One that is refused is stored later, unless a newer one takes its place: a gap would concern all readers. */
  #storeStatus(session: string, event: SessionEvent): void {
    void this.#store(session, event, '', () => {
      this.#lossOf(session).status = event;
    });
  }

  /** An inbound message. It is left out if it is stored already, or about to be. */
  publishMessage(session: string, message: Message): void {
    const place = `${session}/${message.id}`;
    if (this.#storing.has(place) || this.#delivered.has(session, message.id)) return;
    this.#storing.add(place);
    const lose = () => {
      const loss = this.#lossOf(session);
      loss.messagesFrom = Math.min(loss.messagesFrom ?? unixNow(), message.timestamp);
    };
    const stored = this.#store(session, { name: 'message', data: message }, message.id, lose);
    void stored.then(() => this.#storing.delete(place));
  }

  /** An ack of a message. It is left out unless it is higher than the last one, or an error. */
  publishAck(session: string, { id, ack }: OpenAck): void {
    const place = `${session}/${id}`;
    const known = this.#acksOnTheWay.get(place) ?? this.#openAcks.of(session, id);
    if (known !== undefined && (ack === known || (ack >= 0 && ack < known))) return;
    this.#acksOnTheWay.set(place, ack);
    const event = { name: 'message_ack', data: { id, ack } } as const;
    void this.#store(session, event, '', () => this.#loseOther(session)).then(() => {
      if (this.#acksOnTheWay.get(place) === ack) this.#acksOnTheWay.delete(place);
    });
  }

  /** An event of an account. It is left out if it is stored already, or about to be. */
  publishAccountEvent(session: string, event: AccountEvent): void {
    const key = toldKeyOf(event);
    const place = `${session}/${key}`;
    if (key !== '' && (this.#storing.has(place) || this.#told.has(session, key))) return;
    this.#storing.add(place);
    void this.#store(session, event, key, () => this.#loseOther(session)).then(() => this.#storing.delete(place));
  }

  /** A message that is sent from here: the page will not tell it as sent on another device. */
  noteOwnMessage(session: string, id: string): void {
    void this.#note(toldNotes.own(session, id));
  }

  /** The messages whose acks may rise while the session is down. */
  openAcks(session: string): OpenAck[] {
    return this.#openAcks.list(session);
  }

  /** Messages before this time, in Unix seconds, were delivered or reported as a gap: they are not looked for again. */
  deliveredUntil(session: string, seconds: number): void {
    if (seconds > this.deliveredFrom(session)) this.#note(deliveryNotes.until(session, seconds));
  }

  /** The session is ready: the first time, everything before is history. */
  deliveryBegins(session: string): void {
    if (this.#delivered.from(session) === undefined) this.#note(deliveryNotes.until(session, unixNow()));
  }

  /** All messages since that time, in Unix seconds, have been reported: none is missing any more. */
  caughtUp(session: string, sinceSeconds: number): void {
    const missingFrom = this.#delivered.missingFrom(session);
    const isComplete = missingFrom !== undefined && sinceSeconds <= missingFrom;
    if (isComplete && this.#lost.get(session)?.messagesFrom === undefined) this.#note(deliveryNotes.complete(session));
  }

  /** Another account may be linked next. */
  resetDelivery(session: string): void {
    this.#note(deliveryNotes.reset(session));
  }

  /** Messages from this time on may not have been delivered yet, in Unix seconds: now, if nothing is known. */
  deliveredFrom(session: string): number {
    return this.#delivered.from(session) ?? unixNow();
  }

  /** True while a session has had more stored than its share of the journal: nothing else is to be taken from it. */
  hasExceededShare(session: string): boolean {
    return this.#shares.isExceeded(session);
  }

  /**
   * Takes the session's events out of all streams, at once. Resolves when that is on disk; 503 if it cannot be stored
   * within some seconds: it is then stored as soon as there is space, unless the gateway ends before.
   */
  async forget(session: string): Promise<void> {
    this.#lost.delete(session);
    const newest = this.#journal.lastSeq;
    this.#deleted.set(session, newest);
    const stored = this.#note({ kind: 'forget', name: '', session, key: '', text: '' });
    void stored.then(() => this.#deleted.get(session) === newest && this.#deleted.delete(session));
    const isLate = delay(FORGET_TIMEOUT_MS, false, { ref: false });
    const isStored = await Promise.race([stored.then(() => true), isLate]);
    if (isStored) return;
    throw new GatewayError(
      'insufficient_resources',
      'the session is deleted, but its events stay on the disk until that has space again',
    );
  }

  /** Resolves when all that was reported so far is on disk, or was refused. */
  async settled(): Promise<void> {
    await this.#newest;
  }

  // Storing.

  /** Stores a record of an import, which was charged before. Rejects if that is not possible. */
  storeImported(record: NewRecord): Promise<void> {
    return this.#append(record);
  }

  /** Stores a record, and charges its session with it. Rejects if that is not possible. */
  async #storeCharged(record: NewRecord): Promise<void> {
    this.#shares.charge(record);
    try {
      await this.#append(record);
    } catch (error) {
      this.#shares.refund(record);
      throw error;
    }
  }

  /** Resolves when it is on disk, or `lose` was called. */
  async #store(session: string, { name, data }: SessionEvent, key: string, lose: () => void): Promise<void> {
    try {
      await this.#storeCharged({ kind: 'event', name, session, key, text: JSON.stringify(data) });
    } catch (error) {
      if (error instanceof NotStoredError) lose();
      else this.#log.error({ session, error: errorText(error) }, 'event not stored');
    }
  }

  /** Stores what folds need: with the next attempt, if it cannot be stored now. Resolves when it is on disk. */
  #note(record: NewRecord): Promise<void> {
    this.#shares.charge(record);
    return new Promise((stored) => this.#storeNote({ record, stored }));
  }

  #storeNote(note: Note): void {
    this.#append(note.record).then(note.stored, () => this.#owed.push(note));
  }

  #append(record: NewRecord): Promise<void> {
    this.#pending += 1;
    const appended = this.#journal.append(record).finally(() => {
      this.#pending -= 1;
    });
    this.#newest = appended.catch(() => {});
    return appended;
  }

  #showSecret(session: string, event: SessionEvent, isCurrent: () => boolean): void {
    const show = () => this.streams.show(session, event);
    if (this.#pending === 0) show();
    else void this.#newest.then(() => isCurrent() && show());
  }

  // When nothing could be stored.

  #loseOther(session: string): void {
    this.#lossOf(session).othersSince ??= new Date();
  }

  #lossOf(session: string): Loss {
    const known = this.#lost.get(session);
    if (known) return known;
    const loss: Loss = { messagesFrom: undefined, status: undefined, othersSince: undefined };
    this.#lost.set(session, loss);
    return loss;
  }

  /**
   * To be called when events can be stored again. Says in each session's stream what it has lost, other than messages
   * and `status` events.
   * Returns the sessions whose messages are to be looked for again, each with the time from which on, in Unix seconds.
   */
  resume(): Map<string, number> {
    // What was refused comes first, in its order: it may be a deletion.
    for (const note of this.#owed.splice(0)) this.#storeNote(note);
    const missing = new Map<string, number>();
    const to = new Date().toISOString();
    const lost = [...this.#lost];
    this.#lost.clear();
    for (const [session, { messagesFrom, status, othersSince }] of lost) {
      if (messagesFrom !== undefined) {
        missing.set(session, messagesFrom);
        void this.#note(deliveryNotes.missing(session, messagesFrom));
      }
      if (status) this.#storeStatus(session, status);
      if (othersSince === undefined) continue;
      const data = { reason: 'not_stored', from: othersSince.toISOString(), to } as const;
      // If it is refused again, the gap began as early as this.
      const lose = () => {
        this.#lossOf(session).othersSince = othersSince;
      };
      void this.#store(session, { name: 'gap', data }, '', lose);
    }
    return missing;
  }

  // What readers get.

  /** Events from a position on. */
  feed(options: FeedOptions): Feed {
    const takes: FeedOptions['takes'] = (session, name) => !this.#isHidden(session) && options.takes(session, name);
    return new Feed(this.#journal, { ...options, takes }, (reason) =>
      this.gaps.set(reason, (this.gaps.get(reason) ?? 0) + 1),
    );
  }

  /** The event of an id; undefined if it is not kept, or unknown. */
  async find(id: string): Promise<Entry | undefined> {
    const seq = this.#journal.seqOf(id);
    const found = seq === undefined ? undefined : await this.#journal.find(seq);
    return found?.kind === 'event' ? entryOf(id, found) : undefined;
  }

  /** True for the id of an event, or for a position, that was given out here. */
  isKnown(id: string): boolean {
    return this.#journal.seqOf(id) !== undefined;
  }

  /** The place of an event's id, or of a position, in the order of all. */
  seqOf(position: string): number {
    return Number(/-(\d+)$/.exec(position)?.[1] ?? 0);
  }

  /** The position before an event. */
  idBefore(id: string): string {
    const before = this.seqOf(id) - 1;
    return before > 0 ? this.#journal.idOf(before) : OLDEST;
  }

  /** Until its deletion is on disk. An event that follows in the same write is of the next session of that name. */
  #isHidden(session: string): boolean {
    const newest = this.#deleted.get(session);
    return newest !== undefined && !this.#journal.isForgotten(session, newest);
  }

  /** True for an event of a session that was deleted since. */
  isDeleted(session: string, id: string): boolean {
    return this.#isHidden(session) || this.#journal.isForgotten(session, this.seqOf(id));
  }

  /** False while nothing can be stored. */
  get isStoring(): boolean {
    return this.#journal.stats.failingSince === undefined;
  }
}

function unixNow(): number {
  return Math.floor(Date.now() / 1_000);
}
