import { type Backoff, backoffMs } from '../wait.ts';

/** An event that is being handled. */
export interface Task {
  /** Runs the handler; `count` is the attempt, from 1. True if the event is done. Must not reject. */
  attempt(count: number): Promise<boolean>;
  /** How much memory it holds, in UTF-16 units. */
  readonly length: number;
}

/** Options of lanes. */
interface LanesOptions {
  /** How many handlers run at the same time. */
  readonly concurrency: number;
  /** How many events are accepted before reading stops, and how much text. */
  readonly most: { readonly events: number; readonly length: number };
  readonly retry: Backoff;
  /** Aborts when no other handler may start. */
  readonly signal: AbortSignal;
}

/**
 * Runs handlers: in order within a lane, and lanes in parallel. A lane whose handler fails waits; the others continue.
 */
export class Lanes {
  readonly #options: LanesOptions;
  readonly #lanes = new Map<string, Task[]>();
  /** Handlers in progress. */
  readonly #running = new Set<Promise<unknown>>();
  readonly #slots: (() => void)[] = [];
  /** Lanes that wait for their next attempt. One listener each would be too many for the signal. */
  readonly #sleepers = new Set<() => void>();
  #busy = 0;
  #events = 0;
  #length = 0;
  /** Wakes everything that waits for a change. */
  #changed = () => {};

  constructor(options: LanesOptions) {
    this.#options = options;
    options.signal.addEventListener(
      'abort',
      () => {
        for (const wake of [...this.#slots.splice(0), ...this.#sleepers]) wake();
        this.#changed();
      },
      { once: true },
    );
  }

  /** Adds an event to the end of a lane. */
  push(lane: string, task: Task): void {
    this.#events += 1;
    this.#length += task.length;
    const waiting = this.#lanes.get(lane);
    if (waiting) {
      waiting.push(task);
      return;
    }
    const tasks = [task];
    this.#lanes.set(lane, tasks);
    void this.#work(lane, tasks);
  }

  /** Resolves when there is room for another event, or the signal aborts. */
  room(): Promise<void> {
    const { most } = this.#options;
    return this.#until(() => this.#events < most.events && this.#length < most.length);
  }

  /** Resolves when all events are handled, or the signal aborts. */
  idle(): Promise<void> {
    return this.#until(() => this.#events === 0);
  }

  /** Resolves when no handler runs. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds() && !this.#options.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  async #work(lane: string, tasks: Task[]): Promise<void> {
    const { signal } = this.#options;
    for (let task = tasks[0]; task; task = tasks[0]) {
      if (!(await this.#settle(task)) || signal.aborted) return;
      tasks.shift();
      this.#events -= 1;
      this.#length -= task.length;
      if (tasks.length === 0) this.#lanes.delete(lane);
      this.#changed();
    }
  }

  /** Runs a handler until it succeeds or the event is skipped. False: the signal aborted first. */
  async #settle(task: Task): Promise<boolean> {
    const { retry, signal } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      await this.#slot();
      if (signal.aborted) return false;
      const run = task.attempt(attempt);
      this.#running.add(run);
      const isDone = await run;
      this.#running.delete(run);
      this.#release();
      if (isDone) return true;
      await this.#sleep(backoffMs(retry, attempt));
    }
  }

  /** Waits for a free slot. */
  async #slot(): Promise<void> {
    const { concurrency, signal } = this.#options;
    if (this.#busy >= concurrency && !signal.aborted) await new Promise<void>((resolve) => this.#slots.push(resolve));
    else this.#busy += 1;
  }

  /** Resolves after this time, or when the signal aborts. */
  #sleep(ms: number): Promise<void> {
    if (this.#options.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#sleepers.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#sleepers.add(wake);
    });
  }

  /** Passes a slot on. */
  #release(): void {
    const next = this.#slots.shift();
    if (next) next();
    else this.#busy -= 1;
  }
}
