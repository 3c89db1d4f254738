import { type DeadLetter, errorText } from '@chat-web/protocol';
import type { Entry, Feed } from '../events/feed.ts';
import type { Log } from '../log.ts';
import type { Outcome } from './endpoint.ts';
import { EndpointHealth } from './endpoint-health.ts';
import { ProgressSaver } from './progress-saver.ts';
import type { Progress, Waiting } from './webhook-progress.ts';

/** The dependencies of a courier. */
export interface CourierParts {
  /** The webhook's events after a position: of all its sessions, or of those for which `isAsked` is true. */
  feed(after: string, isAsked?: (session: string) => boolean): Feed;
  /** The event with this id, if it is kept. */
  find(id: string): Promise<Entry | undefined>;
  /** The seq of an event's id, or of a position. */
  seqOf(id: string): number;
  /** The position before an event. */
  positionBefore(id: string): string;
  /** True for an event of a session that has been deleted since. */
  isDeleted(session: string, id: string): boolean;
  /** Posts an event once. Rejects only if the signal aborts. */
  post(entry: Stored, signal: AbortSignal): Promise<Outcome>;
  /** Stores the progress. Rejects if that fails now. */
  save(progress: Progress): Promise<void>;
  /** Stores an event as a dead letter. Rejects if that fails now. */
  bury(letter: DeadLetter, entry: Stored): Promise<void>;
  /** Dead letters to replay, each once. */
  readonly revivals: Revivals;
  /** The courier has stopped: nothing more is delivered. */
  onDisabled(reason: 'gone' | 'no_success'): void;
  /** The delays between the attempts of an event, in ms. */
  readonly retryDelaysMs: readonly number[];
  readonly log: Pick<Log, 'error'>;
}

/** A dead letter to replay. */
interface Revival {
  readonly id: string;
  /** The gap, which is not in the journal. */
  readonly gap: Entry | undefined;
}

/** The dead letters whose replay was requested. */
export interface Revivals {
  /** The next one; undefined if there is none. It stays the next until `done` is called. */
  next(): Revival | undefined;
  /** It was delivered, or failed and stays a dead letter, or its event is no longer kept. */
  done(id: string, outcome: 'delivered' | 'failed' | 'expired'): void;
}

/** An event with an id, which all stored events have. */
export interface Stored extends Entry {
  readonly id: string;
  /** The id that the endpoint receives. A gap of expired events ends at the id of an event, so its own id differs. */
  readonly postedId: string;
  /** A gap of expired events begins after this position; an event begins after the one before it. */
  readonly expiredAfter?: string;
}

/** The queue of a session's events. Times are ms of `performance.now()`. */
interface Lane {
  readonly session: string;
  /** In order. */
  readonly queue: Stored[];
  /** Events after this position are still in the journal. Undefined: they arrive through the main feed. */
  behind: string | undefined;
  /** How often the first event has failed. */
  attempts: number;
  nextAt: number;
  /** To be tried before its time: a failure does not count as an attempt of the event. */
  isProbe: boolean;
  isRunning: boolean;
}

/** A gap that concerns all sessions. The events after it wait until it is delivered. */
interface PendingGap extends Pick<Lane, 'attempts' | 'nextAt' | 'isProbe' | 'isRunning'> {
  readonly entry: Stored;
}

/** The key of the gap of all sessions, among the sessions that fail. */
const OF_ALL = '';

/** How many sessions are delivered to at the same time. */
const MAX_SIDE_BY_SIDE = 8;
/** How many events of a session are in memory; the rest stays in the journal. */
const MAX_QUEUED_OF_A_SESSION = 64;
const MAX_QUEUED = 256;
/** The limit for sessions that are behind; it leaves room for the others. */
const MAX_QUEUED_BEHIND = 128;
/** For the delays between attempts: many must not be due at the same moment. */
const JITTER = 0.1;
/** How many events a session delivers before others have their turn. */
const TURN = 50;
const TURN_MS = 1_000;
const READ_AGAIN_MS = 5_000;
/** How long to wait if a dead letter cannot be stored; then the event is posted once more. */
const BURY_AGAIN_MS = 60_000;
const MIN_TIMER_MS = 5;
const MAX_TIMER_MS = 60 * 60_000;

