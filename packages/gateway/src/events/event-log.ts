import {
  type AccountEvent,
  errorText,
  GAP_REASONS,
  GatewayError,
  getOrAdd,
  type Message,
  type Metadata,
  type OpenAck,
  SECRET_EVENTS,
  type SessionEvent,
  settledWithin,
  unixNow,
} from '@chat-web/protocol';
import { frameBytesOf, hasData, type NewRecord } from '../journal/frame.ts';
import type { Journal } from '../journal/journal.ts';
import { NotStoredError } from '../journal/journal.ts';
import type { Log } from '../log.ts';
import { type DeliveredMessages, deliveryNotes } from './delivered-messages.ts';
import { EventStreams } from './event-streams.ts';
import { type Entry, entryOf, type Feed, type FeedOptions, JournalFeed, type MetadataOf, OLDEST } from './feed.ts';
import { ImportShares, JournalShares, type SharedJournal } from './journal-shares.ts';
import type { OpenAcks } from './open-acks.ts';
import { ownMessageNote, type PublishedEvents, publishedKeyOf } from './published-events.ts';
import { RequestJournal } from './request-journal.ts';
import { metadataNote, type SessionMetadata } from './session-metadata.ts';
import type { WebhookEvents } from './webhook-events.ts';

/** What a session lost while nothing could be stored. */
interface Loss {
  /** The timestamp of its oldest refused message, in Unix seconds. */
  messagesFrom: number | undefined;
  /** Its newest refused `status` event. */
  status: SessionEvent | undefined;
  /** When the first of its other events was refused. */
  othersSince: Date | undefined;
}

/** A record for the folds, and the callback to call once it is on disk. */
interface Note {
  readonly record: NewRecord;
  stored(): void;
}

const FORGET_TIMEOUT_MS = 5_000;

export interface EventFolds {
  readonly delivered: DeliveredMessages;
  readonly openAcks: OpenAcks;
  readonly published: PublishedEvents;
  readonly metadata?: SessionMetadata;
}

/**
 * The events of all sessions. Each is on disk before any reader sees it. A message is stored once, however often it is
 * reported.
 */
export class EventLog implements WebhookEvents {
  readonly streams = new EventStreams();
  readonly gaps = new Map<string, number>(GAP_REASONS.map((reason) => [reason, 0]));
  /** The share of the journal that imports may use, through `storeImported`. */
  readonly imports: ImportShares;
  readonly requests: RequestJournal;
  readonly #journal: Journal;
  readonly #delivered: DeliveredMessages;
  readonly #openAcks: OpenAcks;
  readonly #published: PublishedEvents;
  readonly #metadataOf: MetadataOf;
  readonly #log: Log;
  readonly #shares: JournalShares;
  /** Messages and other events that are being written, by session and id or key. */
  readonly #storing = new Set<string>();
  /** Acks that are being written, by session and id. */
  readonly #acksOnTheWay = new Map<string, OpenAck['ack']>();
  readonly #lost = new Map<string, Loss>();
  readonly #unstoredNotes: Note[] = [];
  /** Deleted sessions whose deletion may not be on disk yet, each with the newest seq at that time. */
  readonly #deleted = new Map<string, number>();
  /** The newest append: whatever follows an event must not overtake it. */
  #newest: Promise<void> = Promise.resolve();
  #pending = 0;

  constructor(
    journal: Journal,
    { delivered, openAcks, published, metadata }: EventFolds,
    limits: SharedJournal,
    log: Log,
  ) {
    this.#journal = journal;
    this.imports = new ImportShares(limits);
    this.requests = new RequestJournal(journal, limits);
    this.#shares = new JournalShares(limits);
    this.#delivered = delivered;
    this.#openAcks = openAcks;
    this.#published = published;
    this.#metadataOf = (session) => metadata?.textOf(session);
    this.#log = log;
  }

  // What sessions report.

  /**
   * Publishes an event other than a message or an ack. Secret events are shown, but not stored. `isCurrent`: whether
   * the event still holds when its turn comes; otherwise it is not shown.
   */
  publish(session: string, event: SessionEvent, isCurrent = () => true): void {
    if (SECRET_EVENTS.includes(event.name)) this.#showSecret(session, event, isCurrent);
    else if (event.name === 'status') this.#storeStatus(session, event);
    else void this.#store(session, event, '', () => this.#loseOther(session));
  }

