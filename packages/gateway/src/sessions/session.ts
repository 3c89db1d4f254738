import {
  type AccountLimit,
  type AnswerOf,
  type Cause,
  causeText,
  errorText,
  GatewayError,
  type Metadata,
  type Reason,
  SECOND_MS,
  type SendAttempt,
  type SessionEvent,
  type SessionInfo,
  type SessionView,
  type WorkerEvent,
  type WorkerOperationName,
} from '@chat-web/protocol';
import type { Requester } from '../access/caller.ts';
import { afterChange } from '../after-change.ts';
import { memoryBytes } from '../host/memory.ts';
import { Lock } from '../lock.ts';
import { type Log, withoutNumbers } from '../log.ts';
import { Run, type RunEvent } from './run.ts';
import type { OtherSessions, SessionDependencies } from './session-dependencies.ts';
import type { AskedSettings, StoredSettings } from './session-settings.ts';
import {
  causeOf,
  type Effect,
  isBeingLinked,
  isRunning,
  newSession,
  next,
  type Phase,
  type Report,
  type RunFailure,
  type SessionState,
  STOP_TIMEOUT_MS,
  type StateEvent,
  statusOf,
  WAITS,
  wasMute,
} from './session-state.ts';
import { type PageView, SessionStats } from './session-stats.ts';
import { StatusEvents } from './status-events.ts';

/** What a start changes, besides starting. `takeBack`: also starts a session that was moved. */
export interface StartRequest extends AskedSettings {
  readonly takeBack?: boolean | undefined;
  readonly metadata?: Metadata | undefined;
}

/**
 * One session, running or not: its state, at most one run, and its streams, which outlive both.
 *
 * Every change of its state is an event of `next()`, which returns the next state and the effects. Requests and timers
 * wait for the lock (`#inTurn`); a report of the run changes the state at once, and its effects wait for the lock
 * (`#onReport`).
 */
export class Session {
  readonly id: string;
  readonly stats = new SessionStats();
  readonly #dependencies: SessionDependencies;
  readonly #others: OtherSessions;
  readonly #log: Log;
  /** Effects are executed one at a time: a start and a stop cannot overlap. */
  readonly #lock = new Lock();
  /** The key with which a start was requested last; undefined for the operator. */
  #startedWith: string | undefined;
  readonly #timers = new Map<(typeof WAITS)[number], NodeJS.Timeout>();
  readonly #watchers = new Set<() => void>();
  readonly #statusEvents: StatusEvents;
  #state: SessionState;
  /** Aborts archives that are being sent: the files that they are read from are about to change. */
  #exports = new AbortController();
  #run: Run | undefined;
  /** Counted since the gateway's start; identifies runs in the log. */
  #runs = 0;

  constructor(id: string, dependencies: SessionDependencies, others: OtherSessions) {
    this.id = id;
    this.#dependencies = dependencies;
    this.#others = others;
    this.#log = dependencies.log.child({ session: id });
    this.#state = newSession(new Date(), dependencies.saved.has(id) ? dependencies.lineages.movedAt(id) : undefined);
    this.#statusEvents = new StatusEvents(statusOf(this.#state), (data) => this.#publish({ name: 'status', data }));
  }

  // Its state.

  get state(): SessionState {
    return this.#state;
  }

  get phase(): Phase {
    return this.#state.phase;
  }

  /** True if it runs, has saved auth, or has failed. */
  get isKnown(): boolean {
    return this.phase.status !== 'stopped' || this.#dependencies.saved.has(this.id);
  }

  /** True if this object can be dropped without losing anything. */
  get isForgettable(): boolean {
    return !this.isKnown && !this.#lock.isHeld && this.streams === 0;
  }

  /** False if it should run, but neither has a run nor waits for its next attempt. */
  get isHealthy(): boolean {
    return !isRunning(this.phase) || this.#lock.isHeld || this.#run !== undefined || this.#state.retry !== undefined;
  }

  /** The worker's process, while it runs and has not failed. */
  get workerPid(): number | undefined {
    return this.#run?.isUp ? this.#run.workerPid : undefined;
  }

