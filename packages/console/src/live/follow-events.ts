import { type EventName, type GatewayAddress, type ListenedEvent, type Listener, listen } from '@chat-web/host';
import { whileVisible } from './while-visible.ts';

/** `reading`: connected; what happened before is still arriving. `lost`: the next attempt follows by itself. */
export type FollowState = 'connecting' | 'reading' | 'live' | 'lost';

interface Following<N extends EventName> {
  readonly sessions?: readonly string[] | undefined;
  readonly events: readonly N[];
  /** Where to begin: a position of the event routes. With `now`, events before the first connection are missing. */
  readonly from: string;
  onEvent(event: ListenedEvent<N | 'gap'>): void;
  onState?(state: FollowState): void;
  /** The gateway refuses to go on: another attempt would not help. */
  onRefused?(error: unknown): void;
}

/** A page that reads thousands of events still responds to keys. */
const LONGEST_WORK_MS = 20;
/** Nothing has arrived for this long: all that had happened before was read. */
const QUIET_MS = 500;
/** The clocks of gateway and browser may differ: an event that is so old by then may be a new one. */
const LONGEST_READ_MS = 5_000;

/**
 * Follows events while the page is visible; stored events from while it is hidden arrive when it is shown again. Returns
 * what ends it.
 */
export function followEvents<N extends EventName>(address: GatewayAddress, following: Following<N>): () => void {
  let { from } = following;
  let last: Listener<N> | undefined;
  return whileVisible((signal) => {
    from = last?.position ?? from;
    const watch = new StateWatch((state) => {
      if (!signal.aborted) following.onState?.(state);
    });
    const { sessions, events: names } = following;
    const events = listen(address, {
      ...{ sessions, events: names, from, signal },
      onConnect: () => watch.connected(),
      onDisconnect: () => watch.disconnected(),
      onError: () => {}, // It goes on by itself.
    });
    last = events;
    void passOn(events, following, signal, watch);
  });
}

async function passOn<N extends EventName>(
  events: Listener<N>,
  { onEvent, onRefused }: Following<N>,
  signal: AbortSignal,
  watch: StateWatch,
): Promise<void> {
  let began = performance.now();
  try {
    for await (const event of events) {
      if (performance.now() - began >= LONGEST_WORK_MS) {
        await new Promise((resolve) => setTimeout(resolve));
        began = performance.now();
      }
      if (signal.aborted) break; // It was not passed on: it arrives again when the page is visible.
      onEvent(event);
      watch.arrived(event.at);
    }
  } catch (error) {
    if (!signal.aborted) onRefused?.(error);
  } finally {
    watch.disconnected();
  }
}

/** Tells when all that had happened before the connection has arrived: something newer has, or nothing for a while. */
class StateWatch {
  readonly #become: (state: FollowState) => void;
  /** In Unix ms; undefined while nothing from before is awaited. */
  #connectedAt: number | undefined;
  #quiet: number | undefined;

  constructor(become: (state: FollowState) => void) {
    this.#become = become;
    become('connecting');
  }

  connected(): void {
    this.#connectedAt = Date.now();
    this.#become('reading');
    this.#waitForQuiet();
  }

  arrived(at: string | undefined): void {
    if (this.#connectedAt === undefined) return;
    const isNew = at !== undefined && Date.parse(at) >= this.#connectedAt;
    if (isNew || Date.now() - this.#connectedAt > LONGEST_READ_MS) this.#live();
    else this.#waitForQuiet();
  }

  disconnected(): void {
    clearTimeout(this.#quiet);
    this.#connectedAt = undefined;
    this.#become('lost');
  }

  #waitForQuiet(): void {
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#live(), QUIET_MS);
  }

  #live(): void {
    clearTimeout(this.#quiet);
    this.#connectedAt = undefined;
    this.#become('live');
  }
}
