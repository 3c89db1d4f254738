import type { ProcessorLoad } from '../host/processor-load.ts';

/** Returns a slot; a second call does nothing. */
export type Release = () => void;

/** While others boot, the next start waits until this share of the processor has been idle for a moment. */
const IDLE_SHARE = 0.25;
const CHECK_INTERVAL_MS = 50;
/** On a machine that is busy with other work, another one is started after this time. */
const MAX_WAIT_MS = 2_000;

interface Waiting {
  readonly byHand: boolean;
  /** Who asked: a key; undefined for the operator. */
  readonly owner: string | undefined;
  /** How many others of its owner waited before it: a caller's first comes before another's second. */
  readonly rank: number;
  enter(): void;
}

/**
 * Limits how many browsers boot at the same time; requested starts take precedence, and callers take turns. A start that
 * would only slow down those in progress waits until the processor has time for it. While the host is at fault, only
 * requested starts continue; afterwards, starts run one at a time until one has come up.
 */
export class StartQueue {
  readonly #slots: number;
  readonly #load: Pick<ProcessorLoad, 'idleShare'>;
  readonly #waiting: Waiting[] = [];
  #booting = 0;
  #lastStartAt = Number.NEGATIVE_INFINITY;
  #lastCheckAt = Number.NEGATIVE_INFINITY;
  #pausedUntil = 0;
  #onTrial = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(slots: number, load: Pick<ProcessorLoad, 'idleShare'>) {
    this.#slots = slots;
    this.#load = load;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get booting(): number {
    return this.#booting;
  }

  /**
   * Waits for a slot. `byHand`: a request waits for it; `owner`: the key of its caller. Rejects with the signal's reason
   * if it aborts first.
   */
  async acquire(signal: AbortSignal, byHand = false, owner?: string): Promise<Release> {
    signal.throwIfAborted();
    await this.#turn(signal, byHand, owner);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#booting -= 1;
      this.#admit();
    };
  }

  /** Pauses starts, then allows one at a time until `resume`. Requested starts are trials, and continue. */
  pause(ms: number): void {
    this.#pausedUntil = performance.now() + ms;
    this.#onTrial = true;
  }

  /** A browser has come up: the host is healthy. */
  resume(): void {
    if (!this.#onTrial) return;
    this.#onTrial = false;
    this.#pausedUntil = 0;
    this.#admit();
  }

  #turn(signal: AbortSignal, byHand: boolean, owner: string | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const rank = this.#waiting.filter((other) => other.byHand && other.owner === owner).length;
      const waiting = {
        byHand,
        owner,
        rank,
        enter: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      const behind = this.#waiting.findIndex((other) => byHand && (!other.byHand || other.rank > rank));
      this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, waiting);
      this.#admit();
    });
  }

  #admit(): void {
    clearTimeout(this.#timer);
    const [first] = this.#waiting;
    if (!first || this.#booting >= (this.#onTrial ? 1 : this.#slots)) return;
    const waitMs = (first.byHand ? 0 : this.#pausedUntil) - performance.now();
    if (waitMs > 0 || !this.#hasTime()) {
      this.#timer = setTimeout(() => this.#admit(), Math.max(waitMs, CHECK_INTERVAL_MS)).unref();
      return;
    }
    this.#waiting.shift();
    this.#booting += 1;
    this.#lastStartAt = performance.now();
    // Its load is measured from here on.
    this.#lastCheckAt = this.#lastStartAt;
    this.#load.idleShare();
    first.enter();
    this.#admit();
  }

  /** Checks the processor, unless it was checked a moment ago, or nothing boots. */
  #hasTime(): boolean {
    const now = performance.now();
    if (this.#booting === 0 || now - this.#lastStartAt >= MAX_WAIT_MS) return true;
    if (now - this.#lastCheckAt < CHECK_INTERVAL_MS) return false;
    this.#lastCheckAt = now;
    return this.#load.idleShare() >= IDLE_SHARE;
  }
}
