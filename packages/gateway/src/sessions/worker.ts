import type { ChildProcess } from 'node:child_process';
import {
  HEARTBEAT_INTERVAL_MS,
  type WorkerEvent,
  type WorkerOperationName,
  type WorkerOptions,
} from '@chat-web/protocol';
import type { Log } from '../log.ts';
import { SilenceWatch } from './silence-watch.ts';
import { WorkerLink } from './worker-link.ts';
import { exitOf, forkWorker, type WorkerEnv } from './worker-process.ts';

/** Told of what happens to a worker. */
export interface WorkerListener {
  onEvent(event: WorkerEvent): void;
  /** It runs, but has not been heard of for so long. */
  onSilent(forMs: number): void;
}

/** A running worker: its process and the link to it. */
export class Worker {
  /** Resolves when the process is gone and every call has failed, with how it went. */
  readonly exited: Promise<string>;
  readonly #child: ChildProcess;
  readonly #link: WorkerLink;

  constructor(env: WorkerEnv, options: WorkerOptions, log: Log, { onEvent, onSilent }: WorkerListener) {
    this.#child = forkWorker(env, log);
    const watch = new SilenceWatch({ intervalMs: HEARTBEAT_INTERVAL_MS, onSilent });
    this.#link = new WorkerLink(this.#child, options, log, { onEvent, onWord: () => watch.heard() });
    this.exited = exitOf(this.#child).then((how) => {
      watch.stop();
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
