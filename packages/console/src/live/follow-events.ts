import { type EventName, type GatewayAddress, type ListenedEvent, type Listener, listen } from '@chat-web/host';
import { whileVisible } from './while-visible.ts';

/** `reading`: connected; earlier events are still arriving. `lost`: it reconnects automatically. */
export type FollowState = 'connecting' | 'reading' | 'live' | 'lost';

interface Following<N extends EventName> {
  readonly sessions?: readonly string[] | undefined;
  readonly events: readonly N[];
  /** Where to begin: a position of the event routes. With `now`, events before the first connection are missing. */
  readonly from: string;
  onEvent(event: ListenedEvent<N | 'gap'>): void;
  onState?(state: FollowState): void;
  /** The gateway refuses the stream: another attempt would not help. */
  onRefused?(error: unknown): void;
}

/** A page that reads thousands of events must still respond to keys. */
const MAX_WORK_MS = 20;
/** Nothing has arrived for this long: all earlier events were read. */
const QUIET_MS = 500;
/** The clocks of gateway and browser may differ: an event this old may still be a new one. */
const MAX_READ_MS = 5_000;

/**
 * Follows events while the page is visible; stored events from hidden times arrive when it is visible again. Returns a
 * function that ends it.
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
      sessions,
      events: names,
      from,
      signal,
      onConnect: () => watch.connected(),
      onDisconnect: () => watch.disconnected(),
      onError: () => {}, // It reconnects automatically.
    });
    last = events;
    deliver(events, following.onEvent, signal, watch).catch((error: unknown) => {
      if (!signal.aborted) following.onRefused?.(error);
    });
  });
}

async function deliver<N extends EventName>(
  events: Listener<N>,
  onEvent: Following<N>['onEvent'],
  signal: AbortSignal,
  watch: StateWatch,
): Promise<void> {
  let began = performance.now();
  try {
    for await (const event of events) {
      if (performance.now() - began >= MAX_WORK_MS) {
        await new Promise((resolve) => setTimeout(resolve));
        began = performance.now();
      }
      if (signal.aborted) break; // It was not passed on: it arrives again when the page is visible.
      onEvent(event);
      watch.arrived(event.at);
    }
  } finally {
    watch.disconnected();
  }
}

/** Detects when all events from before the connection have arrived: a newer one has, or none for a while. */
class StateWatch {
  readonly #become: (state: FollowState) => void;
  /** In Unix ms; undefined while no earlier events are expected. */
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
    if (isNew || Date.now() - this.#connectedAt > MAX_READ_MS) this.#live();
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

/** Items that arrive within this time are drawn together: there may be hundreds of events a second. */
const EVERY_MS = 100;

/**
 * Collects items, and passes them on in batches, in order. Returns the function that adds one. Passes nothing on once
 * the signal has aborted.
 */
export function inBatches<T>(
  signal: AbortSignal,
  onBatch: (batch: readonly T[]) => void,
  everyMs = EVERY_MS,
): (one: T) => void {
  let batch: T[] = [];
  const flush = () => {
    const collected = batch;
    batch = [];
    if (!signal.aborted) onBatch(collected);
  };
  return (one) => {
    if (batch.length === 0) setTimeout(flush, everyMs);
    batch.push(one);
  };
}
