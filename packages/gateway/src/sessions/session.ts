import { type AnswerOf, GatewayError, type WorkerOperationName } from '@chat-web/protocol';
import { Deadlines } from './deadlines.ts';
import { EventHub, type Subscriber } from './event-hub.ts';
import type { Failure } from './failure.ts';
import { Lock } from './lock.ts';
import { RunKeeper } from './run-keeper.ts';
import { SessionCare } from './session-care.ts';
import type { SessionContext } from './session-context.ts';
import { replaceRun, type SessionParts, STOP_TIMEOUT_MS } from './session-parts.ts';
import { isRunning, type SessionState } from './session-state.ts';
import { SessionStatus } from './session-status.ts';
import { type PageView, Vitals } from './vitals.ts';

/** How a session is ended on purpose. */
interface Ending {
  readonly timeoutMs?: number;
  /** Told to the streams where nobody asked for it. */
  readonly reason?: string;
  /** Its auth goes too, and the phone is told if it can be. */
  readonly unlink?: boolean;
}

/** One session, running or not: its state, its present run, and its streams, which outlive both. */
export class Session {
  readonly #parts: SessionParts;

  constructor(id: string, context: SessionContext) {
    const log = context.log.child({ session: id });
    const hub = new EventHub(context.streamCount);
    const keeper: RunKeeper = new RunKeeper(id, context, log, {
      onStart: () => this.vitals.runBegins(),
      onEvent: (event) => care.onEvent(event),
      onFailure: (failure) => care.onFailure(failure),
    });
    const deadlines = new Deadlines(context.config, {
      onQrUnscanned: () => care.inBackground(() => this.#endUnscanned()),
      onNotReconnected: (reason) => this.fail({ cause: 'connection_lost', reason, retry: true }),
      onTakeOver: () => care.onTakeOver(),
    });
    const status = new SessionStatus(log, {
      onEvent: (event) => hub.publish(event),
      onState: (state) => deadlines.onState(state),
    });
    this.#parts = { id, context, log, hub, lock: new Lock(), status, deadlines, keeper, vitals: new Vitals() };
    const care = new SessionCare(this.#parts);
  }

  get id(): string {
    return this.#parts.id;
  }

  /** What an operator sees beside the state. */
  get vitals(): Vitals {
    return this.#parts.vitals;
  }

  get state(): SessionState {
    return this.#parts.status.state;
  }

  /** When the status last changed. */
  get since(): Date {
    return this.#parts.status.since;
  }

  /** Known to the API: something runs for it, or it has saved auth, or it has failed and can tell why. */
  get isKnown(): boolean {
    return this.state.status !== 'stopped' || this.#parts.context.saved.has(this.id);
  }

  /** True when nothing would be lost by dropping this object. */
  get isForgettable(): boolean {
    return !this.isKnown && !this.#parts.lock.isHeld && this.#parts.hub.streams === 0;
  }

  /** True while the books are in order: what should run has a run, waits for its time, or is being seen to. */
  get isSound(): boolean {
    const { lock, keeper } = this.#parts;
    return !isRunning(this.state) || lock.isHeld || keeper.run !== undefined || keeper.nextAttemptAt !== undefined;
  }

  /** When it will be tried again, while it waits for that. */
  get nextAttemptAt(): Date | undefined {
    return this.#parts.keeper.nextAttemptAt;
  }

  /** The worker's process, while it is of use. */
  get workerPid(): number | undefined {
    const { run } = this.#parts.keeper;
    return run?.isUp ? run.workerPid : undefined;
  }

  /** The page that it runs on; undefined before that has been looked at, and where nothing runs. */
  get page(): PageView | undefined {
    return this.workerPid === undefined ? undefined : this.vitals.page;
  }

  /** How many calls are under way. */
  get pending(): number {
    return this.#parts.keeper.run?.pending ?? 0;
  }

  /** How many event streams are open. */
  get streams(): number {
    return this.#parts.hub.streams;
  }

  /**
   * Starts the session unless it runs. Returns at once; `settled` tells when it is up. `byHand`: somebody waits for it,
   * and hears of it (503) where the host is short of something.
   */
  start(byHand: boolean): Promise<void> {
    return this.#parts.lock.run(async () => {
      if (isRunning(this.state)) return;
      const shortage = byHand ? await this.#shortage() : undefined;
      if (shortage) throw new GatewayError('insufficient_resources', shortage);
      await this.#parts.keeper.end(false, STOP_TIMEOUT_MS); // What a failed session may have left.
      this.#parts.keeper.forgive();
      this.#parts.status.apply({ type: 'start' });
      await this.#parts.keeper.start(byHand);
    });
  }

