import { ask, type EventName, type GatewayAddress, type ListenedEvent } from '@chat-web/host';
import { EVENT_NAMES, SECRET_EVENTS } from '@chat-web/protocol';
import { computed, effect, signal } from '@preact/signals';
import { connection, mayCall } from '../../connection.ts';
import { type FollowState, followEvents, inBatches } from '../../live/follow-events.ts';
import {
  EMPTY_BUFFER,
  type EventBuffer,
  type EventEntry,
  MAX_EVENTS,
  paused,
  resumed,
  withEvents,
} from './event-buffer.ts';
import { type EventFilter, isNarrower, namedSessions, passes } from './event-filter.ts';
import { positionOf, START_POSITIONS, type StartPosition } from './start-position.ts';

/** Four times a second is enough for the eye, even with hundreds of events a second. */
const DRAW_EVERY_MS = 250;
/** A user who types a filter has not finished after one letter. */
const REOPEN_AFTER_MS = 300;

interface Opened {
  readonly filter: EventFilter;
  readonly startAt: StartPosition;
  readonly attempt: number;
}

export function namesToSee(): readonly EventName[] {
  return EVENT_NAMES.filter((name) => !SECRET_EVENTS.includes(name) || mayCall('getQr'));
}

/**
 * The events of the list: those that pass its filter, from its beginning on. A change of the filter reads them again
 * from the journal if the list may lack some; while it is paused, the list is only narrowed.
 */
export class EventFeed {
  readonly filter = signal<EventFilter>({ names: new Set(), sessions: '', text: '' });
  readonly startAt = signal<StartPosition>(START_POSITIONS['5 minutes ago']);
  readonly buffer = signal<EventBuffer>(EMPTY_BUFFER);
  /** Undefined: there is no stream, since no event is selected. */
  readonly state = signal<FollowState | undefined>(undefined);
  readonly failure = signal<unknown>(undefined);
  readonly isPaused = computed(() => this.buffer.value.held !== undefined);
  readonly entries = computed(() => this.buffer.value.entries.filter(({ event }) => passes(this.filter.value, event)));
  /** Older events were dropped: some of them may pass a narrower filter. */
  readonly #isFull = computed(() => this.buffer.value.entries.length === MAX_EVENTS);
  /** A change reopens the stream. */
  readonly #attempt = signal(0);
  #opened: Opened | undefined;
  #open = new AbortController();
  #count = 0;
  /** The position of "now", where it also begins when it is read again. */
  #from: string | undefined;

  constructor(sessions: string) {
    this.filter.value = { names: new Set(namesToSee()), sessions, text: '' };
  }

  /** Follows the events until the returned function is called. */
  start(): () => void {
    let timer: number | undefined;
    const dispose = effect(() => {
      const wanted = { filter: this.filter.value, startAt: this.startAt.value, attempt: this.#attempt.value };
      clearTimeout(timer);
      // While it is paused, the stream continues, for the count.
      if (this.#isOpen(wanted) || this.isPaused.value) return;
      const isTyping = wanted.startAt === this.#opened?.startAt && wanted.attempt === this.#opened.attempt;
      timer = setTimeout(() => this.#reopen(wanted), isTyping ? REOPEN_AFTER_MS : 0);
    });
    return () => {
      dispose();
      clearTimeout(timer);
      this.#open.abort();
    };
  }

  again(): void {
    this.#attempt.value += 1;
  }

  pause(): void {
    this.buffer.value = paused(this.buffer.value);
  }

  resume(): void {
    this.buffer.value = resumed(this.buffer.value);
  }

  /** True if the open stream covers everything that is wanted. */
  #isOpen({ filter, startAt, attempt }: Opened): boolean {
    const opened = this.#opened;
    if (opened === undefined || startAt !== opened.startAt || attempt !== opened.attempt) return false;
    return filter === opened.filter || (isNarrower(filter, opened.filter) && !this.#isFull.value);
  }

  #reopen(wanted: Opened): void {
    if (wanted.startAt !== this.#opened?.startAt) {
      this.buffer.value = EMPTY_BUFFER;
      this.#from = undefined;
    }
    this.#opened = wanted;
    this.#open.abort();
    this.#open = new AbortController();
    void this.#follow(wanted, this.#open.signal);
  }

  async #follow({ filter, startAt }: Opened, signal: AbortSignal): Promise<void> {
    this.failure.value = undefined;
    this.state.value = undefined;
    if (filter.names.size === 0) return;
    this.state.value = 'connecting';
    const { address } = connection();
    let after = this.#from ?? positionOf(startAt, Date.now()) ?? (await journalPosition(address, signal));
    if (signal.aborted) return;
    if (startAt.is === 'now' && after !== 'now') this.#from = after;
    const reading = this.#replacement(filter, signal);
    const take = inBatches<EventEntry>(signal, (batch) => reading.add(batch), DRAW_EVERY_MS);
    const stop = followEvents(address, {
      sessions: namedSessions(filter.sessions),
      events: [...filter.names],
      from: after,
      onEvent: (event: ListenedEvent) => {
        const key = event.id ?? `none ${this.#count++}`;
        if (passes(filter, event)) take({ key, event, after });
        after = event.id ?? after;
      },
      onState: (state) => {
        this.state.value = state;
        this.failure.value = undefined;
        if (state === 'live') setTimeout(() => reading.show(), DRAW_EVERY_MS); // After the last batch.
      },
      onRefused: (error) => {
        this.failure.value = error;
      },
    });
    signal.addEventListener('abort', stop, { once: true });
  }

  /**
   * A list that replaces the shown one once it is complete, so that rows neither disappear and reappear nor lose the
   * focus.
   */
  #replacement(filter: EventFilter, signal: AbortSignal): { show(): void; add(batch: readonly EventEntry[]): void } {
    const before = this.buffer.peek().entries;
    const newest = before.find(({ event }) => event.id !== undefined && passes(filter, event));
    let hidden: EventBuffer | undefined = EMPTY_BUFFER;
    const show = () => {
      if (hidden === undefined || signal.aborted) return;
      // While it is paused, the shown list stays unchanged; what was read meanwhile counts as new.
      this.buffer.value = this.isPaused.peek() ? withEvents(this.buffer.peek(), unknownIn(hidden)) : hidden;
      hidden = undefined;
    };
    const unknownIn = ({ entries }: EventBuffer) => {
      const { entries: shown, held = [] } = this.buffer.peek();
      const known = new Set([...shown, ...held].map(({ key }) => key));
      return entries.filter(({ key }) => !known.has(key)).toReversed();
    };
    return {
      show,
      add: (batch: readonly EventEntry[]) => {
        if (!hidden) {
          this.buffer.value = withEvents(this.buffer.value, batch);
          return;
        }
        hidden = withEvents(hidden, batch);
        if (newest === undefined || batch.some(({ key }) => key === newest.key)) show();
      },
    };
  }
}

const TIMEOUT_MS = 10_000;

/**
 * The position after all current events, for callers that must not miss a later one. `now` if the gateway does not
 * answer: the stream itself will report that.
 */
async function journalPosition(address: GatewayAddress, signal: AbortSignal): Promise<string> {
  try {
    const response = await ask(address, '/events?limit=1', {
      headers: { Accept: 'application/json' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    const { next } = (await response.json()) as { readonly next?: string };
    return next ?? 'now';
  } catch {
    return 'now';
  }
}