/**
 * Delivers the events of a webhook: at least once, and in order for each session. One feed reads the events of all
 * sessions as they are published. A session is behind if an event of it fails, or it has too many: its events stay in
 * the journal until its turn, and one pass over the journal reads those of all sessions that are due.
 */
export class Courier {
  readonly #parts: CourierParts;
  readonly #health: EndpointHealth;
  readonly #feed: Feed;
  /** All events of the feed up to here are in lanes, or their lanes are behind. */
  #readUpTo: string;
  /** Events that were read, but are not in lanes yet. */
  #held: Entry[] = [];
  #gap: PendingGap | undefined;
  readonly #lanes = new Map<string, Lane>();
  #queued = 0;
  #running = 0;
  /** The sessions of the current pass over the backlog. */
  readonly #passing = new Set<string>();
  #pass: Feed | undefined;
  #isReading = false;
  #isReadingBehind = false;
  /** When to retry after the journal could not be read. */
  #readAgainAt = 0;
  #isReviving = false;
  #retryTimer: NodeJS.Timeout | undefined;
  readonly #saver: ProgressSaver;
  readonly #stopping = new AbortController();
  readonly #stopListening: () => void;

  constructor(progress: Progress, parts: CourierParts) {
    this.#parts = parts;
    this.#health = new EndpointHealth(progress);
    this.#feed = parts.feed(progress.position);
    this.#readUpTo = progress.position;
    this.#saver = new ProgressSaver(parts, progress, () => this.progress);
    for (const [session, { after, attempts, nextAt }] of Object.entries(progress.waiting)) {
      // Much may have changed since. Even if the clock was set back, the schedule's delay is the longest.
      const longest = (parts.retryDelaysMs[attempts - 1] ?? 0) * (1 + JITTER);
      const waitMs = Math.min(Math.max(nextAt - Date.now(), 0), longest);
      const lane = this.#addLane(session, { behind: after, attempts, nextAt: performance.now() + waitMs });
      lane.isProbe = attempts > 0 && !this.#health.isDown;
    }
    if (this.#health.isDown) this.#probe();
    this.#stopListening = this.#feed.onMore(() => void this.#read());
    this.#wake();
  }

  /** The progress. Deliveries in progress count as not delivered. */
  get progress(): Progress {
    const waiting = [...this.#lanes.values()].map((lane): [string, Waiting] => {
      const [first] = lane.queue;
      const after = first ? this.#positionBefore(first) : (lane.behind ?? this.#readUpTo);
      return [lane.session, { after, attempts: lane.attempts, nextAt: lane.attempts > 0 ? wallTime(lane.nextAt) : 0 }];
    });
    return { position: this.#readUpTo, waiting: Object.fromEntries(waiting), ...this.#health.progress };
  }

  /** True if the last attempt failed, and events are waiting. */
  get isFailing(): boolean {
    return this.#health.isFailing && (this.#lanes.size > 0 || this.#gap !== undefined);
  }

  /** The time of the next attempt, as Unix time in ms; undefined if none is scheduled. */
  get nextAttemptAt(): number | undefined {
    const nextAt = this.#nextAt();
    return nextAt > performance.now() && nextAt < Number.POSITIVE_INFINITY ? wallTime(nextAt) : undefined;
  }

  /** Stops at once. Deliveries in progress are aborted, and count as not delivered. */
  stop(): void {
    this.#stopping.abort(new Error('the webhook has stopped'));
    this.#stopListening();
    clearTimeout(this.#retryTimer);
    this.#saver.stop();
  }

  /** Call when there are dead letters to replay. */
  revive(): void {
    this.#wake();
  }

  get #hasStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  // Scheduling.

  #wake(): void {
    if (this.#hasStopped) return;
    void this.#read();
    void this.#readBehind();
    this.#startDeliveries();
  }

  #startDeliveries(): void {
    if (this.#hasStopped) return;
    const now = performance.now();
    if (now >= this.#health.putOffUntil) {
      if (this.#running === 0 && now >= this.#health.probeAt) this.#probe();
      if (this.#health.isDown && now >= this.#health.trialAt) this.#beginTrial();
      const gap = this.#gap;
      if (gap && this.#isDue(gap)) this.#start(gap, () => this.#deliverGap(gap));
      for (const lane of this.#lanes.values())
        if (lane.queue.length > 0 && this.#isDue(lane)) this.#start(lane, () => this.#deliverLane(lane));
      void this.#revive();
    }
    this.#setTimer();
  }

  #isDue({ isRunning, isProbe, attempts, nextAt }: Omit<PendingGap, 'entry'>): boolean {
    if (isRunning) return false;
    return isProbe || (attempts > 0 ? performance.now() >= nextAt : !this.#health.isDown);
  }

  /** Tries the failed event that is due first now. */
  #probe(): void {
    const failed = [...(this.#gap ? [this.#gap] : []), ...this.#lanes.values()].filter(({ attempts }) => attempts > 0);
    const soonest = failed.reduce<(typeof failed)[number] | undefined>(
      (first, one) => (first && first.nextAt <= one.nextAt ? first : one),
      undefined,
    );
    if (soonest) soonest.isProbe = true;
  }

  /** While the endpoint is down, tries one session that has not failed yet, or the gap of all sessions. */
  #beginTrial(): void {
    const untried = this.#untried();
    if (!untried) return;
    untried.isProbe = true;
    this.#health.trialBegins();
  }

  #untried(): Lane | PendingGap | undefined {
    const all = [...(this.#gap ? [this.#gap] : []), ...this.#lanes.values()];
    return all.find(({ attempts, isRunning }) => attempts === 0 && !isRunning);
  }

  #start(one: Lane | PendingGap, deliver: () => Promise<void>): void {
    if (this.#running >= MAX_SIDE_BY_SIDE) return;
    this.#running += 1;
    one.isRunning = true;
    void deliver()
      .catch((error: unknown) => this.#failedItself(error))
      .finally(() => {
        this.#running -= 1;
        one.isRunning = false;
        this.#wake();
      });
  }

  /** When something is due, in the time of `performance.now()`. */
  #nextAt(): number {
    const { isDown, trialAt, probeAt, putOffUntil } = this.#health;
    const untriedAt = isDown ? trialAt : 0;
    const atOf = (one: Lane | PendingGap) => {
      if (one.isProbe) return 0;
      return one.attempts > 0 ? Math.min(one.nextAt, probeAt) : untriedAt;
    };
    let soonest = this.#gap && !this.#gap.isRunning ? atOf(this.#gap) : Number.POSITIVE_INFINITY;
    for (const lane of this.#lanes.values()) {
      if (lane.isRunning) continue;
      soonest = Math.min(soonest, Math.max(atOf(lane), lane.queue.length > 0 ? 0 : this.#readAgainAt));
    }
    if (!this.#gap && !this.#isReading && !this.#feed.isAtEnd)
      soonest = Math.min(soonest, Math.max(untriedAt, this.#readAgainAt));
    if (!this.#isReviving && this.#parts.revivals.next()) soonest = Math.min(soonest, this.#readAgainAt);
    return Math.max(soonest, putOffUntil);
  }

  #setTimer(): void {
    clearTimeout(this.#retryTimer);
    if (this.#hasStopped) return;
    const waitMs = this.#nextAt() - performance.now();
    // A running delivery or read calls this again when it ends. Otherwise something may have become due just now.
    const isBusy = this.#running > 0 || this.#isReading || this.#isReadingBehind;
    if (waitMs === Number.POSITIVE_INFINITY || (waitMs <= 0 && isBusy)) return;
    this.#retryTimer = setTimeout(() => this.#wake(), Math.min(Math.max(waitMs, MIN_TIMER_MS), MAX_TIMER_MS)).unref();
  }

  // Reading new events.

  get #mayRead(): boolean {
    if (this.#gap || this.#queued >= MAX_QUEUED || performance.now() < this.#readAgainAt) return false;
    return !this.#health.isDown || (performance.now() >= this.#health.trialAt && !this.#untried());
  }

  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (!this.#hasStopped && this.#mayRead) {
        if (this.#held.length === 0 && this.#feed.isAtEnd) break;
        if (this.#held.length === 0) this.#held = await this.#feed.read();
        const hasNew = this.#held.length > 0;
        this.#takeHeld();
        if (this.#held.length === 0) this.#readUpTo = this.#feed.position;
        if (hasNew) this.#startDeliveries();
      }
      this.#probeDeleted();
      this.#saver.passed(this.#readUpTo);
    } catch (error) {
      this.#readAgain(error);
    } finally {
      this.#isReading = false;
      this.#setTimer();
    }
  }

  /** A failed event of a deleted session must not hold back anything, not even a new session with the same id. */
  #probeDeleted(): void {
    for (const lane of this.#lanes.values()) {
      const { session, attempts, behind, queue, isRunning } = lane;
      const isIdle = attempts > 0 && queue.length === 0 && !isRunning;
      if (isIdle && behind !== undefined && this.#parts.isDeleted(session, behind)) lane.isProbe = true;
    }
  }

  #takeHeld(): void {
    for (let [entry] = this.#held; entry; [entry] = this.#held) {
      const stored = withId(entry);
      if (entry.session === undefined) {
        this.#gap = { entry: stored, attempts: 0, nextAt: 0, isProbe: false, isRunning: false };
        return;
      }
      this.#enqueue(entry.session, stored);
      this.#readUpTo = stored.id;
      this.#held.shift();
    }
  }

  #enqueue(session: string, entry: Stored): void {
    const lane = this.#lanes.get(session) ?? this.#addLane(session);
    if (lane.behind !== undefined) return;
    const last = lane.queue.at(-1);
    if (last && lane.queue.length >= MAX_QUEUED_OF_A_SESSION) lane.behind = last.id;
    else this.#push(lane, entry);
  }

  #push(lane: Lane, entry: Stored): void {
    lane.queue.push(entry);
    this.#queued += 1;
  }

  #addLane(session: string, state: Partial<Pick<Lane, 'behind' | 'attempts' | 'nextAt'>> = {}): Lane {
    const { behind, attempts = 0, nextAt = 0 } = state;
    const lane: Lane = { session, queue: [], behind, attempts, nextAt, isProbe: false, isRunning: false };
    this.#lanes.set(session, lane);
    return lane;
  }

  // Reading the backlog.

  async #readBehind(): Promise<void> {
    if (this.#isReadingBehind) return;
    this.#isReadingBehind = true;
    try {
      while (!this.#hasStopped && this.#mayReadBehind) {
        if (this.#queued >= MAX_QUEUED_BEHIND) this.#dropUndue();
        const pass = this.#pass ?? this.#beginPass();
        if (!pass) break;
        for (const entry of await pass.read()) this.#enqueueBehind(withId(entry));
        if (this.#isUpToDate(pass.position)) this.#joinOthers();
        if (this.#passing.size === 0) this.#pass = undefined;
        this.#startDeliveries();
      }
    } catch (error) {
      this.#passing.clear();
      this.#pass = undefined;
      this.#readAgain(error);
    } finally {
      this.#isReadingBehind = false;
      this.#setTimer();
    }
  }

  get #mayReadBehind(): boolean {
    const now = performance.now();
    // If no delivery runs, the events in memory are not waiting for room.
    const hasRoom = this.#queued < MAX_QUEUED_BEHIND || this.#running === 0;
    return hasRoom && now >= this.#readAgainAt && now >= this.#health.putOffUntil;
  }

  /** One pass serves all sessions that are due now: none of them reads the journal separately. */
  #beginPass(): Feed | undefined {
    const { feed, seqOf } = this.#parts;
    let first: string | undefined;
    for (const lane of this.#lanes.values()) {
      if (lane.behind === undefined || lane.queue.length > 0 || !this.#isDue(lane)) continue;
      this.#passing.add(lane.session);
      if (first === undefined || seqOf(lane.behind) < seqOf(first)) first = lane.behind;
    }
    if (first === undefined) return undefined;
    this.#pass = feed(first, (session) => this.#passing.has(session));
    return this.#pass;
  }

  /**
   * Leaves events in the journal that cannot be delivered now, for example because the endpoint went down during the
   * pass.
   */
  #dropUndue(): void {
    for (const session of this.#passing) {
      const lane = this.#lanes.get(session);
      if (!lane || !this.#isDue(lane)) this.#passing.delete(session);
    }
    if (this.#passing.size === 0) this.#pass = undefined;
  }

  #isUpToDate(position: string): boolean {
    return this.#parts.seqOf(position) >= this.#parts.seqOf(this.#readUpTo);
  }

  #enqueueBehind(entry: Stored): void {
    const { seqOf } = this.#parts;
    const seq = seqOf(entry.id);
    if (seq > seqOf(this.#readUpTo)) return; // It arrives through the main feed.
    const sessions = entry.session === undefined ? [...this.#passing] : [entry.session];
    for (const session of sessions) {
      const lane = this.#passing.has(session) ? this.#lanes.get(session) : undefined;
      if (!lane || lane.behind === undefined || seq <= seqOf(lane.behind)) continue;
      if (lane.queue.length >= MAX_QUEUED_OF_A_SESSION) {
        this.#passing.delete(session);
        continue;
      }
      const isGap = entry.session === undefined;
      // The webhook no longer includes the failed event. If it has expired, the gap replaces it.
      if (lane.queue.length === 0 && !isGap && seq !== seqOf(lane.behind) + 1) resetAttempts(lane);
      this.#push(lane, isGap ? gapOf(session, entry, lane.behind) : entry);
      lane.behind = entry.id;
    }
  }

  /** Later events of these sessions arrive through the main feed. */
  #joinOthers(): void {
    for (const session of this.#passing) {
      const lane = this.#lanes.get(session);
      if (!lane) continue;
      lane.behind = undefined;
      if (lane.queue.length === 0) this.#leave(lane);
    }
    this.#passing.clear();
  }

  /** The session has no waiting events. `isGivenUp`: its last event is a dead letter. */
  #leave({ session }: Lane, isGivenUp = false): void {
    this.#lanes.delete(session);
    if (!isGivenUp && this.#lanes.size === 0 && !this.#gap) this.#health.forgetFailures();
    this.#saver.changed();
  }

  // Deliveries.

  async #deliverLane(lane: Lane): Promise<void> {
    const isAttempt = takeTurn(lane);
    const endsAt = performance.now() + TURN_MS;
    let isGivenUp = false;
    for (let turn = 0; turn < TURN && performance.now() < endsAt; turn += 1) {
      const [entry] = lane.queue;
      if (!entry) break;
      const outcome = await this.#deliver(entry);
      if (this.#hasStopped) return;
      if (outcome.kind === 'put_off') {
        lane.isProbe = true;
        return;
      }
      if (outcome.kind === 'delivered') {
        this.#shift(lane);
        isGivenUp = false;
        continue;
      }
      if (isAttempt || turn > 0) await this.#retryLater(lane, entry, outcome.message);
      isGivenUp = lane.attempts === 0;
      if (isGivenUp) continue;
      this.#leaveBehind(lane, entry);
      return;
    }
    if (lane.queue.length === 0 && lane.behind === undefined) {
      this.#leave(lane, isGivenUp);
      return;
    }
    this.#lanes.delete(lane.session);
    this.#lanes.set(lane.session, lane); // Behind the others.
  }

  #shift(lane: Lane): void {
    lane.queue.shift();
    this.#queued -= 1;
    lane.isProbe = false; // The probe was for the event that is done.
    resetAttempts(lane);
  }

  /** Drops the events after a failed one from memory. */
  #leaveBehind(lane: Lane, failed: Stored): void {
    this.#queued -= lane.queue.length;
    lane.queue.length = 0;
    lane.behind = this.#positionBefore(failed);
    this.#passing.delete(lane.session);
  }

  #positionBefore({ id, expiredAfter }: Stored): string {
    return expiredAfter ?? this.#parts.positionBefore(id);
  }

  async #deliverGap(gap: PendingGap): Promise<void> {
    const isAttempt = takeTurn(gap);
    const outcome = await this.#deliver(gap.entry);
    if (this.#hasStopped) return;
    if (outcome.kind === 'put_off') {
      gap.isProbe = true;
      return;
    }
    if (outcome.kind !== 'delivered') {
      if (isAttempt) await this.#retryLater(gap, gap.entry, outcome.message);
      if (gap.attempts > 0) return;
    }
    this.#gap = undefined;
    this.#held.shift();
  }

  /** Schedules the next attempt of an event, or makes it a dead letter. */
  async #retryLater(one: Lane | PendingGap, entry: Stored, message: string): Promise<void> {
    const attempts = one.attempts + 1;
    const waitMs = this.#parts.retryDelaysMs[one.attempts];
    if (waitMs !== undefined) {
      one.attempts = attempts;
      one.nextAt = performance.now() + waitMs * (1 - JITTER + 2 * JITTER * Math.random());
      return;
    }
    const { postedId: id, event, session } = entry;
    const whose = session === undefined ? {} : { session };
    try {
      await this.#parts.bury({ id, event, ...whose, at: new Date().toISOString(), attempts, message }, entry);
    } catch (error) {
      this.#failedItself(error);
      one.attempts ||= 1;
      one.nextAt = performance.now() + BURY_AGAIN_MS;
      return;
    }
    if ('queue' in one) this.#shift(one);
    else resetAttempts(one);
    this.#saver.changed();
  }

  /** Replays dead letters: one at a time, beside the other deliveries. */
  async #revive(): Promise<void> {
    if (this.#isReviving) return;
    this.#isReviving = true;
    const { revivals, find, post, isDeleted } = this.#parts;
    try {
      for (let next = revivals.next(); next; next = revivals.next()) {
        const now = performance.now();
        if (this.#hasStopped || now < this.#health.putOffUntil || now < this.#readAgainAt) return;
        const entry = next.gap ?? (await find(next.id));
        // The gap of a deleted session is no longer a dead letter.
        const isOfDeleted = !next.gap && entry?.session !== undefined && isDeleted(entry.session, next.id);
        if (!entry || isOfDeleted) {
          revivals.done(next.id, 'expired');
          continue;
        }
        const outcome = await post({ ...entry, id: next.id, postedId: next.id }, this.#stopping.signal);
        if (this.#hasStopped) return;
        if (outcome.kind === 'put_off') this.#health.failed(entry.session ?? OF_ALL, outcome);
        else revivals.done(next.id, outcome.kind === 'delivered' ? 'delivered' : 'failed');
        if (outcome.kind === 'delivered') this.#succeeded();
        if (outcome.kind === 'gone') this.#disable('gone');
        this.#wake(); // Others may be due: dead letters may take hours.
      }
    } catch (error) {
      this.#readAgain(error);
    } finally {
      this.#isReviving = false;
      this.#setTimer();
    }
  }

  async #deliver(entry: Stored): Promise<Outcome> {
    if (entry.session !== undefined && this.#parts.isDeleted(entry.session, entry.id)) return { kind: 'delivered' };
    this.#health.attemptBegins();
    const outcome = await this.#parts.post(entry, this.#stopping.signal);
    if (this.#hasStopped) return outcome;
    if (outcome.kind === 'delivered') this.#succeeded();
    else this.#failed(entry.session ?? OF_ALL, outcome);
    return outcome;
  }

  #succeeded(): void {
    this.#saver.delivered();
    if (this.#health.succeeded()) for (const lane of this.#lanes.values()) lane.isProbe ||= lane.attempts > 0;
  }

  #failed(session: string, outcome: Exclude<Outcome, { kind: 'delivered' }>): void {
    this.#health.failed(session, outcome);
    this.#saver.changed();
    if (outcome.kind === 'gone') this.#disable('gone');
    else if (this.#health.isGivenUp) this.#disable('no_success');
  }

  #disable(reason: 'gone' | 'no_success'): void {
    const { progress } = this;
    this.stop();
    void this.#parts.save(progress).catch(() => {});
    this.#parts.onDisabled(reason);
  }

  #readAgain(error: unknown): void {
    this.#failedItself(error);
    this.#readAgainAt = performance.now() + READ_AGAIN_MS;
  }

  #failedItself(error: unknown): void {
    if (!this.#hasStopped) this.#parts.log.error({ error: errorText(error) }, 'webhook not delivered');
  }
}

/** Returns false if its time has not come: then a failure does not count as an attempt of its event. */
function takeTurn(one: Pick<Lane, 'attempts' | 'nextAt' | 'isProbe'>): boolean {
  one.isProbe = false;
  return one.attempts === 0 || performance.now() >= one.nextAt;
}

function resetAttempts(one: Pick<Lane, 'attempts' | 'nextAt'>): void {
  one.attempts = 0;
  one.nextAt = 0;
}

/** The gap of a session whose backlog has expired. */
function gapOf(session: string, { text, ...gap }: Stored, from: string): Stored {
  return {
    ...{ ...gap, session, expiredAfter: from, postedId: `${gap.id}-gap-${session}` },
    text: JSON.stringify({ ...JSON.parse(text), from }),
  };
}

function withId(entry: Entry): Stored {
  const id = entry.id ?? `none-${entry.at}-0`; // A gap without a preceding event.
  return { ...entry, id, postedId: entry.session === undefined ? `${id}-gap-all` : id };
}

function wallTime(at: number): number {
  return Math.round(Date.now() + at - performance.now());
}
