import { setMaxListeners } from 'node:events';
import { type DeadLetter, errorText, Lanes, type LaneTask, type NextAttempt } from '@chat-web/protocol';
import type { Entry, Feed, Takes } from '../events/feed.ts';
import type { WebhookEvents } from '../events/webhook-events.ts';
import type { Log } from '../log.ts';
import { AheadScan } from './ahead-scan.ts';
import type { Outcome } from './endpoint.ts';
import { EndpointHealth } from './endpoint-health.ts';
import { ProgressSaver } from './progress-saver.ts';
import type { Progress, Waiting } from './webhook-progress.ts';

interface Dependencies {
  readonly events: WebhookEvents;
  readonly takes: Takes;
  /** Whose turn at the disk it is. */
  readonly owner: string;
  /** Posts an event once. Rejects only if the signal aborts. */
  post(entry: Stored, signal: AbortSignal): Promise<Outcome>;
  /** Stores the progress. Rejects if that fails now. */
  save(progress: Progress): Promise<void>;
  /** Stores an event as a dead letter. Rejects if that fails now. */
  bury(letter: DeadLetter, entry: Stored): Promise<void>;
  readonly replays: Replays;
  /** The courier has stopped: nothing more is delivered. */
  onDisabled(reason: 'gone' | 'no_success'): void;
  readonly retryDelaysMs: readonly number[];
  readonly log: Pick<Log, 'error'>;
}

interface Replay {
  readonly id: string;
  /** The gap, which is not in the journal. */
  readonly gap: Entry | undefined;
}

export interface Replays {
  /** The next one; undefined if there is none. It stays the next until `done` is called. */
  next(): Replay | undefined;
  /**
   * It was delivered, or failed and stays a dead letter. It is no dead letter any more if its event is no longer kept, or
   * does not pass the filter of the webhook any more.
   */
  done(id: string, outcome: 'delivered' | 'failed' | 'expired' | 'filtered_out'): void;
}

/** An event with its position. */
export interface Stored extends Omit<Entry, 'id'> {
  readonly position: string;
  /** The id that the endpoint receives. A gap of expired events ends at the id of an event, so its own id differs. */
  readonly postedId: string;
  /** False for a gap that is in no journal. */
  readonly isKept: boolean;
  /** A gap of expired events begins after this position; an event begins after the one before it. */
  readonly expiredAfter?: string;
}

/** An event of the main feed, or all events of a session that is behind. Times are ms of `performance.now()`. */
interface LaneState extends LaneTask {
  /** Undefined: a gap that concerns all sessions. */
  readonly session: string | undefined;
  /** The event of the main feed. Undefined: the session's events are read from the journal. */
  entry: Stored | undefined;
  /** The main feed skips the session: its events after this one, or after `after`, stay in the journal. */
  isBehind: boolean;
  /** The position before the next event in the journal. */
  after: string;
  attempts: number;
  nextAt: number;
  /** To be tried before its time: a failure does not count as an attempt of the event. */
  isProbe: boolean;
  /** Nothing more is done for it: its lane is about to go on with the next one. */
  isOver: boolean;
}

/** The lane of a gap that concerns all sessions. */
const GAP_OF_ALL = ' gap';

/** How many sessions are delivered to at the same time, and how many may fail before the endpoint counts as down. */
const CONCURRENCY = 8;
/** How many events a session delivers before others have their turn, and for how long. */
const TURN = { tasks: 50, ms: 1_000 };
/** What the main feed holds in memory. */
const MAX_QUEUED = { tasks: 256, length: 4 * 1_048_576 };
/** How often an endpoint without a success is tried, beside the attempts of each event. */
const PROBE_MS = 60_000;
/** For the delays between attempts: many must not be due at the same moment. */
const JITTER = 0.1;
/** After the lanes that wait for a slot. */
const NOW: NextAttempt = { inMs: 0 };
/** When the main feed reaches it, or to look whether it has. */
const ONCE_REACHED: NextAttempt = { inMs: 60_000 };
/** The delay after an error of the journal. */
const TRY_AGAIN_MS = 5_000;
/** How long to wait if a dead letter cannot be stored; then the event is posted once more. */
const BURY_AGAIN_MS = 60_000;

