import { GatewayError, type SessionEvent } from '@chat-web/protocol';
import { exceededShare, type Shares } from '../access/shares.ts';
import { everyShared } from '../shared-interval.ts';
import { shownEntry, sseEvent } from './feed.ts';

export interface EventStream {
  /** False if its reader may not see this event of this session. */
  takes(session: string, name: SessionEvent['name']): boolean;
  write(frame: string): void;
  keepAlive(): void;
  end(lastFrame: string): void;
}

interface OpenStream {
  readonly stream: EventStream;
  readonly session: string | undefined;
  /** The key of its reader; undefined for the operator. */
  readonly keyId: string | undefined;
  /** How many streams had been opened before. */
  readonly number: number;
}

const OF_A_SESSION: Shares = { all: 16, ofKeys: 14, perKey: 8 };
const IN_TOTAL: Shares = { all: 256, ofKeys: 224, perKey: 128 };
const KEEPALIVE_MS = 30_000;

/** The open streams. They belong to sessions, not to workers: a restart closes none. */
export class EventStreams {
  readonly #open = new Set<OpenStream>();
  #opened = 0;
  #stopKeepalive = () => {};

  /**
   * Registers a stream of one session, or of all. Returns a function that removes it. 429 above the limits. `keyId`: of
   * its reader; undefined for the operator.
   */
  add(stream: EventStream, session: string | undefined, keyId?: string): () => void {
    this.#requireRoom([...this.#open], IN_TOTAL, 'event streams', keyId);
    if (session !== undefined)
      this.#requireRoom(this.#of(session), OF_A_SESSION, 'event streams of the session', keyId);
    const opened = { stream, session, keyId, number: this.#opened };
    this.#opened += 1;
    this.#open.add(opened);
    if (this.#open.size === 1) this.#stopKeepalive = everyShared(KEEPALIVE_MS, () => this.#keepAlive());
    return () => this.#remove(opened);
  }

  /** How many streams have been opened so far. */
  get opened(): number {
    return this.#opened;
  }

  get size(): number {
    return this.#open.size;
  }

  countOf(session: string | undefined): number {
    return this.#of(session).length;
  }

  #of(session: string | undefined): OpenStream[] {
    return [...this.#open].filter((one) => one.session === session);
  }

  #requireRoom(open: readonly OpenStream[], shares: Shares, what: string, keyId: string | undefined): void {
    const taken = open.map((one) => one.keyId);
    const full = exceededShare(shares, taken, keyId);
    if (full)
      throw new GatewayError('too_many_streams', `${full.max} ${what} are open${full.whose}, which is the limit`);
  }

  /**
   * Sends an event that is not stored to the current readers. `opened`: the streams at its publication; one of the session
   * that was opened since has begun with this event.
   */
  show(session: string, event: SessionEvent, opened: number, metadata?: string): void {
    for (const { stream, session: own, number } of this.#open) {
      const isDue = own === undefined || (own === session && number < opened);
      if (isDue && stream.takes(session, event.name))
        stream.write(sseEvent(shownEntry(session, event, metadata), own === undefined));
    }
  }

  /** Ends the streams of a session with a comment that gives the reason. */
  endOf(session: string, why: string): void {
    this.#end(why, (one) => one.session === session);
  }

  endAll(why: string): void {
    this.#end(why, () => true);
  }

  #end(why: string, isMeant: (one: OpenStream) => boolean): void {
    for (const one of [...this.#open].filter(isMeant)) {
      this.#remove(one);
      one.stream.end(`: ${why}\n\n`);
    }
  }

  #keepAlive(): void {
    for (const { stream } of [...this.#open]) stream.keepAlive();
  }

  #remove(one: OpenStream): void {
    if (this.#open.delete(one) && this.#open.size === 0) this.#stopKeepalive();
  }
}
