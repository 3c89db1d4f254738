import { SECOND_MS } from '@chat-web/protocol';

/** Even a start that keeps making progress fails after this. */
const MAX_START_MS = 3_600 * SECOND_MS;

/** The deadline of a start: counted from its last progress, with a limit for the total. */
export class StartDeadline {
  readonly #onOver: (reason: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #timeoutMs = 0;
  #what = '';
  /** On the monotonic clock. */
  #latestAt = 0;

  /** `onOver` gets a clause that names what took too long. */
  constructor(onOver: (reason: string) => void) {
    this.#onOver = onOver;
  }

  get isSet(): boolean {
    return this.#timer !== undefined;
  }

  /** Sets the deadline, replacing any other. `what`: what is being timed, such as "the start". */
  set(timeoutMs: number, what: string): void {
    this.#timeoutMs = timeoutMs;
    this.#what = what;
    this.#latestAt = performance.now() + MAX_START_MS;
    this.#count();
  }

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
        ? `${this.#what} took longer than ${MAX_START_MS / SECOND_MS} s`
        : `${this.#what} made no progress for ${this.#timeoutMs / SECOND_MS} s`;
    this.#timer = setTimeout(() => this.#onOver(reason), Math.max(0, leftMs));
  }
}
