import {
  changesSomething,
  cutText,
  type ErrorCode,
  GatewayError,
  type GatewayMessage,
  KB,
  type Operation,
  type SendAttempt,
  type WorkerEvent,
  type WorkerMessage,
  type WorkerOperationName,
  workerMessage,
  workerOperations,
} from '@chat-web/protocol';
import * as v from 'valibot';
import { afterChange } from '../after-change.ts';
import { AT_FIRST_FAULT } from '../at-first-fault.ts';
import { Budget } from '../budget.ts';
import { LineBudget } from '../line-budget.ts';
import { type Log, withoutNumbers } from '../log.ts';
import { LongList, MAX_LISTED_BYTES } from '../long-list.ts';
import { type ChannelSockets, WorkerChannel } from './worker-channel.ts';

interface PendingCall {
  readonly operation: WorkerOperationName;
  readonly timer: NodeJS.Timeout;
  /** The message that was handed to the network, or is about to be. */
  sendingId: string | undefined;
  /** The first parts of a long list. */
  rows: LongList | undefined;
  resolve(answer: unknown): void;
  reject(error: GatewayError): void;
}

export interface LinkListener {
  onEvent(event: WorkerEvent): void;
  /** Any message, heartbeats included. */
  onMessage(): void;
  /** The worker broke a rule of the channel, which is closed: a clause that names the violation. */
  onBroken(did: string): void;
}

type WorkerError = Extract<WorkerMessage, { type: 'error' }>;
type WorkerRows = Extract<WorkerMessage, { type: 'rows' }>;
type WorkerSending = Extract<WorkerMessage, { type: 'sending' }>;
type WorkerLog = Extract<WorkerMessage, { type: 'log' }>;

const WORKER_ERRORS = new Set<ErrorCode>([
  ...Object.values(workerOperations).flatMap(({ errors }) => errors),
  'page_unsupported',
  'rate_limited',
  'invalid_request',
  'internal_error',
]);

/** What a change of state costs: it is published, logged, and may be written to disk. */
const STATE_COST = 500;
const LOG_BUDGET = { burst: 500, perSecond: 20 };
const MAX_CALLS = 1_000;
const WHOLE = '(whole)';
const MAX_FIELD_LENGTH = 60;
/** As frequent as the network's traffic; not logged. */
const TRAFFIC = new Set<WorkerEvent['name']>([
  'message',
  'message_ack',
  'account_event',
  'own_message',
  'progress',
  'delivered',
]);

/** The gateway's end of the link to one worker: calls with their time limits, and events, all validated. */
export class WorkerLink {
  readonly #sessionId: string;
  readonly #log: Log;
  readonly #listener: LinkListener;
  readonly #channel: WorkerChannel;
  readonly #pending = new Map<number, PendingCall>();
  readonly #lines: LineBudget;
  #lastCallId = 0;
  #closedBy: string | undefined;

