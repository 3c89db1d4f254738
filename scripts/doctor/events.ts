import { type GatewayAddress, openEventStream } from '@chat-web/host';
import type { EventData, EventName, SessionEvent } from '@chat-web/protocol';
import { eventually, orInterrupted } from './wait.ts';

const LOOK_MS = 100;

/** The events of a session since doctor began to listen. */
export class SessionEvents {
  readonly #events: SessionEvent[] = [];
  readonly #over = new AbortController();
  readonly #signal: AbortSignal;

  private constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Opens the stream of a session. Rejects with the gateway's error. */
  static async open(address: GatewayAddress, id: string, signal: AbortSignal): Promise<SessionEvents> {
    const events = new SessionEvents(signal);
    const stream = await orInterrupted(openEventStream(address, id, events.#over.signal), signal);
    void events.#read(stream);
    return events;
  }

  /** The first event of a name that matches, past or future; undefined when the time is up. */
  next<N extends EventName>(
    name: N,
    fits: (data: EventData<N>) => boolean,
    timeoutMs: number,
  ): Promise<EventData<N> | undefined> {
    const look = () => this.all(name).find(fits);
    return eventually(look, { timeoutMs, everyMs: LOOK_MS, signal: this.#signal });
  }

  all<N extends EventName>(name: N): EventData<N>[] {
    return this.#events.flatMap((event) => (event.name === name ? [event.data as EventData<N>] : []));
  }

  close(): void {
    this.#over.abort();
  }

  async #read(stream: AsyncIterable<SessionEvent>): Promise<void> {
    try {
      for await (const event of stream) this.#events.push(event);
    } catch {
      // Closed or broken: the awaited events do not arrive, and that is reported.
    }
  }
}