  /** The page of the run; undefined until it is checked, and while nothing runs. */
  get page(): PageView | undefined {
    return this.workerPid === undefined ? undefined : this.stats.page;
  }

  /** The network's limits on the account; undefined until the run has read them, and while nothing runs. */
  get limits(): readonly AccountLimit[] | undefined {
    return this.workerPid === undefined ? undefined : this.stats.limits;
  }

  /** Why its browser runs without Chromium's sandbox; undefined if it has one, and while nothing runs. */
  get unsandboxed(): string | undefined {
    return this.workerPid === undefined ? undefined : this.stats.unsandboxed;
  }

  get pending(): number {
    return this.#run?.pending ?? 0;
  }

  get streams(): number {
    return this.#dependencies.events.streams.countOf(this.id);
  }

  // Requests.

  /**
   * Starts the session unless it is running. Returns at once; `settled` resolves when it is up. `byHand`: a request
   * waits for it, and gets 503 if the host is short of a resource, or 409 if the session was moved. `asked`: what to
   * change, unless the start is refused.
   */
  start(
    byHand: boolean,
    { takeBack = false, metadata, ...asked }: StartRequest = {},
    by: Requester = {},
  ): Promise<void> {
    return this.#inTurnOf(by, async () => {
      const { settings } = this.#dependencies;
      const after = settings.after(this.id, asked);
      const isUp = isRunning(this.phase);
      const restarts = isUp && after !== undefined && this.#needsRestart(after);
      if (!isUp && byHand && !takeBack) this.#requireNotMoved();
      if ((!isUp && byHand) || restarts) await this.#requireResources();
      try {
        if (metadata) await this.setMetadata(metadata, by.keyId);
        if (after) await settings.set(this.id, after);
        if (restarts) await this.#inTurn({ name: 'restart', reason: 'REQUESTED' });
        if (isUp) return;
        if (this.phase.status === 'moved' && takeBack) await this.#takeBack();
        await this.#inTurn({ name: 'start', byHand });
      } catch (error) {
        throw afterChange(error);
      }
    });
  }

  /** A proxy is for the whole life of a browser. A name is registered when the page is ready to be linked. */
  #needsRestart({ proxy, deviceName }: StoredSettings): boolean {
    const before = this.#dependencies.settings.of(this.id);
    const isLinkable = this.phase.status === 'starting' || this.phase.status === 'qr';
    return proxy !== before.proxy || (deviceName !== before.deviceName && isLinkable);
  }

  /**
   * Ends the run gracefully, and starts another at once; resets waits and past failures. 503, without ending anything,
   * if the host is short of a resource.
   */
  restart(by: Requester = {}): Promise<void> {
    return this.#inTurnOf(by, async () => {
      this.#requireNotMoved();
      await this.#requireResources();
      await this.#inTurn({ name: 'restart', reason: 'REQUESTED' });
    });
  }

  /** Restarts to free memory. False if declined: the session is in use, or the host is short of a resource. */
  recycle(): Promise<boolean> {
    return this.#lock.run(async () => {
      if (await this.#shortage()) return false;
      const isIdle = this.phase.status === 'ready' && this.pending === 0;
      if (!isIdle) return false;
      await this.#inTurn({ name: 'restart', reason: 'RECYCLED' });
      return true;
    });
  }

  /** Stops the session and keeps its auth; a session that was never ready leaves nothing behind. */
  stop(timeoutMs = STOP_TIMEOUT_MS): Promise<void> {
    return this.#lock.run(() => this.#inTurn({ name: 'stop', unlink: false, timeoutMs }));
  }

  /** Stops the session for a caller: 409 if it was moved. */
  stopByHand(signal?: AbortSignal): Promise<void> {
    return this.#lock.run(async () => {
      this.#requireNotMoved();
      await this.#inTurn({ name: 'stop', unlink: false, timeoutMs: STOP_TIMEOUT_MS });
    }, signal);
  }

  /** Unlinks the session from the phone, wipes its auth, and starts it again. 409 unless it is ready. */
  logout(by: Requester = {}): Promise<void> {
    return this.#inTurnOf(by, async () => {
      if (this.phase.status !== 'ready') throw this.#notReady();
      await this.#inTurn({ name: 'logout' });
    });
  }

  /** Unlinks the session from the phone if it is ready, stops it, wipes its auth and ends its streams. */
  remove(signal?: AbortSignal): Promise<void> {
    return this.#lock.run(async () => {
      this.#abortExports();
      const { events, saved } = this.#dependencies;
      const wasMoved = this.phase.status === 'moved';
      try {
        await this.#inTurn({ name: 'stop', unlink: true, timeoutMs: STOP_TIMEOUT_MS });
        this.#statusEvents.forget();
        events.streams.endOf(this.id, 'the session was deleted');
        await events.forget(this.id);
        await this.#dependencies.settings.clear(this.id);
      } catch (error) {
        // Its folder is still here, and must not be started.
        if (wasMoved && saved.has(this.id)) await this.#inTurn({ name: 'moved' });
        throw afterChange(error);
      }
    }, signal);
  }

  /**
   * Stops the session for good, once `prepare` has resolved. `prepare` is called while nothing runs, even for a session
   * that has moved already, with a signal that aborts when the session's folder is about to change. If it rejects, the
   * session continues as before. 409 without saved auth.
   */
  moveOut<T>(prepare: (signal: AbortSignal) => Promise<T>, revoked?: AbortSignal): Promise<T> {
    return this.#lock.run(async () => {
      if (!this.#dependencies.saved.has(this.id))
        throw new GatewayError('session_not_exportable', `session ${this.id} has no saved auth: it is not linked`);
      if (this.phase.status === 'moved') return prepare(this.#exports.signal);
      const wasRunning = isRunning(this.phase);
      if (wasRunning) await this.#inTurn({ name: 'stop', unlink: false, timeoutMs: STOP_TIMEOUT_MS });
      try {
        const prepared = await prepare(this.#exports.signal);
        await this.#inTurn({ name: 'moved' });
        return prepared;
      } catch (error) {
        if (wasRunning) await this.#inTurn({ name: 'start', byHand: true });
        throw wasRunning ? afterChange(error) : error;
      }
    }, revoked);
  }

  /**
   * Starts the session from the folder that `place` installs while nothing runs, unless it was stopped (`starts`). 409 if
   * the session has saved auth, unless it was moved, or is being linked; 503 if the host is short of a resource.
   */
  moveIn(place: () => Promise<void>, by: Requester, starts = true): Promise<void> {
    return this.#inTurnOf(by, async () => {
      this.requireAbsent();
      await this.#requireResources();
      // It may be showing a QR. Without saved auth nothing is left.
      if (this.phase.status !== 'moved')
        await this.#inTurn({ name: 'stop', unlink: false, timeoutMs: STOP_TIMEOUT_MS });
      this.#abortExports();
      try {
        await place();
      } catch (error) {
        if (!this.#dependencies.saved.has(this.id)) await this.#inTurn({ name: 'arrived' }); // The moved copy is gone.
        throw afterChange(error);
      }
      await this.#inTurn({ name: 'arrived' });
      if (starts) await this.#inTurn({ name: 'start', byHand: true });
    });
  }

  /**
   * If the session was moved or placed, it may run here again, and starts if it is to: whether there is room is checked
   * by the start. Returns whether it was.
   */
  takeBack(starts: boolean): Promise<boolean> {
    return this.#lock.run(async () => {
      if (this.#dependencies.lineages.movedAt(this.id) === undefined) return false;
      await this.#takeBack();
      if (starts) await this.#inTurn({ name: 'start', byHand: false });
      return true;
    });
  }

  /** Removes the folder of a session that was moved. Its events stay. */
  discard(): Promise<void> {
    return this.#lock.run(async () => {
      if (this.#dependencies.lineages.movedAt(this.id) === undefined) return;
      this.#abortExports();
      this.#dependencies.events.streams.endOf(this.id, 'the session was moved to another host');
      await this.#dependencies.saved.wipe(this.id);
      await this.#inTurn({ name: 'arrived' });
      await this.#dependencies.lineages.gone(this.id);
    });
  }

  /** `session_exists` unless another copy of the session may arrive here. */
  requireAbsent(): void {
    const { status } = this.phase;
    const isKept = this.#dependencies.saved.has(this.id) && status !== 'moved';
    if (!isKept && !isBeingLinked(this.#state)) return;
    const what = isKept ? 'has saved auth here' : 'is being linked';
    throw new GatewayError('session_exists', `session ${this.id} ${what} (it is ${status}): delete it first`);
  }

  /** Kills its worker at once. */
  kill(): void {
    this.#run?.killWorker();
  }

  fail(cause: Cause): void {
    this.#run?.fail({ cause, retry: true });
  }

  /** Replaces what callers have noted on it. Rejects as `EventLog.setMetadata`. */
  setMetadata(metadata: Metadata, keyId: string | undefined): Promise<void> {
    return this.#dependencies.events.setMetadata(this.id, metadata, keyId);
  }

  get metadata(): Metadata | undefined {
    return this.#dependencies.metadata.of(this.id);
  }

  get settings(): Pick<SessionView, 'proxy' | 'deviceName'> {
    return this.#dependencies.settings.viewOf(this.id);
  }

  /** The account it is linked to. 409 unless the session is ready. */
  info(): SessionInfo {
    if (this.phase.status === 'ready') return this.phase.info;
    throw this.#notReady();
  }

  /**
   * The error that a call would get now: 409 unless the session is ready. A pairing code needs a session that is being
   * linked: otherwise 409 or 404.
   */
  refusalOf(operation: WorkerOperationName): GatewayError | undefined {
    const { status } = this.phase;
    if (operation !== 'requestPairingCode') return status === 'ready' ? undefined : this.#notReady();
    if (status === 'ready') return new GatewayError('already_linked', `session ${this.id} is linked: delete it first`);
    return status === 'qr' && !causeOf(this.phase) ? undefined : this.noQr;
  }

  async call<N extends WorkerOperationName>(operation: N, input: unknown, attempt?: SendAttempt): Promise<AnswerOf<N>> {
    const refusal = this.refusalOf(operation);
    const answer = refusal ? undefined : this.#run?.call(operation, input, attempt);
    if (!answer) throw refusal ?? this.#notReady();
    this.stats.active();
    return (await answer.finally(() => this.stats.active())) as AnswerOf<N>; // The link has validated it.
  }

  /** What to show for linking: a QR or a pairing code, if there is one. */
  get shown(): SessionEvent | undefined {
    if (this.phase.status !== 'qr') return undefined;
    const { qr, code } = this.phase;
    if (qr !== undefined) return { name: 'qr', data: qr };
    return code && Date.parse(code.expiresAt) > Date.now() ? { name: 'pairing_code', data: code } : undefined;
  }

  /** The number of its account, or of the one that it is being linked to by a code, in digits. */
  get number(): string | undefined {
    // The page may not have reported the number of an account with a hidden id.
    const known = this.phase.status === 'ready' ? this.phase.info.phone : '';
    return known || this.#state.linkingNumber;
  }

  /** False if `number` only got a pairing code: its owner may never type it. */
  get isLinked(): boolean {
    return this.phase.status === 'ready' || this.#state.linkedAt !== undefined;
  }

  /** Returns to the QR, if it has a pairing code. */
  showQr(): void {
    this.#run?.send({ type: 'show_qr' });
  }

  get qr(): string | undefined {
    return this.phase.status === 'qr' ? this.phase.qr : undefined;
  }

  /** The error of a request that needs the QR (404). */
  get noQr(): GatewayError {
    return new GatewayError('qr_not_available', `session ${this.id} has no QR (${whyNoQr(this.phase)})`);
  }

  /** Recovers messages since this time, in Unix seconds, that could not be stored. */
  recoverMessages(sinceSeconds: number): void {
    this.#run?.send({ type: 'report_again', since: sinceSeconds });
  }

  /** Waits until the session is neither starting nor being recovered, an attempt has failed, or the time is up. */
  settled(timeoutMs: number): Promise<void> {
    return this.#untilNot(['starting', 'disconnected'], timeoutMs);
  }

  /** Waits until the session is up, an attempt has failed, or the time is up. */
  up(timeoutMs: number): Promise<void> {
    return this.#untilNot(['starting', 'disconnected', 'authenticating'], timeoutMs);
  }

  // Reports of its run.

  #onEvent(event: RunEvent): void {
    this.#handle(event);
    if (this.#dependencies.events.hasExceededShare(this.id))
      this.#run?.broke('exceeded its share of the journal (CHAT_WEB_JOURNAL_MAX_MB)');
  }

  #handle(event: RunEvent): void {
    switch (event.name) {
      case 'message':
        this.stats.eventReceived();
        this.#dependencies.events.publishMessage(this.id, event.message);
        return;
      case 'message_ack':
        this.stats.eventReceived();
        this.#dependencies.events.publishAck(this.id, event);
        return;
      case 'account_event':
        this.stats.eventReceived();
        this.#dependencies.events.publishAccountEvent(this.id, event.event, event.row);
        return;
      case 'own_message':
        this.#dependencies.events.noteOwnMessage(this.id, event.id);
        return;
      case 'delivered':
        this.#dependencies.events.noteDelivered(this.id, event.until);
        return;
      case 'caught_up':
        this.#dependencies.events.caughtUp(this.id, event.since);
        return;
      case 'gap':
        this.#onGap(event);
        return;
      case 'page':
        this.#onPage(event);
        return;
      case 'limits':
        this.#onLimits(event.limits);
        return;
      case 'unsandboxed':
        this.stats.unsandboxed = event.reason;
        return;
      case 'ready':
        this.#onReady(event);
        return;
      case 'qr':
        this.#dependencies.hostFault.recovered(this.id);
        this.#onReport(event);
        return;
      case 'account':
        this.#onReport(event);
        this.#others.endPairingCodes(event.number, this.id);
        return;
      case 'qr_void':
      case 'pairing_code':
      case 'passkey':
      case 'authenticating':
      case 'connection_lost':
      case 'unlinked':
        this.#onReport(event);
    }
  }

  #onReady(event: Extract<WorkerEvent, { name: 'ready' }>): void {
    this.#dependencies.hostFault.recovered(this.id);
    this.#dependencies.events.deliveryBegins(this.id);
    this.stats.active();
    this.#dependencies.saved.save(this.id, event.info, this.#state.linkedAt ?? new Date()).catch((error: unknown) => {
      this.#log.error({ err: error }, 'marker of saved auth not written');
    });
    this.#onReport(event);
    if (event.info.phone) this.#others.endPairingCodes(event.info.phone, this.id);
  }

  #onGap({ from: fromSeconds, to: toSeconds, chats }: Extract<WorkerEvent, { name: 'gap' }>): void {
    const [from, to] = [isoTime(fromSeconds), isoTime(toSeconds)];
    this.#log.warn({ from, to, chats }, 'messages not recovered');
    // Otherwise they would be reported again after a restart. If chats are incomplete, they may load the next time.
    if (chats === 0) this.#dependencies.events.noteDelivered(this.id, toSeconds);
    this.#publish({ name: 'gap', data: { reason: 'not_loaded', from, to } });
  }

  /** Logs in one line what does not work on this build of the page, and since which build. */
  #onPage(seen: Extract<WorkerEvent, { name: 'page' }>): void {
    const before = this.stats.lastPage;
    const page = this.#dependencies.pageHistory.note(seen);
    this.stats.page = page;
    const { version, degraded } = page;
    if (degraded.length > 0)
      this.#log.warn({ pageVersion: version, degraded: degraded.map(loggedFinding) }, 'page degraded');
    else if (before?.version !== version || before.degraded.length > 0)
      this.#log.info({ pageVersion: version }, 'page complete');
  }

  #onLimits(limits: readonly AccountLimit[]): void {
    if (!this.stats.limitsRead(limits)) return;
    this.#log.info({ limits }, 'limits of the account changed');
    this.#publish({ name: 'limits', data: { limits: [...limits] } });
  }

  #onRunFailed(failure: RunFailure): void {
    this.#dependencies.hostFault.failed(this.id, failure.cause.reason, this.#others.running);
    this.#onReport({ name: 'run_failed', failure });
  }

  #publish(event: SessionEvent): void {
    this.#dependencies.events.publish(this.id, event, () => event.data === this.shown?.data);
  }

  // State changes and effects.

  /** Carries out what a caller asks for, once it is its turn, unless access was lost by then. */
  #inTurnOf({ keyId, signal }: Requester, work: () => Promise<void>): Promise<void> {
    return this.#lock.run(() => {
      this.#startedWith = keyId;
      return work();
    }, signal);
  }

  async #inTurn(event: StateEvent): Promise<void> {
    await this.#performAll(this.#take(event));
  }

  /** Its effects are dropped if the session was stopped, deleted or restarted before their turn. */
  #onReport(report: Report): void {
    const run = this.#run;
    const effects = this.#take({ name: 'reported', report });
    if (effects.length === 0) return;
    this.#inBackground(async () => {
      if (run && this.#run === run) await this.#performAll(effects);
    });
  }

  #onDue(wait: (typeof WAITS)[number]): void {
    this.#inBackground(() => this.#inTurn({ name: `${wait}_due` }));
  }

  /** Work without a caller: if it fails, as on a full disk, a session that should run is retried later. */
  #inBackground(work: () => Promise<void>): void {
    this.#lock.run(work).catch((error: unknown) => {
      this.#log.error({ err: error }, 'recovery failed');
      this.#take({ name: 'effects_failed', detail: errorText(error) });
    });
  }

  /** The one place where the state changes. */
  #take(event: StateEvent): readonly Effect[] {
    const { saved, config, hostFault } = this.#dependencies;
    const before = this.#state;
    const { state, events, effects } = next(before, event, {
      now: performance.now(),
      date: new Date(),
      random: Math.random,
      hasAuth: saved.has(this.id),
      config,
    });
    this.#state = state;
    this.#setTimers(before);
    this.#logChange(before);
    if (state.phase.status === 'stopped') hostFault.stopped(this.id);
    for (const sessionEvent of events) this.#publish(sessionEvent);
    this.#statusEvents.update(statusOf(state));
    for (const check of [...this.#watchers]) check();
    return effects;
  }

  async #performAll(effects: readonly Effect[]): Promise<void> {
    for (const effect of effects) await this.#perform(effect);
  }

  async #perform(effect: Effect): Promise<void> {
    switch (effect.type) {
      case 'fail_run':
        this.fail(effect.cause);
        return;
      case 'end_run': {
        const run = this.#run;
        this.#run = undefined;
        await run?.end(effect.unlink, effect.timeoutMs);
        this.#take({ name: 'run_ended' });
        return;
      }
      case 'wipe':
        this.#dependencies.events.resetDelivery(this.id);
        await this.#dependencies.saved.wipe(this.id);
        await this.#dependencies.lineages.gone(this.id);
        return;
      case 'start_run':
        await this.#startRun(effect.byHand);
    }
  }

  async #startRun(byHand: boolean): Promise<void> {
    this.#runs += 1;
    this.stats.runBegins();
    this.#run = new Run(this.id, this.#dependencies, this.#log.child({ run: this.#runs }), {
      onEvent: (event) => this.#onEvent(event),
      onFailed: (failure) => this.#onRunFailed(failure),
    });
    void this.#run.start({
      byHand,
      owner: this.#startedWith,
      openAcks: () => this.#dependencies.events.openAcks(this.id),
      withoutContent: () => this.#dependencies.events.withoutContent(this.id),
      deliveredUntil: () => this.#dependencies.events.deliveredUntil(this.id),
      linkedAt: (this.#state.linkedAt?.getTime() ?? 0) / SECOND_MS,
      wasMute: wasMute(this.#state, performance.now()),
    });
  }

  #setTimers(before: SessionState): void {
    for (const name of WAITS) {
      const wait = this.#state[name];
      if (wait === before[name]) continue;
      clearTimeout(this.#timers.get(name));
      this.#timers.delete(name);
      if (wait) this.#timers.set(name, setTimeout(() => this.#onDue(name), wait.ms).unref());
    }
  }

  #logChange(before: SessionState): void {
    const { phase, retry, restarts } = this.#state;
    const cause = loggedCause(causeOf(phase));
    const reason = (Object.keys(restarts) as Reason[]).find((one) => restarts[one] !== before.restarts[one]);
    if (reason && reason !== before.retry?.reason) this.#log.info({ reason }, 'session restarting');
    if (phase.status !== before.phase.status)
      this.#log.info({ from: before.phase.status, status: phase.status, ...cause }, 'session status changed');
    if (phase.status === 'failed' && phase !== before.phase) this.#log.error({ ...cause }, 'session failed');
    if (phase.status === 'qr' && cause && phase !== before.phase) this.#log.warn({ ...cause }, 'passkey required');
    const { code } = phase.status === 'qr' ? phase : {};
    if (code && phase !== before.phase) this.#log.info({ expiresAt: code.expiresAt }, 'pairing code shown');
    if (retry && retry !== before.retry)
      this.#log.warn({ ...cause, reason: retry.reason, restartInMs: retry.ms }, 'session restarting');
  }

  #untilNot(statuses: readonly Phase['status'][], timeoutMs: number): Promise<void> {
    const hasLeft = () => !statuses.includes(this.phase.status) || this.#state.retry !== undefined;
    return new Promise((resolve) => {
      const check = () => hasLeft() && over();
      const over = () => {
        clearTimeout(timer);
        this.#watchers.delete(check);
        resolve();
      };
      const timer = setTimeout(over, timeoutMs);
      this.#watchers.add(check);
      check();
    });
  }

  #notReady(): GatewayError {
    return new GatewayError('session_not_ready', `session ${this.id} is not ready (it is ${this.phase.status})`);
  }

  #requireNotMoved(): void {
    if (this.phase.status === 'moved')
      throw new GatewayError(
        'session_moved',
        `session ${this.id} was moved to another gateway; if it does not run there, start it with {"takeBack": true}`,
      );
  }

  async #takeBack(): Promise<void> {
    this.#abortExports();
    await this.#dependencies.lineages.takenBack(this.id).catch((error: unknown) => {
      throw new GatewayError('insufficient_resources', `session ${this.id} was not taken back: ${errorText(error)}`);
    });
    await this.#inTurn({ name: 'arrived' });
    this.#log.warn({}, 'session taken back');
  }

  #abortExports(): void {
    this.#exports.abort(new Error('the session was taken back, replaced or deleted'));
    this.#exports = new AbortController();
  }

  async #requireResources(): Promise<void> {
    const shortage = await this.#shortage();
    if (shortage) throw new GatewayError('insufficient_resources', shortage);
  }

  /** What the host lacks for a browser that replaces the current one, if there is one. */
  #shortage(): Promise<string | undefined> {
    const { memory } = this.stats;
    return this.#dependencies.shortage(memory && memoryBytes(memory));
  }
}

/** Text from a page may name people. */
function loggedCause(cause: Cause | undefined): Cause | undefined {
  return cause?.detail === undefined ? cause : { ...cause, detail: withoutNumbers(cause.detail) };
}

function loggedFinding({ capability, reason }: PageView['degraded'][number]) {
  return { capability, reason: withoutNumbers(reason) };
}

function whyNoQr(phase: Phase): string {
  if (phase.status !== 'qr') return `it is ${phase.status}`;
  if (phase.cause) return causeText(phase.cause);
  return phase.code ? 'it has a pairing code instead' : 'another follows';
}

function isoTime(unixSeconds: number): string {
  return new Date(unixSeconds * SECOND_MS).toISOString();
}
