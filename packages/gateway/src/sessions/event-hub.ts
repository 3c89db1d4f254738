import { GatewayError, type SessionEvent } from '@chat-web/protocol';

/** One open stream. */
export interface Subscriber {
  /** False for an event that its reader is not allowed to see. */
  takes(event: SessionEvent): boolean;
  write(frame: string): void;
  end(lastFrame: string): void;
}

/** How many streams the whole gateway has open; shared by all hubs. */
export interface StreamCount {
  open: number;
}

const MOST_STREAMS_FOR_A_SESSION = 16;
const MOST_STREAMS_IN_ALL = 256;
const KEEPALIVE_MS = 30_000;

/**
 * Delivers a session's events to its streams. It belongs to the session, not to its worker: a restart closes no
 * stream. Each event is serialized once, however many readers there are.
 */
export class EventHub {
  readonly #subscribers = new Set<Subscriber>();
  readonly #count: StreamCount;
  #keepalive: NodeJS.Timeout | undefined;

  constructor(count: StreamCount) {
    this.#count = count;
  }

  get streams(): number {
    return this.#subscribers.size;
  }

  /**
   * Opens a stream, which first gets the events of the current state. Returns a function that closes it. 429 above the
   * limits.
   */
  subscribe(subscriber: Subscriber, present: readonly SessionEvent[]): () => void {
    if (this.streams >= MOST_STREAMS_FOR_A_SESSION || this.#count.open >= MOST_STREAMS_IN_ALL) {
      throw new GatewayError(
        'too_many_streams',
        `no more than ${MOST_STREAMS_FOR_A_SESSION} event streams of a session, and ${MOST_STREAMS_IN_ALL} in all, may be open`,
      );
    }
    this.#subscribers.add(subscriber);
    this.#count.open += 1;
    this.#keepalive ??= setInterval(() => this.#keepAlive(), KEEPALIVE_MS);
    for (const event of present) if (subscriber.takes(event)) subscriber.write(frameOf(event));
    return () => this.#remove(subscriber);
  }

  publish(event: SessionEvent): void {
    const takers = [...this.#subscribers].filter((subscriber) => subscriber.takes(event));
    if (takers.length === 0) return;
    const frame = frameOf(event);
    for (const subscriber of takers) subscriber.write(frame);
  }

  /** Ends every stream with a comment that says why. */
  endAll(why: string): void {
    for (const subscriber of [...this.#subscribers]) {
      this.#remove(subscriber);
      subscriber.end(`: ${why}\n\n`);
    }
  }

  #keepAlive(): void {
    for (const subscriber of [...this.#subscribers]) subscriber.write(': keepalive\n\n');
  }

  #remove(subscriber: Subscriber): void {
    if (!this.#subscribers.delete(subscriber)) return;
    this.#count.open -= 1;
    if (this.streams > 0) return;
    clearInterval(this.#keepalive);
    this.#keepalive = undefined;
  }
}

function frameOf({ name, data }: SessionEvent): string {
  // A QR is a plain string; JSON contains no line break, so one data line is enough.
  return `event: ${name}\ndata: ${name === 'qr' ? data : JSON.stringify(data)}\n\n`;
}
