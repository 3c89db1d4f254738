import type { SessionMemory } from '../host/memory.ts';

/** A build of the page, as a worker found it. */
export interface PageView {
  readonly version: string;
  readonly degraded: readonly { readonly capability: string; readonly reason: string }[];
}

/** Measurements of a session, for operators and for the memory guard. */
export class SessionStats {
  memory: SessionMemory | undefined;
  /** The size of its folder, in bytes. */
  diskBytes: number | undefined;
  /** The page, and what does not work on it; undefined until this run has checked it. */
  page: PageView | undefined;
  #earlierPage: PageView | undefined;
  /** When the last inbound event arrived. */
  lastEventAt: Date | undefined;
  #lastActivityAt = performance.now();

  /** Time without traffic, in milliseconds. */
  get idleMs(): number {
    return performance.now() - this.#lastActivityAt;
  }

  /** The page of this run, or else of the last run that checked one. */
  get lastPage(): PageView | undefined {
    return this.page ?? this.#earlierPage;
  }

  /** A run begins: its page is not known yet. */
  runBegins(): void {
    this.#earlierPage = this.lastPage;
    this.page = undefined;
  }

  /** An inbound event arrived. */
  heard(): void {
    this.lastEventAt = new Date();
    this.active();
  }

  /** There was traffic: a call began or ended, an event arrived, or the session became ready. */
  active(): void {
    this.#lastActivityAt = performance.now();
  }
}
