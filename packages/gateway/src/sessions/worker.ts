import type { ChildProcess } from 'node:child_process';
import type { WorkerEvent, WorkerOperationName, WorkerOptions } from '@chat-web/protocol';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { WorkerLink } from './worker-link.ts';
import { exitOf, forkWorker } from './worker-process.ts';

/** A running worker: its process and the link to it. */
export class Worker {
  /** Resolves when the process is gone and every call has failed, with how it went. */
  readonly exited: Promise<string>;
  readonly #child: ChildProcess;
  readonly #link: WorkerLink;

  constructor(env: Config['workerEnv'], options: WorkerOptions, log: Log, onEvent: (event: WorkerEvent) => void) {
    this.#child = forkWorker(env, log);
    this.#link = new WorkerLink(this.#child, options, log, onEvent);
    this.exited = exitOf(this.#child).then((how) => {
      this.#link.close(`exited (${how})`);
      return how;
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  call(operation: WorkerOperationName, input: unknown): Promise<unknown> {
    return this.#link.call(operation, input);
  }

  /** Asks it to end, and kills it if it has not by then. */
  async stop(unlink: boolean, timeoutMs: number): Promise<void> {
    this.#link.stop(unlink);
    const timer = setTimeout(() => this.kill(), timeoutMs);
    await this.exited;
    clearTimeout(timer);
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