  /** A refused `status` event is stored later, unless a newer one replaces it: a gap would affect all readers. */
  #storeStatus(session: string, event: SessionEvent): void {
    void this.#store(session, event, '', () => {
      this.#lossOf(session).status = event;
    });
  }

  /** Publishes an inbound message, unless it is stored or being stored already: once without its content, once with it. */
  publishMessage(session: string, message: Message): void {
    const { id, unavailable } = message;
    const withContent = `${session}/${id}`;
    const place = unavailable === undefined ? withContent : `${withContent} ${unavailable}`;
    const isContent = unavailable === undefined && this.#delivered.lacksContent(session, id);
    const isKnown = this.#delivered.has(session, id) || this.#delivered.lacksContent(session, id);
    if (this.#storing.has(withContent) || this.#storing.has(place) || (isKnown && !isContent)) return;
    this.#storing.add(place);
    const lose = () => {
      const loss = this.#lossOf(session);
      loss.messagesFrom = Math.min(loss.messagesFrom ?? unixNow(), message.timestamp);
    };
    const stored = this.#store(session, { name: 'message', data: message }, message.id, lose);
    void stored.then(() => this.#storing.delete(place));
  }

  /** Publishes an ack of a message. Skipped unless it is higher than the last one, or an error. */
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

  /** Publishes an event of an account, unless it is stored or being stored already. */
  publishAccountEvent(session: string, event: AccountEvent, row?: string): void {
    const key = publishedKeyOf(event, row);
    const place = `${session}/${key}`;
    if (key !== '' && (this.#storing.has(place) || this.#published.has(session, key))) return;
    this.#storing.add(place);
    void this.#store(session, event, key, () => this.#loseOther(session)).then(() => this.#storing.delete(place));
  }

  /** A message is sent from here: the page must not report it as sent on another device. */
  noteOwnMessage(session: string, id: string): void {
    void this.#note(ownMessageNote(session, id));
  }

  /** The messages that were published without their content. */
  withoutContent(session: string): string[] {
    return this.#delivered.withoutContent(session);
  }

  /**
   * Replaces the metadata of a session: none are never refused. 503 if they cannot be stored now, 429 if requests have
   * stored too much. `keyId`: of the caller; undefined for the operator.
   */
  async setMetadata(session: string, pairs: Metadata, keyId?: string): Promise<void> {
    if ((this.#metadataOf(session) ?? '{}') === JSON.stringify(pairs)) return;
    const needs = Object.keys(pairs).length === 0 ? 'nothing' : 'room';
    await this.requests.append(metadataNote(session, pairs), keyId, needs).catch((error: unknown) => {
      if (error instanceof GatewayError) throw error;
      throw new GatewayError('insufficient_resources', `the metadata was not changed: ${errorText(error)}`);
    });
  }

  /** The messages whose acks may increase while the session is down. */
  openAcks(session: string): OpenAck[] {
    return this.#openAcks.list(session);
  }

  /** Messages before this time, in Unix seconds, were delivered or reported as a gap: the catch-up ignores them. */
  noteDelivered(session: string, seconds: number): void {
    if (seconds > this.deliveredUntil(session)) this.#note(deliveryNotes.until(session, seconds));
  }

  /** The session is ready. The first time, everything earlier is history. */
  deliveryBegins(session: string): void {
    if (this.#delivered.until(session) === undefined) this.#note(deliveryNotes.until(session, unixNow()));
  }

  /** All messages since this time, in Unix seconds, have been reported: none are missing. */
  caughtUp(session: string, sinceSeconds: number): void {
    const missingFrom = this.#delivered.missingFrom(session);
    const isComplete = missingFrom !== undefined && sinceSeconds <= missingFrom;
    if (isComplete && this.#lost.get(session)?.messagesFrom === undefined) this.#note(deliveryNotes.complete(session));
  }

  /** The next link may be of another account. */
  resetDelivery(session: string): void {
    this.#note(deliveryNotes.reset(session));
  }

  /** Messages from this time on, in Unix seconds, may not have been delivered: now, if nothing is known. */
  deliveredUntil(session: string): number {
    return this.#delivered.until(session) ?? unixNow();
  }

  /** True while a session exceeds its share of the journal: the gateway accepts nothing else from it. */
  hasExceededShare(session: string): boolean {
    return this.#shares.isExceeded(session);
  }

  /**
   * Removes the session's events from all streams at once. Resolves when the deletion is on disk. 503 if it cannot be
   * stored within some seconds: it is stored as soon as there is space, unless the gateway exits first.
   */
  async forget(session: string): Promise<void> {
    this.#lost.delete(session);
    const newest = this.#journal.lastSeq;
    this.#deleted.set(session, newest);
    const stored = this.#note({ kind: 'forget', name: '', session, key: '', text: '' });
    void stored.then(() => this.#deleted.get(session) === newest && this.#deleted.delete(session));
    if (await settledWithin(stored, FORGET_TIMEOUT_MS)) return;
    throw new GatewayError(
      'insufficient_resources',
      'the session is deleted, but its events stay on the disk until that has space again',
    );
  }

  /** Resolves when everything reported so far is on disk, or refused. */
  async settled(): Promise<void> {
    await this.#newest;
  }

  // Storing.

  /** Stores a record of an import, which was charged already. Rejects if that fails. */
  storeImported(record: NewRecord): Promise<void> {
    return this.#append(record);
  }

  /** Stores a record, and charges it to its session. Rejects if that fails. */
  async #storeCharged(record: NewRecord): Promise<void> {
    const bytes = frameBytesOf(record);
    this.#shares.charge(record.session, bytes);
    try {
      await this.#append(record);
    } catch (error) {
      this.#shares.refund(record.session, bytes);
      throw error;
    }
  }

  /** Resolves when the event is on disk, or after `lose` was called. */
  async #store(session: string, { name, data }: SessionEvent, key: string, lose: () => void): Promise<void> {
    try {
      await this.#storeCharged({ kind: 'event', name, session, key, text: JSON.stringify(data) });
    } catch (error) {
      if (error instanceof NotStoredError) lose();
      else this.#log.error({ session, error: errorText(error) }, 'event not stored');
    }
  }

  /** Stores a record for the folds. If that fails now, the next attempt stores it. Resolves when it is on disk. */
  #note(record: NewRecord): Promise<void> {
    this.#shares.charge(record.session, frameBytesOf(record));
    return new Promise((stored) => this.#storeNote({ record, stored }));
  }

  #storeNote(note: Note): void {
    this.#append(note.record).then(note.stored, () => this.#unstoredNotes.push(note));
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
    const { opened } = this.streams;
    const show = () => this.streams.show(session, event, opened, this.#metadataOf(session));
    if (this.#pending === 0) show();
    else void this.#newest.then(() => isCurrent() && show());
  }

  // When nothing could be stored.

  #loseOther(session: string): void {
    this.#lossOf(session).othersSince ??= new Date();
  }

  #lossOf(session: string): Loss {
    return getOrAdd(this.#lost, session, () => ({
      messagesFrom: undefined,
      status: undefined,
      othersSince: undefined,
    }));
  }

  /**
   * Call when events can be stored again. Reports in each session's stream what was lost, except messages and `status`
   * events. Returns the sessions whose messages need a catch-up, each with its start in Unix seconds.
   */
  resume(): Map<string, number> {
    // Refused notes come first, in order: one may be a deletion.
    for (const note of this.#unstoredNotes.splice(0)) this.#storeNote(note);
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
      // If it is refused again, the gap still begins at this time.
      const lose = () => {
        this.#lossOf(session).othersSince = othersSince;
      };
      void this.#store(session, { name: 'gap', data }, '', lose);
    }
    return missing;
  }

  // What readers get.

  feed(options: FeedOptions): Feed {
    const takes: FeedOptions['takes'] = (session, name, event) =>
      !this.#isHidden(session) && options.takes(session, name, event);
    const onGap = (reason: string) => this.gaps.set(reason, (this.gaps.get(reason) ?? 0) + 1);
    return new JournalFeed(this.#journal, { ...options, takes }, onGap, this.#metadataOf);
  }

  /** `owner`: whose turn at the disk it is. */
  async find(id: string, owner: string): Promise<Entry | undefined> {
    const seq = this.#journal.seqOf(id);
    const found = seq === undefined ? undefined : await this.#journal.find(seq, owner);
    return found?.kind === 'event' && hasData(found) ? entryOf(id, found, this.#metadataOf(found.session)) : undefined;
  }

  async resolve(after: string): Promise<string> {
    return after;
  }

  seqOf(position: string): number {
    return this.#journal.seqOf(position) ?? 0;
  }

  idBefore(id: string): string {
    const before = this.seqOf(id) - 1;
    return before > 0 ? this.#journal.idOf(before) : OLDEST;
  }

  /** Until the deletion is on disk. An event after it in the same write is of the next session with this id. */
  #isHidden(session: string): boolean {
    const newest = this.#deleted.get(session);
    return newest !== undefined && !this.#journal.isForgotten(session, newest);
  }

  isDeleted(session: string, id: string): boolean {
    return this.#isHidden(session) || this.#journal.isForgotten(session, this.seqOf(id));
  }

  get isStoring(): boolean {
    return this.#journal.stats.failingSince === undefined;
  }
}
