import type { SessionMemory } from '../host/memory.ts';

/** A build of the page, as a worker has found it. */
export interface PageView {
  readonly version: string;
  readonly degraded: readonly { readonly capability: string; readonly reason: string }[];
}

/** What is measured of a session, for operators and for the guard of its memory. */
export class SessionStats {
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

  /** The last page that was looked at, in this run or in one before. */
  get lastPage(): PageView | undefined {
    return this.page ?? this.#earlierPage;
  }

  /** A run begins: its page may be another one, and is not known yet. */
  runBegins(): void {
    this.#earlierPage = this.lastPage;
    this.page = undefined;
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
