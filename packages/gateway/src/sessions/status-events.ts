import type { EventData } from '@chat-web/protocol';
import { Budget } from '../budget.ts';

/** A session that fails takes some events for each attempt; one that goes on failing must not fill the journal. */
const LIMITS = { burst: 60, perSecond: 1 / 60 };

/**
 * The `status` events of a session: one for each change. After many changes it is one in a minute at most, with the
 * newest status.
 */
export class StatusEvents {
  readonly #publish: (status: EventData<'status'>) => void;
  readonly #budget = new Budget(LIMITS);
  #newest: EventData<'status'>;
  /** What was published last, as JSON. */
  #published: string;
  #timer: NodeJS.Timeout | undefined;

  /** `status`: the one that needs no event. */
  constructor(status: EventData<'status'>, publish: (status: EventData<'status'>) => void) {
    this.#newest = status;
    this.#published = JSON.stringify(status);
    this.#publish = publish;
  }

  /** To be called with the status after anything that may have changed it. */
  update(status: EventData<'status'>): void {
    this.#newest = status;
    if (this.#timer === undefined) this.#publishNewest();
  }

  /** Publishes nothing more of what was before. */
  forget(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #publishNewest(): void {
    this.#timer = undefined;
    const text = JSON.stringify(this.#newest);
    if (text === this.#published) return;
    const waitMs = this.#budget.msUntil(1);
    if (waitMs > 0) {
      this.#timer = setTimeout(() => this.#publishNewest(), Math.ceil(waitMs)).unref();
      return;
    }
    this.#budget.charge(1);
    this.#published = text;
    this.#publish(this.#newest);
  }
}
