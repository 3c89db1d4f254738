import { errorText, type WorkerEvent, type WorkerOperationName } from '@chat-web/protocol';
import type { Log } from '../log.ts';
import { endBrowsersOn, freeProfile } from './browser-sweep.ts';
import type { SessionContext } from './session-context.ts';
import type { Release } from './start-queue.ts';
import { Worker } from './worker.ts';

/** Told of what happens in a run. Nothing is told any more after `end`. */
export interface RunListener {
  onEvent(event: WorkerEvent): void;
  /** The worker has ended unasked; its calls have failed. `retry`: another run may fare better. */
  onCrash(reason: string, retry: boolean): void;
}

const SLOT_TIMEOUT_MS = 60_000;
const AUTHENTICATED_TO_READY_MS = 120_000;

/** One incarnation of a session, from its place in the start queue to the exit of its worker. */
export class Run {
  readonly #id: string;
  readonly #context: SessionContext;
  readonly #log: Log;
  readonly #listener: RunListener;
  readonly #ended = new AbortController();
  #worker: Worker | undefined;
  #releaseSlot: Release | undefined;
  #deadline: NodeJS.Timeout | undefined;
  #slotTimer: NodeJS.Timeout | undefined;
  #failure: { readonly reason: string; readonly retry: boolean } | undefined;

  constructor(id: string, context: SessionContext, log: Log, listener: RunListener) {
    this.#id = id;
    this.#context = context;
    this.#log = log;
    this.#listener = listener;
  }

  /** Waits for a slot, runs the worker, and resolves at its end. Never rejects. */
  async start(): Promise<void> {
    try {
      this.#releaseSlot = await this.#context.startQueue.acquire(this.#ended.signal);
    } catch {
      return; // Ended while it waited.
    }
    try {
      await freeProfile(this.#context.saved.profileOf(this.#id));
      const spoolDir = await this.#context.spool.folderFor(this.#id);
      if (this.#ended.signal.aborted) return; // Ended while this was prepared: from here on there is a worker to end.
      this.#onExit(await this.#startWorker(spoolDir).exited);
    } catch (error) {
      this.#onExit(`not started: ${errorText(error)}`);
    } finally {
      this.#release();
    }
  }

  call(operation: WorkerOperationName, input: unknown): Promise<unknown> | undefined {
    return this.#worker?.call(operation, input);
  }

  /** Ends whatever runs or waits to run; resolves when the worker and its browser are gone. */
  async end(unlink: boolean, timeoutMs: number): Promise<void> {
    this.#ended.abort();
    this.#release();
    await this.#worker?.stop(unlink, timeoutMs);
    await endBrowsersOn(this.#context.saved.profileOf(this.#id));
  }

  #startWorker(spoolDir: string): Worker {
    const { saved, config } = this.#context;
    const options = {
      sessionId: this.#id,
      sessionDir: saved.dirOf(this.#id),
      browserPath: config.browserPath,
      browserArgs: [...config.browserArgs],
      spoolDir,
      fetchLimits: {
        allowedHosts: [...config.mediaHosts],
        maxBytes: config.mediaMaxBytes,
        timeoutMs: config.mediaTimeoutMs,
      },
    };
    const worker = new Worker(config.workerEnv, options, this.#log, (event) => this.#onEvent(event));
    this.#worker = worker;
    this.#log.info({ pid: worker.pid }, 'worker started');
    this.#slotTimer = setTimeout(() => this.#releaseSlot?.(), SLOT_TIMEOUT_MS);
    this.#setDeadline(config.startTimeoutMs, 'the start');
    return worker;
  }

  #onEvent(event: WorkerEvent): void {
    if (this.#ended.signal.aborted) return;
    if (event.name === 'failed') this.#failure = event;
    // A start with saved auth still has its first deadline; one that showed a QR has none any more.
    else if (event.name === 'authenticating' && !this.#deadline) {
      this.#setDeadline(AUTHENTICATED_TO_READY_MS, 'coming up after the login');
    } else if (event.name === 'qr' || event.name === 'ready') this.#release();
    this.#listener.onEvent(event);
  }

  #onExit(how: string): void {
    if (this.#ended.signal.aborted) return;
    const { reason, retry } = this.#failure ?? { reason: `its worker exited (${how})`, retry: true };
    this.#listener.onCrash(reason, retry);
  }

  #release(): void {
    clearTimeout(this.#deadline);
    clearTimeout(this.#slotTimer);
    this.#deadline = undefined;
    this.#releaseSlot?.();
  }

  #setDeadline(timeoutMs: number, what: string): void {
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => {
      this.#failure = { reason: `${what} took longer than ${timeoutMs / 1_000} s`, retry: true };
      this.#worker?.kill();
    }, timeoutMs);
  }
}
