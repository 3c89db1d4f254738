import type { SessionMemory } from '../host/memory.ts';
import type { RestartCause } from './failure.ts';

/** A build of the page, as a worker has found it. */
export interface PageView {
  readonly version: string;
  readonly degraded: readonly { readonly capability: string; readonly reason: string }[];
}

/** What an operator sees of a session beside its state. */
export class Vitals {
  /** How often it was started anew, by what made it necessary, since the gateway started. */
  readonly restarts = new Map<RestartCause, number>();
  memory: SessionMemory | undefined;
  /** What its folder takes on the disk, in bytes. */
  diskBytes: number | undefined;
  /** What its page is, and what does not work there; undefined before this run has looked at it. */
  page: PageView | undefined;
  #earlierPage: PageView | undefined;
  /** When the last inbound event came. */
  lastEventAt: Date | undefined;
  #lastActivityAt = performance.now();

  /** For how long nothing has come in or gone out, in milliseconds. */
  get idleMs(): number {
    return performance.now() - this.#lastActivityAt;
  }

  get restartCount(): number {
    let count = 0;
    for (const times of this.restarts.values()) count += times;
    return count;
  }

  /** The last page that was looked at, in this run or in one before. */
  get lastPage(): PageView | undefined {
    return this.page ?? this.#earlierPage;
  }

  /** A run begins: its page may be another one, and is not known yet. */
  runBegins(): void {
    this.#earlierPage = this.lastPage;
    this.page = undefined;
  }

  countRestart(cause: RestartCause): void {
    this.restarts.set(cause, (this.restarts.get(cause) ?? 0) + 1);
  }

  /** Something came from the network. */
  heard(): void {
    this.lastEventAt = new Date();
    this.active();
  }

  /** A call began or ended, something came in, or the session has come up. */
  active(): void {
    this.#lastActivityAt = performance.now();
  }
}
