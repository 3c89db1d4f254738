import { GatewayError, type SessionEvent } from '@chat-web/protocol';
import { everyShared } from '../sessions/shared-interval.ts';
import { frameOf } from './feed.ts';

/** One open stream. */
export interface EventStream {
  /** False if its reader may not see this event of this session. */
  takes(session: string, name: SessionEvent['name']): boolean;
  write(frame: string): void;
  keepAlive(): void;
  end(lastFrame: string): void;
}

/** The registration of a stream. */
interface Place {
  readonly stream: EventStream;
  /** Undefined: all sessions. */
  readonly session: string | undefined;
}

const MOST_FOR_A_SESSION = 16;
const MOST_IN_ALL = 256;
const KEEPALIVE_MS = 30_000;

/** The open streams. They belong to sessions, not to workers: a restart closes none. */
export class EventStreams {
  readonly #places = new Set<Place>();
  #stopKeepalive = () => {};

  /** Registers a stream of one session, or of all. Returns a function that removes it. 429 above the limits. */
  add(stream: EventStream, session: string | undefined): () => void {
    const isFull = session !== undefined && this.countOf(session) >= MOST_FOR_A_SESSION;
    if (isFull || this.#places.size >= MOST_IN_ALL) {
      throw new GatewayError(
        'too_many_streams',
        `no more than ${MOST_FOR_A_SESSION} event streams of a session, and ${MOST_IN_ALL} in all, may be open`,
      );
    }
    const place = { stream, session };
    this.#places.add(place);
    if (this.#places.size === 1) this.#stopKeepalive = everyShared(KEEPALIVE_MS, () => this.#keepAlive());
    return () => this.#remove(place);
  }

  /** How many streams are open. */
  get size(): number {
    return this.#places.size;
  }

  /** How many streams of a session are open; undefined: of all sessions. */
  countOf(session: string | undefined): number {
    return [...this.#places].filter((place) => place.session === session).length;
  }

  /** Sends an event that is not stored to the current readers. */
  show(session: string, event: SessionEvent): void {
    for (const { stream, session: own } of this.#places)
      if ((own === undefined || own === session) && stream.takes(session, event.name))
        stream.write(frameOf(entryOf(session, event), own === undefined));
  }

  /** Ends the streams of a session with a comment that gives the reason. */
  endOf(session: string, why: string): void {
    this.#end(why, (place) => place.session === session);
  }

  /** Ends every stream. */
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

function entryOf(session: string, { name, data }: SessionEvent) {
  return { id: undefined, event: name, session, at: Date.now(), text: JSON.stringify(data) };
}
