import type { ChildProcess } from 'node:child_process';
import {
  changesSomething,
  GatewayError,
  type GatewayMessage,
  SendQueue,
  type WorkerEvent,
  type WorkerMessage,
  type WorkerOperationName,
  type WorkerOptions,
  workerMessage,
  workerOperations,
} from '@chat-web/protocol';
import * as v from 'valibot';
import type { Log } from '../log.ts';

interface PendingCall {
  readonly operation: WorkerOperationName;
  readonly timer: NodeJS.Timeout;
  resolve(answer: unknown): void;
  reject(error: GatewayError): void;
}

/** Told of what comes from the worker. */
export interface LinkListener {
  onEvent(event: WorkerEvent): void;
  /** Any message at all, heartbeats among them. */
  onWord(): void;
}

/** The gateway's end of the IPC channel to one worker: calls with their time limits, and events. */
export class WorkerLink {
  readonly #sessionId: string;
  readonly #log: Log;
  readonly #listener: LinkListener;
  readonly #queue: SendQueue<GatewayMessage>;
  readonly #pending = new Map<number, PendingCall>();
  #lastCallId = 0;
  #options: WorkerOptions | undefined;
  #closedBy: string | undefined;

  constructor(child: ChildProcess, options: WorkerOptions, log: Log, listener: LinkListener) {
    this.#sessionId = options.sessionId;
    this.#options = options;
    this.#log = log;
    this.#listener = listener;
    this.#queue = new SendQueue((message, written) => {
      if (child.connected) child.send(message, () => written());
    });
    child.on('message', (raw) => this.#receive(raw));
    child.on('error', (error) => log.warn({ err: error }, 'channel to the worker failed'));
  }

  /** How many calls have no answer yet. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Has the worker run an operation whose input has been parsed. Rejects when it dies or the time is up. */
  call(operation: WorkerOperationName, input: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#closedBy) {
        reject(this.#lost(operation, this.#closedBy));
        return;
      }
      const callId = ++this.#lastCallId;
      const { timeoutMs } = workerOperations[operation];
      const timer = setTimeout(() => {
        this.#pending.delete(callId);
        reject(this.#lost(operation, `did not answer within ${timeoutMs / 1_000} s`));
      }, timeoutMs);
      this.#pending.set(callId, { operation, timer, resolve, reject });
      this.#queue.send({ type: 'call', callId, operation, input });
    });
  }

  /** Asks the worker to end. */
  stop(unlink: boolean, timeoutMs: number): void {
    this.#options = undefined; // A worker that has not booted yet is not started any more.
    this.#queue.send({ type: 'stop', unlink, timeoutMs });
  }

  /** The worker is gone. */
  close(how: string): void {
    this.#queue.close();
    this.fail(how);
  }

  /** Every call that waits fails with the reason, and so does every later one. */
  fail(how: string): void {
    this.#closedBy ??= how;
    for (const { operation, timer, reject } of this.#pending.values()) {
      clearTimeout(timer);
      reject(this.#lost(operation, how));
    }
    this.#pending.clear();
  }

  #receive(raw: unknown): void {
    const parsed = v.safeParse(workerMessage, raw);
    this.#listener.onWord();
    if (parsed.success) this.#handle(parsed.output);
    else
      this.#log.error(
        { fields: parsed.issues.map((issue) => v.getDotPath(issue)) },
        'a message of the worker is not one',
      );
  }

  #handle(message: WorkerMessage): void {
    switch (message.type) {
      case 'booted':
        if (this.#options) this.#queue.send({ type: 'start', options: this.#options });
        return;
      case 'heartbeat':
        return;
      case 'event':
        this.#listener.onEvent(message.event);
        return;
      case 'log':
        this.#log[message.level](message.text);
        return;
      case 'answer':
        this.#settle(message.callId)?.resolve(message.answer);
        return;
      case 'error':
        this.#settle(message.callId)?.reject(new GatewayError(message.code, message.message, message.issues));
    }
  }

  #settle(callId: number): PendingCall | undefined {
    const call = this.#pending.get(callId); // None: its time was up before the answer came.
    if (!call) return undefined;
    this.#pending.delete(callId);
    clearTimeout(call.timer);
    return call;
  }

  #lost(operation: WorkerOperationName, how: string): GatewayError {
    const code = changesSomething(workerOperations[operation]) ? 'outcome_unknown' : 'session_lost';
    return new GatewayError(code, `worker of session ${this.#sessionId} ${how} during ${operation}`);
  }
}
