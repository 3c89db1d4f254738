import { wasNavigated } from '../page-errors.ts';
import type { Log } from '../port.ts';

/** The page is not trusted to report little while it is being read. */
const MAX_HELD_BACK = 1_000;
/** A page that reports too much each time must not delay live messages without end. */
const MAX_READS = 5;

/** One reading of what was missed. */
export interface Reading {
  /** True if the page is gone again, and what was read must not be passed on. */
  isInterrupted(): boolean;
  /** Something that was reported before this reading did not fit. */
  readonly hasDropped: boolean;
  /** True if everything that was reported during this reading did fit. */
  isComplete(): boolean;
}

/**
 * Whether what the page reports live is passed on, or held back until what was missed before is read from the page's
 * own store.
 */
export class CatchUp<T> {
  readonly #what: 'messages' | 'changes';
  readonly #passOn: (live: T) => void;
  readonly #log: Log;
  readonly #heldBack = new Map<unknown, T>();
  /** How many did not fit since the page was live: they have to be read from its store. */
  #dropped = 0;
  #isLive = false;
  /** Counts the pauses: a catch-up that another pause interrupted does not end that pause. */
  #pauses = 0;

  /** `what` is held back, for the log. `passOn` must not throw. */
  constructor(what: 'messages' | 'changes', passOn: (live: T) => void, log: Log) {
    this.#what = what;
    this.#passOn = passOn;
    this.#log = log;
  }

  get isLive(): boolean {
    return this.#isLive;
  }

  /**
   * The page reports something live. Of those with the same `key`, only the last is held back: the page does not store
   * them, and another reading would not find them.
   */
  onLive(live: T, key: unknown = live): void {
    if (this.#isLive) this.#passOn(live);
    else if (this.#heldBack.size < MAX_HELD_BACK || this.#heldBack.has(key)) this.#heldBack.set(key, live);
    else if (key === live) {
      if (this.#dropped === 0) this.#log('warn', 'too much held back', { what: this.#what, max: MAX_HELD_BACK });
      this.#dropped += 1;
    }
  }

  /** The page or its connection is gone. */
  pause(): void {
    this.#pauses += 1;
    this.#isLive = false;
  }

  /**
   * Reads what was missed, and again if too much was reported meanwhile, then goes live. If the reading rejects, so does
   * this. It goes live all the same, unless the page was navigated: another catch-up follows its next load.
   */
  async run(read: (reading: Reading) => Promise<void>): Promise<void> {
    this.pause();
    const pause = this.#pauses;
    const isInterrupted = () => pause !== this.#pauses;
    try {
      for (let reads = 1; ; reads += 1) {
        const dropped = this.#dropped;
        const isComplete = () => this.#dropped === dropped;
        await read({ isInterrupted, hasDropped: dropped > 0, isComplete });
        if (isInterrupted()) return;
        if (isComplete() || reads === MAX_READS) break;
        this.#passOnHeldBack();
      }
    } catch (error) {
      if (!wasNavigated(error) && !isInterrupted()) this.#goLive();
      throw error;
    }
    this.#goLive();
  }

  #goLive(): void {
    this.#isLive = true;
    this.#dropped = 0;
    this.#passOnHeldBack();
  }

  #passOnHeldBack(): void {
    const heldBack = [...this.#heldBack.values()];
    this.#heldBack.clear();
    for (const live of heldBack) this.#passOn(live);
  }
}
