import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import {
  HEARTBEAT_INTERVAL_MS,
  type WorkerEvent,
  type WorkerOperationName,
  type WorkerOptions,
} from '@chat-web/protocol';
import type { Log } from '../log.ts';
import { SilenceWatch } from './silence-watch.ts';
import { WorkerLink } from './worker-link.ts';
import { exitOf, startWorker, type WorkerEnv } from './worker-process.ts';

/** Told of what happens to a worker. */
export interface WorkerListener {
  onEvent(event: WorkerEvent): void;
  /** It runs, but has not been heard of for so long. */
  onSilent(forMs: number): void;
  /** It has broken the rules of its channel, and is not listened to any more: a clause, of what it did. */
  onBroken(did: string): void;
}

/** How a worker is started. */
export interface WorkerStart {
  /** The file that it runs. */
  readonly program: string;
  readonly env: WorkerEnv;
  readonly options: WorkerOptions;
}

/** How long a worker may live whose channel is closed: one that ends closes it a moment before it is gone. */
const LIVES_ON_MS = 3_000;
/** How long the last words of a process that is gone may take: something that it has started may hold its channel. */
const LAST_WORDS_MS = 5_000;

/** A running worker: its process and the link to it. */
export class Worker {
  /** Resolves when the process is gone and every call has failed, with how it went. */
  readonly exited: Promise<string>;
  readonly #child: ChildProcess;
  readonly #link: WorkerLink;

  constructor({ program, env, options }: WorkerStart, log: Log, { onEvent, onSilent, onBroken }: WorkerListener) {
    const { child, channel } = startWorker(program, env, log);
    this.#child = child;
    const watch = new SilenceWatch({ intervalMs: HEARTBEAT_INTERVAL_MS, onSilent });
    this.#link = new WorkerLink(channel, options, log, { onEvent, onBroken, onWord: () => watch.heard() });
    const exit = exitOf(child);
    const gone = exit.then(() => true);
    void this.#link.ended.then(async () => {
      if (!(await Promise.race([gone, delay(LIVES_ON_MS, false, { ref: false })]))) onBroken('closed its channel');
    });
    this.exited = exit.then(async (how) => {
      watch.stop();
      this.#link.hurry();
      await Promise.race([this.#link.ended, delay(LAST_WORDS_MS, undefined, { ref: false })]);
      this.#link.close(`exited (${how})`);
      return how;
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** How many calls have no answer yet. */
  get pending(): number {
    return this.#link.pending;
  }

  call(operation: WorkerOperationName, input: unknown): Promise<unknown> {
    return this.#link.call(operation, input);
  }

  /** It is of no use any more: its calls fail at once, with this for a reason. */
  giveUp(why: string): void {
    this.#link.fail(why);
  }

  /** Asks it to end, and kills it if it has not by then. */
  async stop(unlink: boolean, timeoutMs: number): Promise<void> {
    this.#link.stop(unlink, timeoutMs);
    const timer = setTimeout(() => this.kill(), timeoutMs);
    await this.exited;
    clearTimeout(timer);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
