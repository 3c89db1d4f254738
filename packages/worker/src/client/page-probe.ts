import { pause } from '@chat-web/protocol';
import { timedOut } from './page-errors.ts';

const INTERVAL_MS = 15_000;
/** Between two probes, even if the page asks for them: it is not trusted. */
const MIN_INTERVAL_MS = 1_000;
const ANSWER_TIMEOUT_MS = 10_000;
const MAX_MISSED = 3;

/** The question to the page, and the callbacks for its answers. */
export interface ProbeTarget<S> {
  /** Reads some state of the page. May hang, which the probe detects. */
  ask(): Promise<S>;
  onAnswer(state: S): void;
  /** The page has not answered three probes in a row. */
  onFrozen(reason: string): void;
}

/**
 * Probes the page at a regular interval. A busy page is not a dead one: a late answer counts too, and only three
 * missing answers in a row mean that the page or its browser is frozen.
 */
export class PageProbe<S> {
  readonly #target: ProbeTarget<S>;
  readonly #over = new AbortController();
  #missed = 0;
  /** The wait for the next probe. */
  #turn = new AbortController();

  constructor(target: ProbeTarget<S>) {
    this.#target = target;
  }

  /** Runs until `stop`, or until the page is frozen. Never rejects. */
  async run(): Promise<void> {
    const { signal } = this.#over;
    let askedSince = Date.now();
    while (!signal.aborted) {
      this.#turn = new AbortController();
      const nextTurn = pause(INTERVAL_MS, this.#turn.signal);
      const soonest = pause(MIN_INTERVAL_MS, signal);
      if (this.#missed === 0) askedSince = Date.now();
      const isAnswered = await Promise.race([this.#ask(), pause(ANSWER_TIMEOUT_MS, signal).then(() => false)]);
      if (signal.aborted) return;
      this.#missed = isAnswered ? 0 : this.#missed + 1;
      if (this.#missed === MAX_MISSED) {
        const seconds = Math.round((Date.now() - askedSince) / 1_000);
        this.#target.onFrozen(`the page has not answered ${MAX_MISSED} probes in ${seconds} s`);
        return;
      }
      await nextTurn;
      await soonest;
    }
  }

  /** Probes again before it is time: the page has news. */
  hasten(): void {
    this.#turn.abort();
  }

  stop(): void {
    this.#over.abort();
    this.#turn.abort();
  }

  async #ask(): Promise<boolean> {
    try {
      const state = await this.#target.ask();
      this.#missed = 0; // Even if the answer was too late for its own probe.
      if (!this.#over.signal.aborted) this.#target.onAnswer(state);
      return true;
    } catch (error) {
      // A page during a navigation refuses, but is alive; other events report a page that is gone.
      return !timedOut(error);
    }
  }
}
