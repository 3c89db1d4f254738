import { SimulatorError } from '../errors.ts';
import type { Timers } from '../timers.ts';
import type { Connection } from './records.ts';

/** Below the 10 s that the client waits for an answer. */
const CONFIRMATION_TIMEOUT_MS = 8_000;

interface Waiting {
  readonly connection: Connection;
  done(): void;
}

/** The events that pages have not confirmed yet. */
export class Confirmations {
  readonly #timers: Timers;
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /**
   * A number for the next event on that connection. `received` resolves when the page has confirmed the event or has
   * disconnected; it rejects with 409 if neither happens in time, within 8 s by default.
   */
  expect(
    connection: Connection,
    timeoutMs = CONFIRMATION_TIMEOUT_MS,
  ): { readonly confirm: number; readonly received: Promise<void> } {
    this.#last += 1;
    const confirm = this.#last;
    const received = new Promise<void>((resolve, reject) => {
      const cancel = this.#timers.after(timeoutMs, () => {
        this.#waiting.delete(confirm);
        reject(new SimulatorError(409, 'a page does not take this in: it is frozen, or its connection is stalled'));
      });
      const done = () => {
        cancel();
        this.#waiting.delete(confirm);
        resolve();
      };
      this.#waiting.set(confirm, { connection, done });
    });
    return { confirm, received };
  }

  confirmed(confirm: number): void {
    this.#waiting.get(confirm)?.done();
  }

  disconnected(connection: Connection): void {
    for (const waiting of [...this.#waiting.values()]) if (waiting.connection === connection) waiting.done();
  }
}