/**
 * Delivers the events of a webhook: at least once, and in order for each session. The main feed reads the events of all
 * sessions as they are published. A session whose event fails leaves it: the session is behind, and has a position of
 * its own, from which its turns read until it has caught up with the main feed. It keeps one of the eight slots until
 * an event is delivered: if eight sessions have failed, the endpoint is down, and nothing else starts until it answers.
 */
export class Courier {
  readonly #dependencies: Dependencies;
  readonly #health: EndpointHealth;
  readonly #lanes: Lanes<LaneState>;
  /** One lane, beside the others: dead letters may take hours. */
  readonly #replays: Lanes;
  readonly #feed: Feed;
  /** All events of the feed up to here are in lanes, or their sessions are behind. */
  #readUpTo: string;
  /** Events that were read, but are not in lanes yet. */
  #held: Entry[] = [];
  #isReading = false;
  #readAgainTimer: NodeJS.Timeout | undefined;
  #probeTimer: NodeJS.Timeout | undefined;
  #probeAt = Number.POSITIVE_INFINITY;
  /** Another session was tried since all slots are kept. */
  #hasTriedNext = false;
  /** While the endpoint is down: the events that the main feed has not reached. */
  #ahead: AheadScan | undefined;
  /** The event that was tried last is a dead letter. */
  #hasGivenUp: boolean;
  readonly #saver: ProgressSaver;
  readonly #stopping = new AbortController();
  readonly #stopListening: () => void;

