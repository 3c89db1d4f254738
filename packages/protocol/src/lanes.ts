import { Queue } from './queue.ts';

export interface LaneTask {
  /**
   * Runs it; `count` is the attempt, from 1. Undefined: it is done. Must not reject. `isTurnOver(done)`: true if other
   * lanes wait, and this lane has used up its turn, where `done` is the number of parts done in this attempt. Return
   * `{ inMs: 0 }` then.
   */
  attempt(count: number, isTurnOver: (done: number) => boolean): Promise<NextAttempt | undefined>;
  /** How much memory it holds, in UTF-16 units; 0: it does not count. */
  length: number;
}

/** When to attempt a task again. */
export interface NextAttempt {
  readonly inMs: number;
  /** The lane keeps its slot meanwhile, until `freeSlots` is called. By default, only if it has kept it before. */
  readonly keepsSlot?: boolean | undefined;
}

export interface LanesOptions {
  /** How many lanes run at the same time. */
  readonly concurrency: number;
  /** How many tasks there is room for, and how much memory. Tasks beyond that are accepted, too. */
  readonly max?: { readonly tasks: number; readonly length: number };
  /** How long a lane runs at most while others wait; by default, one task. */
  readonly turn?: { readonly tasks: number; readonly ms: number };
  /** Aborts when no other attempt may start. */
  readonly signal: AbortSignal;
  /** Called when a task is done, or a lane waits for its next attempt. */
  readonly onChange?: () => void;
}

interface Lane<T extends LaneTask> {
  readonly key: string;
  readonly tasks: Queue<T>;
  /** Of the first task. */
  attempts: number;
  keepsSlot: boolean;
  /** Set while it waits for its next attempt. */
  timer: ReturnType<typeof setTimeout> | undefined;
}

const ONE_TASK = { tasks: 1, ms: Number.POSITIVE_INFINITY };
const UNLIMITED = { tasks: Number.POSITIVE_INFINITY, length: Number.POSITIVE_INFINITY };

/** Runs tasks: in order within a lane, and lanes in parallel. A lane whose task fails waits; the others continue. */
export class Lanes<T extends LaneTask = LaneTask> {
  readonly #options: LanesOptions;
  readonly #lanes = new Map<string, Lane<T>>();
  /** Lanes that wait for a slot, next first. */
  readonly #ready = new Queue<Lane<T>>();
  readonly #running = new Set<Promise<void>>();
  /** Lanes that keep their slot while they wait for their next attempt. */
  readonly #keeping = new Set<Lane<T>>();
  #tasks = 0;
  #length = 0;
  /** What waits for a change. */
  #waiting: (() => void)[] = [];

