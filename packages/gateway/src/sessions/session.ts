import { setTimeout as delay } from 'node:timers/promises';
import {
  type AnswerOf,
  errorText,
  GatewayError,
  type SessionInfo,
  type WorkerEvent,
  type WorkerOperationName,
} from '@chat-web/protocol';
import type { Log } from '../log.ts';
import { EventHub, type Subscriber } from './event-hub.ts';
import { Lock } from './lock.ts';
import { RECOVERED_AFTER_MS, restartDelay } from './restart-policy.ts';
import { Run } from './run.ts';
import type { SessionContext } from './session-context.ts';
import { eventsOf, isRunning, next, type SessionState, type StateEvent } from './session-state.ts';

const STOP_TIMEOUT_MS = 10_000;

/** One session, running or not: its state, its present run, and its streams, which outlive both. */
export class Session {
  readonly id: string;
  readonly #context: SessionContext;
  readonly #log: Log;
  readonly #hub: EventHub;
  /** Starts and stops wait for each other, so that they cannot overlap. */
  readonly #lock = new Lock();
  readonly #watchers = new Set<() => void>();
  #state: SessionState = { status: 'stopped' };
  #since = new Date();
  #run: Run | undefined;
  #restart: NodeJS.Timeout | undefined;
  #failures: number[] = [];
  #recovered: NodeJS.Timeout | undefined;

  constructor(id: string, context: SessionContext) {
    this.id = id;
    this.#context = context;
    this.#log = context.log.child({ session: id });
    this.#hub = new EventHub(context.streamCount);
  }

  get state(): SessionState {
    return this.#state;
  }

  /** When the status last changed. */
  get since(): Date {
    return this.#since;
  }

  /** Known to the API: something runs for it, or it has saved auth, or it has failed and can tell why. */
  get isKnown(): boolean {
    return this.#state.status !== 'stopped' || this.#context.saved.has(this.id);
  }

  /** True when nothing would be lost by dropping this object. */
  get isForgettable(): boolean {
    return !this.isKnown && !this.#lock.isHeld && this.#hub.streams === 0;
  }

  /** Starts the session unless it runs. Returns at once; `settled` tells when it is up. */
  start(): Promise<void> {
    return this.#lock.run(async () => {
      if (isRunning(this.#state)) return;
      await this.#endRun(false, STOP_TIMEOUT_MS); // What a failed session may have left.
      this.#failures = [];
      this.#apply({ type: 'start' });
      this.#startRun();
    });
  }

