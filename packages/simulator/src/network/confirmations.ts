import { SimulatorError } from '../simulator-error.ts';
import type { Timers } from '../timers.ts';
import type { Line } from './records.ts';

/** Below the 10 s that the client waits for an answer. */
const CONFIRMATION_TIMEOUT_MS = 8_000;

interface Waiting {
  readonly line: Line;
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
   * A number for the next event on that line. `taken` resolves when the page has confirmed it or has disconnected;
   * it rejects with 409 if neither happens within 8 s.
   */
  expect(line: Line): { readonly confirm: number; readonly taken: Promise<void> } {
    this.#last += 1;
    const confirm = this.#last;
    const taken = new Promise<void>((resolve, reject) => {
      const cancel = this.#timers.after(CONFIRMATION_TIMEOUT_MS, () => {
        this.#waiting.delete(confirm);
        reject(new SimulatorError(409, 'a page does not take this in: it is frozen, or its connection is stalled'));
      });
      const done = () => {
        cancel();
        this.#waiting.delete(confirm);
        resolve();
      };
      this.#waiting.set(confirm, { line, done });
    });
    return { confirm, taken };
  }

  confirmed(confirm: number): void {
    this.#waiting.get(confirm)?.done();
  }

  /** The page on that line has disconnected. */
  release(line: Line): void {
    for (const waiting of [...this.#waiting.values()]) if (waiting.line === line) waiting.done();
  }
}
