const SECOND = 1_000;
/** A start that keeps moving and never arrives ends, too. */
const LONGEST_START_MS = 3_600 * SECOND;

/** The time limit of a start: counted from its last progress, with one for all of it. */
export class StartDeadline {
  readonly #onOver: (reason: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #timeoutMs = 0;
  #what = '';
  /** On the clock that nobody sets. */
  #latestAt = 0;

  /** `onOver` gets a sentence that names what took too long. */
  constructor(onOver: (reason: string) => void) {
    this.#onOver = onOver;
  }

  /** True while it is counted. */
  get isSet(): boolean {
    return this.#timer !== undefined;
  }

  /** Begins anew, in the place of any other. `what` takes the time, such as "the start". */
  set(timeoutMs: number, what: string): void {
    this.#timeoutMs = timeoutMs;
    this.#what = what;
    this.#latestAt = performance.now() + LONGEST_START_MS;
    this.#count();
  }

  /** There was progress: it may take as long again. */
  extend(): void {
    if (this.isSet) this.#count();
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #count(): void {
    this.clear();
    const leftMs = Math.min(this.#timeoutMs, this.#latestAt - performance.now());
    const reason =
      leftMs < this.#timeoutMs
        ? `${this.#what} took longer than ${LONGEST_START_MS / SECOND} s`
        : `${this.#what} has not moved for ${this.#timeoutMs / SECOND} s`;
    this.#timer = setTimeout(() => this.#onOver(reason), Math.max(0, leftMs));
  }
}