  constructor(sockets: ChannelSockets, sessionId: string, log: Log, listener: LinkListener) {
    this.#sessionId = sessionId;
    this.#log = log;
    this.#listener = listener;
    const budget = new Budget(LOG_BUDGET);
    this.#lines = new LineBudget(() => budget.take(1));
    this.#channel = new WorkerChannel(sockets, log, {
      onMessage: (raw, bytes) => this.#receive(raw, bytes),
      onBroken: (did) => listener.onBroken(did),
    });
  }

  /** Resolves when the worker's last message has been read. */
  get ended(): Promise<void> {
    return this.#channel.ended;
  }

  /** The worker has exited: reads its last messages at once. */
  readRestAtOnce(): void {
    this.#channel.readRestAtOnce();
  }

  get pending(): number {
    return this.#pending.size;
  }

  /** Has the worker run an operation with validated input. Rejects if it exits or the time is up. */
  call(operation: WorkerOperationName, input: unknown, attempt?: SendAttempt): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#closedBy) {
        reject(this.#lost({ operation }, this.#closedBy));
        return;
      }
      const callId = this.#lastCallId + 1;
      if (this.pending >= MAX_CALLS || !this.#channel.send({ type: 'call', callId, operation, input, attempt })) {
        reject(new GatewayError('rate_limited', `too many calls wait for the worker of session ${this.#sessionId}`));
        return;
      }
      this.#lastCallId = callId;
      const { timeoutMs } = workerOperations[operation];
      const timer = setTimeout(() => {
        this.#pending.delete(callId);
        reject(this.#lost(call, `did not respond within ${timeoutMs / 1_000} s`));
      }, timeoutMs);
      const call: PendingCall = { operation, timer, sendingId: undefined, rows: undefined, resolve, reject };
      this.#pending.set(callId, call);
    });
  }

  /** Sends a message without an answer. `start` must be the first, and sent once: the worker starts its browser on it. */
  send(message: Exclude<GatewayMessage, { type: 'call' }>): void {
    this.#channel.send(message);
  }

  close(how: string): void {
    this.#channel.close();
    this.#logDroppedLines(this.#lines.drain());
    this.fail(how);
  }

  /** Fails every pending call, and every later one, with this reason. */
  fail(how: string): void {
    this.#closedBy ??= how;
    for (const call of this.#pending.values()) {
      clearTimeout(call.timer);
      call.reject(this.#lost(call, how));
    }
    this.#pending.clear();
  }

  /** Returns the cost of the message: 0 if it answers a call. */
  #receive(raw: unknown, bytes: number): number {
    const parsed = v.safeParse(workerMessage, raw, AT_FIRST_FAULT);
    this.#listener.onMessage();
    const cost = 1 + bytes / KB;
    if (parsed.success) return this.#handle(parsed.output) ?? cost;
    if (this.#mayLog()) this.#log.error({ field: fieldOf(parsed.issues[0]) }, 'invalid IPC message');
    return cost;
  }

  #handle(message: WorkerMessage): number | undefined {
    switch (message.type) {
      case 'heartbeat':
        return undefined;
      case 'event':
        this.#listener.onEvent(message.event);
        return TRAFFIC.has(message.event.name) ? undefined : STATE_COST;
      case 'log':
        if (this.#mayLog()) this.#write(message);
        return undefined;
      case 'answer':
        return this.#settle(message.callId, (call) => this.#answer(call, message.answer));
      case 'rows':
        return this.#addRows(message);
      case 'sending':
        return this.#noteSending(message);
      case 'error':
        return this.#settle(message.callId, (call) => this.#refuse(call, message));
    }
  }

  /** Our worker validates its answer, but a compromised one may not. */
  #answer(call: PendingCall, answer: unknown): void {
    const parsed = v.safeParse(workerOperations[call.operation].answer as v.GenericSchema, answer, AT_FIRST_FAULT);
    if (!parsed.success) this.#rejectInvalid(call, fieldOf(parsed.issues[0]));
    else if (!call.rows) call.resolve(parsed.output);
    else if (call.rows.add(parsed.output as unknown[])) call.resolve(call.rows);
    else this.#rejectInvalid(call);
  }

  /** Returns 0 for a pending call. One whose answer has no rows fails: a part of it would be missing. */
  #addRows({ callId, rows }: WorkerRows): 0 | undefined {
    const call = this.#pending.get(callId);
    if (!call) return undefined;
    const { row }: Operation = workerOperations[call.operation];
    if (!row) return this.#settle(callId, () => this.#rejectInvalid(call));
    const parsed = v.safeParse(v.array(row), rows, AT_FIRST_FAULT);
    call.rows ??= new LongList();
    if (parsed.success && call.rows.add(parsed.output) && this.#listedBytes() <= MAX_LISTED_BYTES) return 0;
    const field = parsed.success ? undefined : fieldOf(parsed.issues[0]);
    return this.#settle(callId, () => this.#rejectInvalid(call, field));
  }

  /** What the unfinished lists of all calls take. */
  #listedBytes(): number {
    return [...this.#pending.values()].reduce((total, { rows }) => total + (rows?.length ?? 0), 0);
  }

  #rejectInvalid({ operation, sendingId: id, reject }: PendingCall, field = WHOLE): void {
    if (this.#mayLog()) this.#log.error({ operation, field }, 'invalid response');
    reject(
      new GatewayError(
        failureOf(operation),
        `the worker of session ${this.#sessionId} returned an invalid response to ${operation}`,
        { id },
      ),
    );
  }

  /**
   * Codes that only the gateway may use, such as `unauthorized`, are replaced. The page may have made one of several
   * changes before, whatever the code says.
   */
  #refuse({ operation, sendingId, reject }: PendingCall, refusal: WorkerError): void {
    const { code, message, issues, retryAfterSeconds, id = sendingId } = refusal;
    const known = WORKER_ERRORS.has(code) ? code : failureOf(operation);
    const error = new GatewayError(known, message, { issues, retryAfterSeconds, id });
    afterChange(error);
    reject(error);
  }

  /** Returns 0 the first time for a pending call. */
  #noteSending({ callId, id }: WorkerSending): 0 | undefined {
    const call = this.#pending.get(callId);
    if (!call || call.sendingId !== undefined) return undefined;
    call.sendingId = id;
    return 0;
  }

  /** Returns 0 for a pending call; undefined if it timed out before, or never existed. */
  #settle(callId: number, settle: (call: PendingCall) => void): 0 | undefined {
    const call = this.#pending.get(callId);
    if (!call) return undefined;
    this.#pending.delete(callId);
    clearTimeout(call.timer);
    settle(call);
    return 0;
  }

  /** Errors of a page may contain ids of people. */
  #write({ level, event, fields = {} }: WorkerLog): void {
    const safe = Object.entries(fields).map(([key, value]) => [
      key,
      typeof value === 'string' ? withoutNumbers(value) : value,
    ]);
    this.#log[level]({ ...Object.fromEntries(safe), source: 'worker' }, withoutNumbers(event));
  }

  #mayLog(): boolean {
    const skipped = this.#lines.take();
    this.#logDroppedLines(skipped ?? 0);
    return skipped !== undefined;
  }

  #logDroppedLines(lines: number): void {
    if (lines > 0) this.#log.warn({ lines }, 'worker log lines dropped');
  }

  #lost({ operation, sendingId }: Pick<PendingCall, 'operation'> & Partial<PendingCall>, how: string): GatewayError {
    const code = changesSomething(workerOperations[operation]) ? 'outcome_unknown' : 'session_lost';
    const details = { id: sendingId };
    return new GatewayError(code, `worker of session ${this.#sessionId} ${how} during ${operation}`, details);
  }
}

/** The place of an issue, for the log. A name in it may be the worker's, of any length. */
function fieldOf(issue: v.BaseIssue<unknown>): string {
  return withoutNumbers(cutText(v.getDotPath(issue) ?? WHOLE, MAX_FIELD_LENGTH));
}

function failureOf(operation: WorkerOperationName): ErrorCode {
  return changesSomething(workerOperations[operation]) ? 'outcome_unknown' : 'client_failed';
}
