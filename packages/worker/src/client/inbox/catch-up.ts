import { wasNavigated } from '../page-errors.ts';

/**
 * Whether what the page reports live is passed on, or held back until what was missed before is read from the page's
 * own store.
 */
export class CatchUp {
  readonly #onLive: () => void;
  #isLive = false;
  /** Counts the pauses: a catch-up that another pause interrupted does not end that pause. */
  #pauses = 0;

  /** `onLive`: passes on what was held back. */
  constructor(onLive: () => void) {
    this.#onLive = onLive;
  }

  get isLive(): boolean {
    return this.#isLive;
  }

  /** The page or its connection is gone. */
  pause(): void {
    this.#pauses += 1;
    this.#isLive = false;
  }

  /**
   * Reads what was missed, then goes live. `isInterrupted`: the page is gone again, and what was read must not be passed
   * on. If the read rejects, so does this. It goes live all the same, unless the page was navigated: another catch-up
   * follows its next load.
   */
  async run(read: (isInterrupted: () => boolean) => Promise<void>): Promise<void> {
    this.pause();
    const pause = this.#pauses;
    const isInterrupted = () => pause !== this.#pauses;
    const goLive = () => {
      if (isInterrupted()) return;
      this.#isLive = true;
      this.#onLive();
    };
    try {
      await read(isInterrupted);
    } catch (error) {
      if (!wasNavigated(error)) goLive();
      throw error;
    }
    goLive();
  }
}
