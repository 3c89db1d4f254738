import type { EventData } from '@chat-web/protocol';
import { Budget } from '../budget.ts';

/** Each attempt of a failing session takes some events; repeated failures must not fill the journal. */
const LIMITS = { burst: 60, perSecond: 1 / 60 };

/**
 * The `status` events of a session: one for each change. After many changes, at most one a minute, with the newest
 * status.
 */
export class StatusEvents {
  readonly #publish: (status: EventData<'status'>) => void;
  readonly #budget = new Budget(LIMITS);
  #newest: EventData<'status'>;
  #published: string;
  #timer: NodeJS.Timeout | undefined;

  /** `status`: the initial one, which needs no event. */
  constructor(status: EventData<'status'>, publish: (status: EventData<'status'>) => void) {
    this.#newest = status;
    this.#published = JSON.stringify(status);
    this.#publish = publish;
  }

  /** Call with the status after anything that may have changed it. */
  update(status: EventData<'status'>): void {
    this.#newest = status;
    if (this.#timer === undefined) this.#publishNewest();
  }

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
