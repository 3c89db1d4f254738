import { type GatewayAddress, openEventStream } from '@chat-web/host';
import type { EventData, EventName, SessionEvent } from '@chat-web/protocol';
import { eventually } from '../eventually.ts';

/** Everything that one event stream has delivered so far. */
export class EventLog {
  readonly events: SessionEvent[] = [];
  /** True once the gateway has ended the stream. */
  ended = false;
  readonly #abort = new AbortController();

  static async open(
    address: GatewayAddress,
    id: string,
    names?: readonly EventName[],
    onEvent?: (event: SessionEvent) => void,
  ): Promise<EventLog> {
    const log = new EventLog();
    const events = await openEventStream(address, id, log.#abort.signal, { events: names });
    void log.#read(events, onEvent);
    return log;
  }

  /** The data of all events of a name, oldest first. */
  all<N extends EventName>(name: N): EventData<N>[] {
    return this.events.flatMap((event) => (event.name === name ? [event.data as EventData<N>] : []));
  }

  /** Waits for an event that matches; past ones count. */
  until<N extends EventName>(
    name: N,
    matches: (data: EventData<N>) => boolean = () => true,
    timeoutMs?: number,
  ): Promise<EventData<N>> {
    return eventually(() => {
      const found = this.all(name).find(matches);
      if (found === undefined) throw new Error(`no such ${name} among ${this.events.map((event) => event.name)}`);
      return found;
    }, timeoutMs);
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(events: AsyncIterable<SessionEvent>, onEvent?: (event: SessionEvent) => void): Promise<void> {
    try {
      for await (const event of events) {
        this.events.push(event);
        onEvent?.(event);
      }
    } catch {
      // Closed by the test, or cut off when the gateway was killed: both end the stream.
    }
    this.ended = true;
  }
}
