import { setTimeout as delay } from 'node:timers/promises';
import { timedOut } from './page-errors.ts';

const INTERVAL_MS = 15_000;
const ANSWER_TIMEOUT_MS = 10_000;
const MOST_MISSED = 3;

/** What is asked of the page, and what becomes of the answers. */
export interface ProbeTarget<L> {
  /** Reads something of the page. It may hang: that is what is being found out. */
  ask(): Promise<L>;
  onAnswer(levels: L): void;
  /** The page has left three questions in a row without an answer. */
  onFrozen(reason: string): void;
}

/**
 * Asks the page every so often whether it is there, and what it says of itself. Busy is not dead: an answer counts
 * however late it comes, and only three in a row that do not come mean that page or browser are frozen.
 */
export class PageProbe<L> {
  readonly #target: ProbeTarget<L>;
  readonly #over = new AbortController();
  #missed = 0;

  constructor(target: ProbeTarget<L>) {
    this.#target = target;
  }

  /** Goes on until `stop`, or until the page is found frozen. Never rejects. */
  async run(): Promise<void> {
    let askedSince = Date.now();
    for (;;) {
      const nextTurn = this.#pause(INTERVAL_MS);
      if (this.#missed === 0) askedSince = Date.now();
      const isAnswered = await Promise.race([this.#ask(), this.#pause(ANSWER_TIMEOUT_MS).then(() => false)]);
      if (this.#over.signal.aborted) return;
      this.#missed = isAnswered ? 0 : this.#missed + 1;
      if (this.#missed === MOST_MISSED) {
        const seconds = Math.round((Date.now() - askedSince) / 1_000);
        this.#target.onFrozen(`the page has not answered ${MOST_MISSED} probes in ${seconds} s`);
        return;
      }
      if (!(await nextTurn)) return;
    }
  }

  stop(): void {
    this.#over.abort();
  }

  async #ask(): Promise<boolean> {
    try {
      const levels = await this.#target.ask();
      this.#missed = 0; // Also when nobody waits for this answer any more.
      if (!this.#over.signal.aborted) this.#target.onAnswer(levels);
      return true;
    } catch (error) {
      // A page that is on its way to another document says no, and is alive; one that is gone is told of elsewhere.
      return !timedOut(error);
    }
  }

  /** False when the probe was stopped meanwhile. */
  #pause(ms: number): Promise<boolean> {
    return delay(ms, true, { signal: this.#over.signal, ref: false }).catch(() => false);
  }
}
