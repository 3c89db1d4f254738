import { type EventName, type ListenedEvent, listen } from '@chat-web/host';
import { eventData, SECRET_EVENTS } from '@chat-web/protocol';
import { computed, effect, signal } from '@preact/signals';
import { connection, mayCall } from '../../connection.ts';
import { inPortions } from '../../live/portions.ts';
import { BEGINS, type Begin, positionOf } from './begin.ts';
import { type EventFilter, lets, namedSessions } from './event-filter.ts';
import { EMPTY_TAPE, goneOn, paused, type Tape, type TapeEntry, withEvents } from './tape.ts';

/** Four times a second is enough for the eye, also with hundreds of events a second. */
const DRAW_EVERY_MS = 250;
/** A page that reads thousands of events still answers to keys. */
const LONGEST_WORK_MS = 20;
/** Whoever types a filter has not finished after one letter. */
const OPEN_AFTER_MS = 300;

type FeedState = 'opening' | 'live' | 'lost';

/** The names of all events that whoever signed in may see. */
export function namesToSee(): readonly EventName[] {
  const names = Object.keys(eventData) as EventName[];
  return names.filter((name) => !SECRET_EVENTS.includes(name) || mayCall('getQr'));
}

/**
 * The events of the list: those that its filter lets through, from where it begins on. Each change of filter or beginning
 * reads them anew from the journal, so that the list has all of the newest; while it is paused, it is only narrowed.
 */
export class EventFeed {
  readonly filter = signal<EventFilter>({ names: new Set(), sessions: '', text: '' });
  readonly begin = signal<Begin>(BEGINS['5 minutes ago']);
  readonly tape = signal<Tape>(EMPTY_TAPE);
  readonly state = signal<FeedState>('opening');
  /** Why it has ended. */
  readonly failure = signal<unknown>(undefined);
  readonly isPaused = computed(() => this.tape.value.held !== undefined);
  /** What is shown. */
  readonly entries = computed(() => this.tape.value.entries.filter(({ event }) => lets(this.filter.value, event)));
  /** A change opens it again. */
  readonly #attempt = signal(0);
  #open = new AbortController();
  #count = 0;

  constructor(sessions: string) {
    this.filter.value = { names: new Set(namesToSee()), sessions, text: '' };
  }

  /** Follows the events until the returned function is called. */
  start(): () => void {
    let timer: number | undefined;
    let before: Begin | undefined;
    const dispose = effect(() => {
      const [filter, begin] = [this.filter.value, this.begin.value];
      void this.#attempt.value;
      if (this.isPaused.value) return; // The stream goes on, for the count.
      clearTimeout(timer);
      const open = () => {
        if (before !== begin) this.tape.value = EMPTY_TAPE;
        before = begin;
        void this.#follow(filter, begin);
      };
      timer = setTimeout(open, before === undefined ? 0 : OPEN_AFTER_MS);
    });
    return () => {
      dispose();
      clearTimeout(timer);
      this.#open.abort();
    };
  }

  /** Opens it again, after a failure. */
  again(): void {
    this.#attempt.value += 1;
  }

  pause(): void {
    this.tape.value = paused(this.tape.value);
  }

  goOn(): void {
    this.tape.value = goneOn(this.tape.value);
  }

  async #follow(filter: EventFilter, begin: Begin): Promise<void> {
    this.#open.abort();
    this.#open = new AbortController();
    const { signal } = this.#open;
    this.failure.value = undefined;
    this.state.value = 'opening';
    if (filter.names.size === 0) return;
    let isFirst = true;
    const take = inPortions<TapeEntry>(
      signal,
      (portion) => {
        // What was shown before is read again.
        this.tape.value = withEvents(isFirst && !this.isPaused.peek() ? EMPTY_TAPE : this.tape.value, portion);
        isFirst = false;
      },
      DRAW_EVERY_MS,
    );
    let after = positionOf(begin, Date.now());
    const events = listen(connection().address, {
      ...{ sessions: namedSessions(filter.sessions), events: [...filter.names], from: after, signal },
      onConnect: () => this.#become('live', signal),
      onDisconnect: () => this.#become('lost', signal),
      onError: () => {}, // It goes on by itself.
    });
    let began = performance.now();
    try {
      for await (const event of events) {
        const key = event.id ?? `none ${this.#count++}`;
        if (lets(filter, event)) take({ key, event, after: after === 'now' ? justBefore(event) : after });
        after = event.id ?? after;
        if (performance.now() - began < LONGEST_WORK_MS || document.hidden) continue;
        await new Promise((resolve) => setTimeout(resolve));
        began = performance.now();
      }
    } catch (error) {
      if (!signal.aborted) this.failure.value = error;
    }
  }

  #become(state: FeedState, { aborted }: AbortSignal): void {
    if (!aborted) this.state.value = state;
  }
}

/** A position before the first event of a list that begins now. */
function justBefore({ at = new Date().toISOString() }: ListenedEvent): string {
  return new Date(Date.parse(at) - 1).toISOString();
}
