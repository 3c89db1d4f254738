import { wasNavigated } from '../page-errors.ts';
import type { Log } from '../port.ts';

/** The page is not trusted to report little while it is being read. */
const MAX_HELD_BACK = 1_000;
/** A page that reports too much each time must not delay live messages without end. */
const MAX_READS = 5;

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

  /** The page reports something live. Of those with the same key, only the last is held back. */
  onLive(live: T, key: unknown = {}): void {
    if (this.#isLive) this.#passOn(live);
    else if (this.#heldBack.size < MAX_HELD_BACK || this.#heldBack.has(key)) this.#heldBack.set(key, live);
    else {
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
   * Reads what was missed, and again if too much was reported meanwhile, then goes live. `isInterrupted`: the page is
   * gone again, and what was read must not be passed on; `hasDropped`: something reported before did not fit. If the
   * read rejects, so does this. It goes live all the same, unless the page was navigated: another catch-up follows its
   * next load.
   */
  async run(read: (isInterrupted: () => boolean, hasDropped: boolean) => Promise<void>): Promise<void> {
    this.pause();
    const pause = this.#pauses;
    const isInterrupted = () => pause !== this.#pauses;
    try {
      for (let reads = 1; ; reads += 1) {
        const dropped = this.#dropped;
        await read(isInterrupted, dropped > 0);
        if (isInterrupted()) return;
        if (this.#dropped === dropped || reads === MAX_READS) break;
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
