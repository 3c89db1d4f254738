import { type AccountLimit, HOUR_MS, type MemorySample, MINUTE_MS } from '@chat-web/protocol';
import type { SessionMemory } from '../host/memory.ts';

/** A build of the page, as a worker found it. */
export interface PageView {
  readonly version: string;
  readonly testIds: boolean;
  readonly degraded: readonly { readonly capability: string; readonly reason: string }[];
}

const MAX_SAMPLES = 60;

/** Measurements of a session, for operators and for the memory guard. */
export class SessionStats {
  #memory: SessionMemory | undefined;
  readonly #memorySamples: MemorySample[] = [];
  /** The minute of the newest sample, on the monotonic clock. */
  #sampledMinute: number | undefined;
  diskBytes: number | undefined;
  /** The page, and what does not work on it; undefined until this run has checked it. */
  page: PageView | undefined;
  /** Why the browser of this run has no sandbox; undefined if it has one. */
  unsandboxed: string | undefined;
  #earlierPage: PageView | undefined;
  #limits: readonly AccountLimit[] | undefined;
  /** Of all runs. Undefined until the first report: limits may have ended while the gateway did not run. */
  #lastLimits: string | undefined;
  lastEventAt: Date | undefined;
  #lastActivityAt = performance.now();

  get memory(): SessionMemory | undefined {
    return this.#memory;
  }

  /** Sets the measured memory; undefined: nothing runs. */
  measured(memory: SessionMemory | undefined): void {
    this.#memory = memory;
    const minute = Math.floor(performance.now() / MINUTE_MS);
    if (!memory) return;
    if (minute === this.#sampledMinute) this.#memorySamples.pop(); // The first of a run says little: its browser boots.
    this.#sampledMinute = minute;
    const { workerBytes, browserBytes } = memory;
    this.#memorySamples.push({ at: new Date().toISOString(), workerBytes, browserBytes });
    if (this.#memorySamples.length > MAX_SAMPLES) this.#memorySamples.shift();
  }

  /** Its memory over the last hour, oldest first: the last measurement of each minute. */
  get memorySamples(): MemorySample[] {
    const since = Date.now() - HOUR_MS;
    return this.#memorySamples.filter(({ at }) => Date.parse(at) > since);
  }

  /** Time without traffic, in milliseconds. */
  get idleMs(): number {
    return performance.now() - this.#lastActivityAt;
  }

  /** The page of this run, or of the last run that checked one. */
  get lastPage(): PageView | undefined {
    return this.page ?? this.#earlierPage;
  }

  /** A run begins: its page is not known yet. */
  runBegins(): void {
    this.#earlierPage = this.lastPage;
    this.page = undefined;
    this.unsandboxed = undefined;
    this.#limits = undefined;
  }

  /** The network's limits on the account; undefined until this run has read them. */
  get limits(): readonly AccountLimit[] | undefined {
    return this.#limits;
  }

  /** Takes a report of the limits; false if they are the same as in the last one, also of an earlier run. */
  limitsRead(limits: readonly AccountLimit[]): boolean {
    this.#limits = limits;
    const before = this.#lastLimits;
    this.#lastLimits = JSON.stringify(limits);
    return this.#lastLimits !== before;
  }

  eventReceived(): void {
    this.lastEventAt = new Date();
    this.active();
  }

  /** There was traffic: a call began or ended, an event arrived, or the session became ready. */
  active(): void {
    this.#lastActivityAt = performance.now();
  }
}
