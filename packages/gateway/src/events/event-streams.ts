import { GatewayError, type SessionEvent } from '@chat-web/protocol';
import { everyShared } from '../shared-interval.ts';
import { frameOf, shownEntry } from './feed.ts';

export interface EventStream {
  /** False if its reader may not see this event of this session. */
  takes(session: string, name: SessionEvent['name']): boolean;
  write(frame: string): void;
  keepAlive(): void;
  end(lastFrame: string): void;
}

interface Place {
  readonly stream: EventStream;
  readonly session: string | undefined;
  /** How many streams had been opened before. */
  readonly number: number;
}

const MAX_PER_SESSION = 16;
const MAX_IN_ALL = 256;
const KEEPALIVE_MS = 30_000;

/** The open streams. They belong to sessions, not to workers: a restart closes none. */
export class EventStreams {
  readonly #places = new Set<Place>();
  #opened = 0;
  #stopKeepalive = () => {};

  /** Registers a stream of one session, or of all. Returns a function that removes it. 429 above the limits. */
  add(stream: EventStream, session: string | undefined): () => void {
    const isFull = session !== undefined && this.countOf(session) >= MAX_PER_SESSION;
    if (isFull || this.#places.size >= MAX_IN_ALL) {
      throw new GatewayError(
        'too_many_streams',
        `at most ${MAX_PER_SESSION} event streams of a session, and ${MAX_IN_ALL} in total, can be open`,
      );
    }
    const place = { stream, session, number: this.#opened };
    this.#opened += 1;
    this.#places.add(place);
    if (this.#places.size === 1) this.#stopKeepalive = everyShared(KEEPALIVE_MS, () => this.#keepAlive());
    return () => this.#remove(place);
  }

  /** How many streams have been opened so far. */
  get opened(): number {
    return this.#opened;
  }

  get size(): number {
    return this.#places.size;
  }

  countOf(session: string | undefined): number {
    return [...this.#places].filter((place) => place.session === session).length;
  }

  /**
   * Sends an event that is not stored to the current readers. `opened`: the streams at its publication; one of the session
   * that was opened since has begun with this event.
   */
  show(session: string, event: SessionEvent, opened: number, metadata?: string): void {
    for (const { stream, session: own, number } of this.#places) {
      const isDue = own === undefined || (own === session && number < opened);
      if (isDue && stream.takes(session, event.name))
        stream.write(frameOf(shownEntry(session, event, metadata), own === undefined));
    }
  }

  /** Ends the streams of a session with a comment that gives the reason. */
  endOf(session: string, why: string): void {
    this.#end(why, (place) => place.session === session);
  }

  endAll(why: string): void {
    this.#end(why, () => true);
  }

  #end(why: string, isMeant: (place: Place) => boolean): void {
    for (const place of [...this.#places].filter(isMeant)) {
      this.#remove(place);
      place.stream.end(`: ${why}\n\n`);
    }
  }

  #keepAlive(): void {
    for (const { stream } of [...this.#places]) stream.keepAlive();
  }

  #remove(place: Place): void {
    if (this.#places.delete(place) && this.#places.size === 0) this.#stopKeepalive();
  }
}