  constructor(options: LanesOptions) {
    this.#options = options;
    options.signal.addEventListener(
      'abort',
      () => {
        for (const { timer } of this.#lanes.values()) clearTimeout(timer);
        this.#wakeAll();
      },
      { once: true },
    );
  }

  get size(): number {
    return this.#lanes.size;
  }

  get hasRoom(): boolean {
    const { max = UNLIMITED } = this.#options;
    return this.#tasks < max.tasks && this.#length < max.length;
  }

  /** True if lanes that wait for their next attempt keep all slots. */
  get isBlocked(): boolean {
    return this.#keeping.size >= this.#options.concurrency;
  }

  /** True if a lane waits for a slot. */
  get hasWaiting(): boolean {
    return this.#ready.size > 0;
  }

  first(key: string): T | undefined {
    return this.#lanes.get(key)?.tasks.first;
  }

  /** The first task of each lane. */
  *firsts(): Iterable<T> {
    for (const { tasks } of this.#lanes.values()) if (tasks.first) yield tasks.first;
  }

  /** The lane with the most tasks, if it has more than this many. */
  longest(minTasks: number): string | undefined {
    let longest: Lane<T> | undefined;
    for (const lane of this.#lanes.values()) if (lane.tasks.size > (longest?.tasks.size ?? minTasks)) longest = lane;
    return longest?.key;
  }

  /** Adds a task to the end of a lane. */
  push(key: string, task: T): void {
    this.#count(task, 1);
    const known = this.#lanes.get(key);
    if (known) {
      known.tasks.push(task);
      return;
    }
    const lane: Lane<T> = { key, tasks: new Queue(), attempts: 0, keepsSlot: false, timer: undefined };
    lane.tasks.push(task);
    this.#lanes.set(key, lane);
    this.#ready.push(lane);
    this.#start();
  }

  /** Drops the tasks of a lane except the first one, which does not count any more. */
  release(key: string): void {
    const { tasks } = this.#lanes.get(key) ?? {};
    for (const task of tasks ?? []) {
      this.#count(task, -1);
      if (task === tasks?.first) task.length = 0;
      else tasks?.delete(task);
    }
  }

  /** Ends the wait of a lane for its next attempt. */
  wake(key: string): void {
    const lane = this.#lanes.get(key);
    if (lane?.timer === undefined) return;
    clearTimeout(lane.timer);
    lane.timer = undefined;
    if (this.#keeping.delete(lane)) this.#run(lane);
    else this.#ready.push(lane);
    this.#start();
  }

  /** Frees the slots of lanes that wait for their next attempt. */
  freeSlots(): void {
    for (const lane of this.#lanes.values()) lane.keepsSlot = false;
    this.#keeping.clear();
    this.#start();
  }

  /** Starts a lane that waits for a slot, even if none is free: this one, or the one whose turn it is. */
  startNext(key?: string): void {
    const lane = key === undefined ? this.#ready.first : this.#lanes.get(key);
    if (lane && this.#ready.has(lane)) this.#run(lane);
  }

  /** Resolves when there is room for another task, or the signal aborts. */
  room(): Promise<void> {
    return this.#until(() => this.hasRoom);
  }

  /** Resolves when all tasks are done, or the signal aborts. */
  idle(): Promise<void> {
    return this.#until(() => this.#lanes.size === 0);
  }

  /** Resolves when no task runs. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds() && !this.#options.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  #wakeAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  #count({ length }: T, sign: 1 | -1): void {
    if (length === 0) return;
    this.#tasks += sign;
    this.#length += sign * length;
  }

  #start(): void {
    for (let lane = this.#ready.first; lane; lane = this.#ready.first) {
      if (this.#running.size + this.#keeping.size >= this.#options.concurrency) return;
      this.#run(lane);
    }
  }

  #run(lane: Lane<T>): void {
    this.#ready.delete(lane);
    if (this.#options.signal.aborted) return;
    const run = this.#turn(lane).then(() => {
      this.#running.delete(run);
      this.#start();
      this.#change();
    });
    this.#running.add(run);
  }

  #change(): void {
    this.#wakeAll();
    this.#options.onChange?.();
  }

  async #turn(lane: Lane<T>): Promise<void> {
    const { turn = ONE_TASK, signal } = this.#options;
    const endsAt = performance.now() + turn.ms;
    const isTurnOver = (tasks: number) => this.#ready.size > 0 && (tasks >= turn.tasks || performance.now() >= endsAt);
    let done = 0;
    for (let task = lane.tasks.first; task; task = lane.tasks.first) {
      lane.attempts += 1;
      const retry = await task.attempt(lane.attempts, isTurnOver);
      if (signal.aborted) return;
      if (retry) {
        this.#wait(lane, retry);
        return;
      }
      this.#count(task, -1);
      lane.tasks.delete(task);
      lane.attempts = 0;
      lane.keepsSlot = false;
      done += 1;
      if (lane.tasks.size === 0) this.#lanes.delete(lane.key);
      else if (isTurnOver(done)) {
        this.#ready.push(lane);
        return;
      } else this.#change();
    }
  }

  #wait(lane: Lane<T>, { inMs, keepsSlot = lane.keepsSlot }: NextAttempt): void {
    lane.keepsSlot = keepsSlot && inMs > 0;
    if (inMs <= 0) {
      this.#ready.push(lane);
      return;
    }
    if (keepsSlot) this.#keeping.add(lane);
    lane.timer = setTimeout(() => this.wake(lane.key), inMs);
  }
}
