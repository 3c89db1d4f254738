import { type EventName, listen } from '@chat-web/host';
import { eventData, SECRET_EVENTS } from '@chat-web/protocol';
import { computed, effect, signal } from '@preact/signals';
import { connection, mayCall } from '../../connection.ts';
import { journalPosition } from '../../live/journal-position.ts';
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

/** What was shown before may not be among what is read anew. */
const SHOW_AFTER_MS = 1_000;

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
  /** Where it begins if that was once found out. */
  #from: string | undefined;

  constructor(sessions: string) {
    this.filter.value = { names: new Set(namesToSee()), sessions, text: '' };
  }

  /** Follows the events until the returned function is called. */
  start(): () => void {
    let timer: number | undefined;
    let opened: readonly unknown[] = [];
    const dispose = effect(() => {
      const wanted = [this.filter.value, this.begin.value, this.#attempt.value] as const;
      const isOpen = wanted.every((part, index) => part === opened[index]);
      if (isOpen || this.isPaused.value) return; // While it is paused, the stream goes on, for the count.
      clearTimeout(timer);
      const open = () => {
        const [filter, begin] = wanted;
        if (begin !== opened[1]) this.#beginAnew();
        opened = wanted;
        void this.#follow(filter, begin);
      };
      timer = setTimeout(open, opened.length === 0 ? 0 : OPEN_AFTER_MS);
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

  #beginAnew(): void {
    this.tape.value = EMPTY_TAPE;
    this.#from = undefined;
  }

  async #follow(filter: EventFilter, begin: Begin): Promise<void> {
    this.#open.abort();
    this.#open = new AbortController();
    const { signal } = this.#open;
    this.failure.value = undefined;
    this.state.value = 'opening';
    if (filter.names.size === 0) return;
    const { address } = connection();
    // What begins now begins there, too, when it is read anew.
    this.#from ??= begin.is === 'now' ? await journalPosition(address, signal) : undefined;
    let after = this.#from ?? positionOf(begin, Date.now()) ?? 'now';
    if (signal.aborted) return;
    const reading = this.#readAnew(filter, signal);
    const take = inPortions<TapeEntry>(signal, (portion) => reading.add(portion), DRAW_EVERY_MS);
    const events = listen(address, {
      ...{ sessions: namedSessions(filter.sessions), events: [...filter.names], from: after, signal },
      onConnect: () => {
        this.#become('live', signal);
        setTimeout(() => reading.show(), SHOW_AFTER_MS);
      },
      onDisconnect: () => this.#become('lost', signal),
      onError: () => {}, // It goes on by itself.
    });
    let began = performance.now();
    try {
      for await (const event of events) {
        const key = event.id ?? `none ${this.#count++}`;
        if (lets(filter, event)) take({ key, event, after });
        after = event.id ?? after;
        if (performance.now() - began < LONGEST_WORK_MS || document.hidden) continue;
        await new Promise((resolve) => setTimeout(resolve));
        began = performance.now();
      }
    } catch (error) {
      if (!signal.aborted) this.failure.value = error;
    }
  }

  /**
   * A list that takes the place of the one that is shown, as soon as it has all of it: rows neither go and come again nor
   * lose the focus.
   */
  #readAnew(filter: EventFilter, signal: AbortSignal) {
    const before = this.tape.peek().entries;
    const newest = before.find(({ event }) => event.id !== undefined && lets(filter, event));
    let hidden: Tape | undefined = EMPTY_TAPE;
    const show = () => {
      if (hidden && !signal.aborted) this.tape.value = this.isPaused.peek() ? paused(hidden) : hidden;
      hidden = undefined;
    };
    return {
      show,
      add: (portion: readonly TapeEntry[]) => {
        if (!hidden) {
          this.tape.value = withEvents(this.tape.value, portion);
          return;
        }
        hidden = withEvents(hidden, portion);
        if (newest === undefined || portion.some(({ key }) => key === newest.key)) show();
      },
    };
  }

  #become(state: FeedState, { aborted }: AbortSignal): void {
    if (!aborted) this.state.value = state;
  }
}