  /**
   * Ends what runs, gracefully, and starts it anew at once: waits and records of failures are void. 503 where the host
   * is short of something: what runs goes on, then.
   */
  restart(): Promise<void> {
    return this.#parts.lock.run(async () => {
      const shortage = await this.#shortage();
      if (shortage) throw new GatewayError('insufficient_resources', shortage);
      this.#parts.keeper.forgive();
      this.#parts.deadlines.forgetQr();
      await replaceRun(this.#parts, 'requested');
    });
  }

  /** Starts anew to give memory back. False where it did not: something has begun meanwhile, or the host is short. */
  recycle(): Promise<boolean> {
    return this.#parts.lock.run(async () => {
      const isWanted = this.state.status === 'ready' && this.pending === 0;
      if (!isWanted || (await this.#shortage())) return false;
      await replaceRun(this.#parts, 'recycled');
      return true;
    });
  }

  /** Ends the present run as one that has failed. */
  fail(failure: Failure): void {
    this.#parts.keeper.run?.fail(failure);
  }

  /** Waits until the session is neither starting nor being brought back, or an attempt has failed, or the time is up. */
  settled(timeoutMs: number): Promise<void> {
    return this.#leaves(['starting', 'disconnected'], timeoutMs);
  }

  /** Waits until the session is up, or an attempt has failed, or the time is up. */
  up(timeoutMs: number): Promise<void> {
    return this.#leaves(['starting', 'disconnected', 'authenticating'], timeoutMs);
  }

  #leaves(statuses: readonly SessionState['status'][], timeoutMs: number): Promise<void> {
    const hasLeft = () => !statuses.includes(this.state.status) || this.nextAttemptAt !== undefined;
    return this.#parts.status.until(hasLeft, timeoutMs);
  }

  /** Stops the session and keeps its auth; one that never was ready leaves nothing behind. */
  stop(timeoutMs = STOP_TIMEOUT_MS): Promise<void> {
    return this.#parts.lock.run(() => this.#end({ timeoutMs }));
  }

  /** Unlinks the session from the phone if it is ready, stops it, wipes its auth and ends its streams. */
  remove(): Promise<void> {
    return this.#parts.lock.run(async () => {
      await this.#end({ unlink: true });
      this.#parts.hub.endAll('the session was deleted');
    });
  }

  /** What a call is refused with (409); undefined while the session is ready. */
  get refusal(): GatewayError | undefined {
    return this.state.status === 'ready' ? undefined : this.#notReady();
  }

  /** Has the worker run an operation. 409 unless the session is ready. */
  async call<N extends WorkerOperationName>(operation: N, input: unknown): Promise<AnswerOf<N>> {
    const answer = this.refusal ? undefined : this.#parts.keeper.run?.call(operation, input);
    if (!answer) throw this.#notReady();
    this.vitals.active();
    return (await answer.finally(() => this.vitals.active())) as AnswerOf<N>; // The link has checked it against the row.
  }

  #notReady(): GatewayError {
    return new GatewayError('session_not_ready', `session ${this.id} is not ready (it is ${this.state.status})`);
  }

  /** Opens a stream of the session's events, beginning with the QR if one is to be scanned. Returns what closes it. */
  subscribe(subscriber: Subscriber): () => void {
    return this.#parts.hub.subscribe(
      subscriber,
      this.state.status === 'qr' ? [{ name: 'qr', data: this.state.qr }] : [],
    );
  }

  /** Ends the streams, telling why in a comment. */
  endStreams(why: string): void {
    this.#parts.hub.endAll(why);
  }

  /** What is short for one more browser in the place of the present one, if there is one. */
  #shortage(): Promise<string | undefined> {
    const { workerBytes = 0, browserBytes = 0 } = this.vitals.memory ?? {};
    return this.#parts.context.resources.shortage(workerBytes + browserBytes);
  }

  /** Unless somebody has scanned the QR while this waited for its turn. */
  async #endUnscanned(): Promise<void> {
    if (this.state.status === 'qr' || this.state.status === 'starting') await this.#end({ reason: 'QR_TIMEOUT' });
  }

  async #end({ timeoutMs = STOP_TIMEOUT_MS, reason, unlink = false }: Ending): Promise<void> {
    const wasReady = this.state.status === 'ready';
    this.#parts.status.apply({ type: 'stop', reason }); // At once: from here on it takes no calls.
    this.#parts.context.hostFault.ended(this.id);
    this.#parts.keeper.forgive();
    await this.#parts.keeper.end(unlink && wasReady, timeoutMs);
    if (unlink || !this.#parts.context.saved.has(this.id)) await this.#parts.keeper.wipe();
  }
}