  constructor(progress: Progress, dependencies: Dependencies) {
    this.#dependencies = dependencies;
    setMaxListeners(0, this.#stopping.signal); // One per delivery in progress.
    this.#health = new EndpointHealth(progress);
    this.#hasGivenUp = this.#health.isFailing;
    this.#lanes = new Lanes({
      concurrency: CONCURRENCY,
      max: MAX_QUEUED,
      turn: TURN,
      signal: this.#stopping.signal,
      onChange: () => this.#onChange(),
    });
    this.#replays = new Lanes({ concurrency: 1, signal: this.#stopping.signal, onChange: () => this.replay() });
    this.#feed = this.#feedAfter(progress.position);
    this.#readUpTo = progress.position;
    this.#saver = new ProgressSaver(dependencies, progress, () => this.progress);
    if (this.#health.isFailing) this.#startProbes();
    // Each is tried now, whenever its next attempt is due. The webhook may have lost some since: of these, it must not
    // even get a gap.
    for (const waiting of progress.waiting) if (dependencies.takes(waiting.session, 'gap')) this.#resume(waiting);
    this.#stopListening = this.#feed.onMore(() => {
      this.#wakeDeleted();
      void this.#read();
    });
    this.replay();
    void this.#read();
  }

  #resume({ session, after, attempts, nextAt }: Waiting): void {
    // Much may have changed since. Even if the clock was set back, the schedule's delay is the longest.
    const maxMs = (this.#dependencies.retryDelaysMs[attempts - 1] ?? 0) * (1 + JITTER);
    const waitMs = Math.min(Math.max(nextAt - Date.now(), 0), maxMs);
    const state = { session, after, isBehind: true, attempts, nextAt: performance.now() + waitMs, isProbe: true };
    this.#push(session, state, (delivery, isTurnOver) => this.#deliverBacklog(delivery, session, isTurnOver));
  }

  /** The progress. Deliveries in progress count as not delivered. */
  get progress(): Progress {
    const waiting: Waiting[] = [];
    for (const { session, entry, after, attempts, nextAt } of this.#lanes.firsts()) {
      if (session === undefined) continue;
      const next = entry ? this.#positionBefore(entry) : after;
      waiting.push({ session, after: next, attempts, nextAt: attempts > 0 ? wallTime(nextAt) : 0 });
    }
    return { position: this.#readUpTo, waiting, ...this.#health.progress };
  }

  /** True if the last attempt failed, and events are waiting. */
  get isFailing(): boolean {
    return this.#health.isFailing && this.#hasEvents;
  }

  /** The time of the next attempt, as Unix time in ms; undefined if none is scheduled. */
  get nextAttemptAt(): number | undefined {
    if (!this.#hasEvents) return undefined;
    const now = performance.now();
    const { putOffMs } = this.#health;
    if (putOffMs > 0) return wallTime(now + putOffMs);
    const nextAt = Math.min(this.#firstDue()?.nextAt ?? Number.POSITIVE_INFINITY, this.#probeAt);
    return nextAt > now && nextAt < Number.POSITIVE_INFINITY ? wallTime(nextAt) : undefined;
  }

  /** Stops at once. Deliveries in progress are aborted, and count as not delivered. */
  stop(): void {
    this.#stopping.abort(new Error('the webhook has stopped'));
    this.#stopListening();
    this.#stopProbes();
    clearTimeout(this.#readAgainTimer);
    this.#saver.stop();
  }

  /** Replays the dead letters of which that was requested. */
  replay(): void {
    if (this.#hasStopped || this.#replays.size > 0 || !this.#dependencies.replays.next()) return;
    this.#replays.push('', { length: 0, attempt: () => this.#attempt(() => this.#replayNext()) });
  }

  get #hasStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  get #hasEvents(): boolean {
    return this.#lanes.size > 0;
  }

  // Lanes.

  #push(
    key: string,
    state: Partial<LaneState>,
    attempt: (delivery: LaneState, isTurnOver: (events: number) => boolean) => Promise<NextAttempt | undefined>,
  ): void {
    const delivery: LaneState = {
      session: undefined,
      entry: undefined,
      isBehind: false,
      after: '',
      attempts: 0,
      nextAt: 0,
      isProbe: false,
      isOver: false,
      length: 0,
      ...state,
      attempt: (_count, isTurnOver) => {
        const untilDueMs = delivery.isProbe ? 0 : delivery.nextAt - performance.now();
        return this.#attempt(() => attempt(delivery, isTurnOver), untilDueMs);
      },
    };
    this.#lanes.push(key, delivery);
  }

  async #attempt(attempt: () => Promise<NextAttempt | undefined>, untilDueMs = 0): Promise<NextAttempt | undefined> {
    const waitMs = Math.max(untilDueMs, this.#health.putOffMs);
    if (waitMs > 0) return { inMs: waitMs };
    try {
      return await attempt();
    } catch (error) {
      this.#logError(error);
      return { inMs: TRY_AGAIN_MS };
    }
  }

  #pushEvent(session: string, entry: Stored, state: Pick<LaneState, 'length'> & Partial<LaneState>): void {
    this.#push(session, { ...state, session, entry }, (delivery, isTurnOver) =>
      delivery.entry
        ? this.#deliverEntry(delivery, delivery.entry)
        : this.#deliverBacklog(delivery, session, isTurnOver),
    );
  }

  #onChange(): void {
    if (!this.#hasEvents && !this.#hasGivenUp) this.#forgetFailures();
    this.#tryNext();
    void this.#read();
  }

  /** If all slots are kept, tries another session once: the endpoint may only refuse the events of these eight. */
  #tryNext(): void {
    if (this.#hasTriedNext || !this.#lanes.isBlocked || !this.#lanes.hasWaiting) return;
    this.#hasTriedNext = true;
    this.#lanes.startNext();
  }

  /** The failed delivery whose next attempt is due first. */
  #firstDue(): LaneState | undefined {
    let first: LaneState | undefined;
    for (const delivery of this.#lanes.firsts())
      if (delivery.attempts > 0 && delivery.nextAt < (first?.nextAt ?? Number.POSITIVE_INFINITY)) first = delivery;
    return first;
  }

  /** A failed event of a deleted session must not hold back anything, not even a new session with the same id. */
  #wakeDeleted(): void {
    const { events } = this.#dependencies;
    for (const delivery of this.#lanes.firsts()) {
      const { session, attempts, after } = delivery;
      if (attempts > 0 && session !== undefined && events.isDeleted(session, after)) this.#tryNow(delivery);
    }
  }

  #tryNow(delivery: LaneState): void {
    delivery.isProbe = true;
    this.#lanes.wake(delivery.session ?? GAP_OF_ALL);
  }

  // Reading new events.

  /** The webhook's events after a position: of all its sessions, or of one. */
  #feedAfter(after: string, only?: string): Feed {
    const { events, takes, owner } = this.#dependencies;
    return events.feed({
      after,
      session: undefined,
      takes: (session, name, event) => (only === undefined || session === only) && takes(session, name, event),
      by: { owner, requireWanted: () => this.#stopping.signal.throwIfAborted() },
    });
  }

  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#mayRead()) {
        const [entry] = this.#held;
        if (entry) this.#take(entry);
        else if (this.#feed.isAtEnd) break;
        else {
          this.#held = await this.#feed.read();
          if (this.#held.length === 0) this.#readUpTo = this.#feed.position;
        }
      }
      this.#saver.passed(this.#readUpTo);
      this.#tryNext();
    } catch (error) {
      if (this.#hasStopped) return;
      this.#logError(error);
      this.#readAgainTimer = setTimeout(() => {
        this.#readAgainTimer = undefined;
        void this.#read();
      }, TRY_AGAIN_MS).unref();
    } finally {
      this.#isReading = false;
    }
  }

  #mayRead(): boolean {
    if (this.#hasStopped || this.#readAgainTimer || this.#health.putOffMs > 0) return false;
    // Reading on finds sessions for free slots: one that waits for a slot is enough.
    if (this.#lanes.hasWaiting || this.#lanes.first(GAP_OF_ALL)) return false;
    return this.#lanes.hasRoom || this.#makeRoom();
  }

  /** If the memory is full, a session that has more than its share leaves the main feed. */
  #makeRoom(): boolean {
    const longest = this.#lanes.longest(MAX_QUEUED.tasks / CONCURRENCY);
    const delivery = longest === undefined ? undefined : this.#lanes.first(longest);
    // What follows one that is over must stay in its lane.
    if (longest === undefined || !delivery || delivery.isOver || this.#behind >= CONCURRENCY) return false;
    delivery.isBehind = true;
    this.#lanes.release(longest);
    return this.#lanes.hasRoom;
  }

  get #behind(): number {
    let count = 0;
    for (const { isBehind } of this.#lanes.firsts()) if (isBehind) count += 1;
    return count;
  }

  #take(entry: Entry): void {
    const stored = placed(entry);
    const { session, text } = entry;
    if (session === undefined) {
      this.#push(GAP_OF_ALL, { entry: stored }, (delivery) => this.#deliverGap(delivery, stored));
      return;
    }
    const first = this.#lanes.first(session);
    const isReached = first?.isBehind && !this.#isBefore(first.after, this.#readUpTo);
    this.#readUpTo = stored.position;
    this.#shiftHeld();
    if (isReached) this.#lanes.wake(session);
    else if (!first?.isBehind) this.#pushEvent(session, stored, { length: text.length });
  }

  #shiftHeld(): void {
    this.#held.shift();
    if (this.#held.length === 0) this.#readUpTo = this.#feed.position;
  }

  // Deliveries.

  /** The events after it wait until it is delivered. */
  async #deliverGap(delivery: LaneState, gap: Stored): Promise<NextAttempt | undefined> {
    const retry = await this.#deliver(delivery, gap);
    if (!retry) this.#shiftHeld();
    return retry;
  }

  async #deliverEntry(delivery: LaneState, entry: Stored): Promise<NextAttempt | undefined> {
    const retry = await this.#deliver(delivery, entry);
    if (!retry && !delivery.isBehind) {
      delivery.isOver = true;
      return undefined;
    }
    if (retry && delivery.attempts === 0) return this.#isAhead(entry.position) ? this.#leave(delivery) : retry;
    delivery.after = retry ? this.#positionBefore(entry) : entry.position;
    delivery.entry = undefined;
    delivery.isBehind = true;
    this.#lanes.release(entry.session ?? '');
    return retry ?? NOW;
  }

  #isBefore(position: string, other: string): boolean {
    const { events } = this.#dependencies;
    return events.seqOf(position) < events.seqOf(other);
  }

  /** True if the main feed has not reached this event or position. */
  #isAhead(position: string): boolean {
    return this.#isBefore(this.#readUpTo, position);
  }

  /** The next events of the session arrive through the main feed. */
  #leave(delivery: LaneState): undefined {
    delivery.isBehind = false;
    delivery.isOver = true;
    this.#saver.changed();
  }

  /** Delivers the events of a session that is behind, until its turn is over or it has caught up with the main feed. */
  async #deliverBacklog(
    delivery: LaneState,
    session: string,
    isTurnOver: (events: number) => boolean,
  ): Promise<NextAttempt | undefined> {
    const { events } = this.#dependencies;
    if (this.#isAhead(delivery.after)) return ONCE_REACHED;
    const backlog = this.#feedAfter(delivery.after, session);
    for (let delivered = 0; ; ) {
      for (const entry of await backlog.read()) {
        const stored = entry.session === undefined ? gapOf(session, entry, delivery.after) : placed(entry);
        if (this.#isAhead(stored.position)) break;
        // The webhook no longer includes the failed event. If it has expired, the gap replaces it.
        const isNext = events.seqOf(stored.position) === events.seqOf(delivery.after) + 1;
        if (entry.session !== undefined && !isNext) resetAttempts(delivery);
        const retry = await this.#deliver(delivery, stored);
        // After a failure, the position right before the event: the next attempt recognises it by that.
        delivery.after = retry ? this.#positionBefore(stored) : stored.position;
        if (retry) return retry;
        delivered += 1;
        if (isTurnOver(delivered)) return NOW;
      }
      if (!this.#isBefore(backlog.position, this.#readUpTo)) return this.#leave(delivery);
      // A read may end before the next event: the one that failed keeps its attempts.
      if (backlog.position !== delivery.after) {
        delivery.after = backlog.position;
        resetAttempts(delivery);
      }
      if (isTurnOver(delivered)) return NOW;
    }
  }

  #positionBefore({ position, expiredAfter }: Stored): string {
    return expiredAfter ?? this.#dependencies.events.idBefore(position);
  }

  /** Delivers an event, or makes it a dead letter; otherwise returns when to try it again. */
  async #deliver(delivery: LaneState, entry: Stored): Promise<NextAttempt | undefined> {
    this.#hasGivenUp = false;
    const isOfDeleted =
      entry.session !== undefined && this.#dependencies.events.isDeleted(entry.session, entry.position);
    const isDue = performance.now() >= delivery.nextAt;
    delivery.isProbe = false;
    const outcome: Outcome = isOfDeleted ? { kind: 'delivered' } : await this.#post(entry);
    if (outcome.kind === 'delivered') {
      resetAttempts(delivery);
      if (!isOfDeleted) this.#succeeded();
      return undefined;
    }
    this.#failedOnce(outcome);
    if (this.#hasStopped) return NOW; // It is disabled, and the event stays the next one.
    if (outcome.kind === 'put_off') return { inMs: outcome.waitMs };
    const { isBlocked } = this.#lanes;
    // Since the start, nothing was delivered: a session that fails keeps its slot, so that an endpoint that is down is
    // recognised.
    const mayBeDown = this.#health.isNew && !isBlocked;
    if (!isDue) return { inMs: delivery.nextAt - performance.now(), keepsSlot: mayBeDown || undefined };
    // The endpoint is down: the session has its turn again later.
    if (isBlocked) return NOW;
    return this.#retryLater(delivery, entry, outcome.message);
  }

  /** Schedules the next attempt of an event, or makes it a dead letter. */
  async #retryLater(delivery: LaneState, entry: Stored, message: string): Promise<NextAttempt | undefined> {
    const { retryDelaysMs, bury } = this.#dependencies;
    const attempts = delivery.attempts + 1;
    const waitMs = retryDelaysMs[delivery.attempts];
    if (waitMs !== undefined) {
      delivery.attempts = attempts;
      return retryIn(delivery, waitMs * (1 - JITTER + 2 * JITTER * Math.random()));
    }
    const { postedId: id, event, session } = entry;
    const whose = session === undefined ? {} : { session };
    try {
      await bury({ id, event, ...whose, at: new Date().toISOString(), attempts, message }, entry);
    } catch (error) {
      this.#logError(error);
      delivery.attempts ||= 1;
      return retryIn(delivery, BURY_AGAIN_MS);
    }
    resetAttempts(delivery);
    this.#hasGivenUp = true;
    this.#saver.changed();
    return undefined;
  }

  /** Replays a dead letter, one after the other. */
  async #replayNext(): Promise<NextAttempt | undefined> {
    const { replays, events, takes, owner } = this.#dependencies;
    const next = replays.next();
    if (!next) return undefined;
    const entry = next.gap ?? (await events.find(next.id, owner));
    // The gap of a deleted session is no longer a dead letter.
    const position = entry?.place ?? next.id;
    const isOfDeleted = !next.gap && entry?.session !== undefined && events.isDeleted(entry.session, position);
    if (!entry || isOfDeleted) {
      replays.done(next.id, 'expired');
      return NOW;
    }
    if (entry.session !== undefined && !takes(entry.session, entry.event, entry)) {
      replays.done(next.id, 'filtered_out');
      return NOW;
    }
    const outcome = await this.#post({ ...entry, position, postedId: next.id, isKept: !next.gap });
    if (outcome.kind === 'put_off') {
      this.#health.failed(outcome);
      return { inMs: outcome.waitMs };
    }
    replays.done(next.id, outcome.kind === 'delivered' ? 'delivered' : 'failed');
    if (outcome.kind === 'delivered') this.#succeeded();
    if (outcome.kind === 'gone') this.#disable('gone');
    return NOW;
  }

  async #post(entry: Stored): Promise<Outcome> {
    const { signal } = this.#stopping;
    const outcome = await this.#dependencies.post(entry, signal);
    signal.throwIfAborted();
    return outcome;
  }

  // The health of the endpoint.

  #succeeded(): void {
    this.#saver.delivered();
    const isBack = this.#health.succeeded();
    this.#forgetFailures();
    this.#lanes.freeSlots();
    if (!isBack) return;
    for (const delivery of this.#lanes.firsts()) if (delivery.attempts > 0) this.#tryNow(delivery);
  }

  #failedOnce(outcome: Exclude<Outcome, { kind: 'delivered' }>): void {
    this.#health.failed(outcome);
    this.#startProbes();
    this.#saver.changed();
    if (outcome.kind === 'gone') this.#disable('gone');
    else if (this.#health.isGivenUp) this.#disable('no_success');
  }

  #forgetFailures(): void {
    this.#health.forgetFailures();
    this.#hasTriedNext = false;
    this.#ahead = undefined;
    this.#stopProbes();
  }

  #startProbes(): void {
    if (this.#probeTimer) return;
    this.#probeAt = performance.now() + PROBE_MS;
    this.#probeTimer = setInterval(() => void this.#probe(), PROBE_MS).unref();
  }

  #stopProbes(): void {
    clearInterval(this.#probeTimer);
    this.#probeTimer = undefined;
    this.#probeAt = Number.POSITIVE_INFINITY;
  }

  /** Tries an event before its time: if the endpoint is down, of another session, since eight may be poisoned. */
  async #probe(): Promise<void> {
    this.#probeAt = performance.now() + PROBE_MS;
    if (this.#lanes.isBlocked && (await this.#tryAhead())) return;
    const first = this.#firstDue();
    if (this.#lanes.isBlocked && this.#lanes.hasWaiting) this.#lanes.startNext();
    else if (first) this.#tryNow(first);
  }

  /** Tries the first event of a session that the main feed has not reached: a different one each time. */
  async #tryAhead(): Promise<boolean> {
    this.#ahead ??= new AheadScan(this.#feedAfter(this.#readUpTo), (entry) => this.#isAhead(placed(entry).position));
    const scan = this.#ahead;
    try {
      for (let entry = await scan.next(); entry; entry = await scan.next()) {
        if (this.#ahead !== scan || !this.#lanes.isBlocked || this.#hasStopped) return false;
        const { session } = entry;
        if (this.#lanes.first(session)) continue;
        this.#pushEvent(session, placed(entry), { length: 0, isBehind: true });
        this.#lanes.startNext(session);
        return true;
      }
    } catch (error) {
      this.#logError(error);
    }
    this.#ahead = undefined;
    return false;
  }

  #disable(reason: 'gone' | 'no_success'): void {
    const { progress } = this;
    this.stop();
    void this.#dependencies.save(progress).catch(() => {});
    this.#dependencies.onDisabled(reason);
  }

  #logError(error: unknown): void {
    if (!this.#hasStopped) this.#dependencies.log.error({ error: errorText(error) }, 'webhook not delivered');
  }
}

function retryIn(delivery: LaneState, inMs: number): NextAttempt {
  delivery.nextAt = performance.now() + inMs;
  return { inMs, keepsSlot: true };
}

function resetAttempts(delivery: LaneState): void {
  delivery.attempts = 0;
  delivery.nextAt = 0;
}

/** The gap of a session whose backlog has expired. */
function gapOf(session: string, entry: Entry, expiredAfter: string): Stored {
  const gap = placed(entry);
  return { ...gap, session, expiredAfter, postedId: `${entry.id ?? gap.position}-gap-${session}` };
}

function placed({ id, place, ...entry }: Entry): Stored {
  const position = place ?? id ?? `none-${entry.at}-0`; // A gap without a preceding event.
  const isKept = entry.session !== undefined;
  return { ...entry, position, postedId: isKept ? (id ?? position) : `${id ?? position}-gap-all`, isKept };
}

function wallTime(at: number): number {
  return Math.round(Date.now() + at - performance.now());
}
