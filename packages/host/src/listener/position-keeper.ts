interface Open {
  readonly id: string | undefined;
  /** The newest position of handled events between this event and the next open one. */
  handledAfter: string | undefined;
  previous: Open | undefined;
  next: Open | undefined;
  isHandled: boolean;
}

/**
 * Finds the position that may be stored: the newest one up to which all events are handled, in whatever order their
 * handlers finish. Events are added in the order of the stream. It holds only unhandled events: one may wait for hours
 * while thousands of later ones are handled.
 */
export class PositionKeeper {
  #last: Open | undefined;
  #position: string | undefined;
  readonly #onAdvance: (position: string) => void;

  constructor(onAdvance: (position: string) => void) {
    this.#onAdvance = onAdvance;
  }

  /** The newest position up to which all events are handled. Undefined: there is none yet. */
  get position(): string | undefined {
    return this.#position;
  }

  /** Adds an event; even one without an `id` holds back later ones. Returns the function that marks it as handled. */
  add(id: string | undefined): () => void {
    const event: Open = { id, handledAfter: undefined, previous: this.#last, next: undefined, isHandled: false };
    if (this.#last) this.#last.next = event;
    this.#last = event;
    return () => {
      if (!event.isHandled) this.#handled(event);
    };
  }

  /** Adds a position without an event. */
  pass(id: string): void {
    this.#advance(this.#last, id);
  }

  #handled(event: Open): void {
    event.isHandled = true;
    const { previous, next } = event;
    if (previous) previous.next = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    this.#advance(previous, event.handledAfter ?? event.id);
  }

  /** Everything after an event, or from the beginning, up to a position is handled. */
  #advance(open: Open | undefined, position: string | undefined): void {
    if (position === undefined) return;
    if (open) open.handledAfter = position;
    else if (position !== this.#position) {
      this.#position = position;
      this.#onAdvance(position);
    }
  }
}