  /** Waits until the session is neither starting nor being brought back, or the time is up. */
  async settled(timeoutMs: number): Promise<void> {
    const over = new AbortController();
    await new Promise<void>((resolve) => {
      const look = () => {
        if (this.#state.status === 'starting' || this.#state.status === 'disconnected') return;
        resolve();
      };
      this.#watchers.add(look);
      over.signal.addEventListener('abort', () => this.#watchers.delete(look));
      look();
      delay(timeoutMs, undefined, { signal: over.signal }).then(resolve, () => {});
    });
    over.abort();
  }

  /** Stops the session and keeps its auth; one that never was ready leaves nothing behind. */
  stop(timeoutMs = STOP_TIMEOUT_MS): Promise<void> {
    return this.#lock.run(async () => {
      this.#apply({ type: 'stop' }); // At once: from here on it takes no calls.
      await this.#endRun(false, timeoutMs);
      if (!this.#context.saved.has(this.id)) await this.#context.saved.wipe(this.id);
    });
  }

  /** Unlinks the session from the phone if it is ready, stops it, wipes its auth and ends its streams. */
  remove(): Promise<void> {
    return this.#lock.run(async () => {
      const wasReady = this.#state.status === 'ready';
      this.#apply({ type: 'stop' });
      await this.#endRun(wasReady, STOP_TIMEOUT_MS);
      await this.#context.saved.wipe(this.id);
      this.#hub.endAll('the session was deleted');
    });
  }

  /** Has the worker run an operation. 409 unless the session is ready. */
  async call<N extends WorkerOperationName>(operation: N, input: unknown): Promise<AnswerOf<N>> {
    const answer = this.#state.status === 'ready' ? this.#run?.call(operation, input) : undefined;
    if (!answer) {
      throw new GatewayError('session_not_ready', `session ${this.id} is not ready (it is ${this.#state.status})`);
    }
    return (await answer) as AnswerOf<N>; // The worker has checked it against the row.
  }

  /** Opens a stream of the session's events, beginning with the QR if one is to be scanned. Returns what closes it. */
  subscribe(subscriber: Subscriber): () => void {
    return this.#hub.subscribe(subscriber, this.#state.status === 'qr' ? [{ name: 'qr', data: this.#state.qr }] : []);
  }

  /** Ends the streams, telling why in a comment. */
  endStreams(why: string): void {
    this.#hub.endAll(why);
  }

  #startRun(): void {
    const run: Run = new Run(this.id, this.#context, this.#log, {
      onEvent: (event) => this.#onEvent(event),
      onCrash: (reason, retry) => this.#onCrash(run, reason, retry),
    });
    this.#run = run;
    void run.start();
  }

  async #endRun(unlink: boolean, timeoutMs: number): Promise<void> {
    clearTimeout(this.#restart);
    const run = this.#run;
    this.#run = undefined;
    await run?.end(unlink, timeoutMs);
  }

  #onEvent(event: WorkerEvent): void {
    switch (event.name) {
      case 'message':
        this.#hub.publish({ name: 'message', data: event.message });
        return;
      case 'message_ack':
        this.#hub.publish({ name: 'message_ack', data: { id: event.id, ack: event.ack } });
        return;
      case 'qr':
        // A page that was linked and shows a QR has been unlinked while nobody looked.
        if (this.#context.saved.has(this.id)) this.#onUnlinked();
        else this.#apply({ type: 'qr', qr: event.qr });
        return;
      case 'authenticating':
        this.#apply({ type: 'authenticating' });
        return;
      case 'ready':
        this.#onReady(event.info);
        return;
      case 'connection_lost':
        this.#apply({ type: 'connection_lost', reason: event.reason });
        return;
      case 'unlinked':
        this.#onUnlinked();
        return;
      case 'failed': // Its run tells of it when the worker is gone.
    }
  }

  #onReady(info: SessionInfo): void {
    this.#apply({ type: 'ready', info });
    clearTimeout(this.#recovered);
    this.#recovered = setTimeout(() => {
      this.#failures = [];
    }, RECOVERED_AFTER_MS).unref();
    this.#context.saved
      .save(this.id, info)
      .catch((error: unknown) => this.#log.error({ err: error }, 'the saved-auth marker could not be written'));
  }

  /** The auth is worthless now: the browser ends first, then the profile goes, and a fresh QR is asked for. */
  #onUnlinked(): void {
    const run = this.#run;
    this.#apply({ type: 'unlinked' });
    this.#inBackground(async () => {
      if (!run || this.#run !== run) return; // Stopped or deleted meanwhile.
      await this.#endRun(false, STOP_TIMEOUT_MS);
      await this.#context.saved.wipe(this.id);
      this.#startRun();
    });
  }

  #onCrash(run: Run, reason: string, retry: boolean): void {
    clearTimeout(this.#recovered);
    this.#failures.push(Date.now());
    this.#apply({ type: 'crashed', reason });
    this.#inBackground(async () => {
      if (this.#run !== run) return; // Stopped or deleted meanwhile.
      await this.#endRun(false, STOP_TIMEOUT_MS);
      if (!retry) {
        this.#apply({ type: 'gave_up', reason });
        return;
      }
      const restartInMs = restartDelay(this.#failures, Math.random);
      this.#log.warn({ reason, restartInMs }, 'restarting');
      this.#restart = setTimeout(() => this.#startRun(), restartInMs);
    });
  }

  /** Work under the lock that nobody waits for: what it fails with ends the session, never the gateway. */
  #inBackground(work: () => Promise<void>): void {
    this.#lock.run(work).catch((error: unknown) => {
      this.#log.error({ err: error }, 'the session could not be brought back');
      this.#apply({ type: 'gave_up', reason: errorText(error) });
    });
  }

  #apply(event: StateEvent): void {
    const before = this.#state;
    this.#state = next(before, event);
    if (this.#state === before) return;
    if (this.#state.status !== before.status) {
      this.#since = new Date();
      const reason = 'reason' in this.#state ? this.#state.reason : undefined;
      this.#log.info({ from: before.status, status: this.#state.status, reason }, 'status changed');
    }
    for (const event of eventsOf(before, this.#state)) this.#hub.publish(event);
    for (const look of [...this.#watchers]) look();
  }
}
