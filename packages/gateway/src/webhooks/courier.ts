import { type DeadLetter, errorText } from '@chat-web/protocol';
import type { Entry, Feed } from '../events/feed.ts';
import type { Log } from '../log.ts';
import type { Outcome } from './endpoint.ts';
import { EndpointHealth } from './endpoint-health.ts';
import { ProgressSaver } from './progress-saver.ts';
import type { Progress, Waiting } from './webhook-progress.ts';

/** What a courier needs. */
export interface CourierParts {
  /** The webhook's events after a position: of all its sessions, or of those that `isAsked`. */
  feed(after: string, isAsked?: (session: string) => boolean): Feed;
  /** The event of an id, if it is kept. */
  find(id: string): Promise<Entry | undefined>;
  /** The place of an event's id, or of a position, in the order of all. */
  seqOf(id: string): number;
  /** The position before an event. */
  positionBefore(id: string): string;
  /** True for an event of a session that was deleted since. */
  isDeleted(session: string, id: string): boolean;
  /** Posts an event once. Rejects only if the signal aborts. */
  post(entry: Stored, signal: AbortSignal): Promise<Outcome>;
  /** Stores how far it has come. Rejects if that is not possible now. */
  save(progress: Progress): Promise<void>;
  /** Stores an event that is given up. Rejects if that is not possible now. */
  bury(letter: DeadLetter, entry: Stored): Promise<void>;
  /** Dead letters that are to be delivered again, each once. */
  readonly revivals: Revivals;
  /** Nothing more is delivered: the courier has stopped. */
  onDisabled(reason: 'gone' | 'no_success'): void;
  /** The waits between the attempts of an event, in ms. */
  readonly retryDelaysMs: readonly number[];
  readonly log: Pick<Log, 'error'>;
}

/** A dead letter to be delivered again. */
interface Revival {
  readonly id: string;
  /** A gap is not in the journal. */
  readonly gap: Entry | undefined;
}

/** Dead letters that somebody has asked for again. */
export interface Revivals {
  /** The next one; undefined if there is none. It stays the next until it is done. */
  next(): Revival | undefined;
  /** It was delivered, or failed and stays a dead letter, or its event is not kept any more. */
  done(id: string, outcome: 'delivered' | 'failed' | 'expired'): void;
}

/** An event with an id, as all that are stored have. */
export interface Stored extends Entry {
  readonly id: string;
  /** The id that the endpoint gets. What has expired ends at an id that is an event's own. */
  readonly postedId: string;
  /** What has expired begins after this position; an event begins after the one before it. */
  readonly expiredAfter?: string;
}

/** The events of a session that are on their way. Times are ms of `performance.now()`. */
interface Lane {
  readonly session: string;
  /** In order. */
  readonly queue: Stored[];
  /** What follows this position is still in the journal. Undefined: it comes with the events of all. */
  behind: string | undefined;
  /** How often the first event has failed. */
  attempts: number;
  nextAt: number;
  /** To be tried although its time has not come: that is no attempt of the event. */
  isProbe: boolean;
  isRunning: boolean;
}

/** A gap of all sessions. The events after it wait until it is delivered. */
interface PendingGap extends Pick<Lane, 'attempts' | 'nextAt' | 'isProbe' | 'isRunning'> {
  readonly entry: Stored;
}

/** Among the sessions that fail: the gap of all. */
const OF_ALL = '';

/** Sessions that are delivered side by side. */
const MAX_SIDE_BY_SIDE = 8;
/** Events of a session in memory; what follows stays in the journal. */
const MAX_QUEUED_OF_A_SESSION = 64;
const MAX_QUEUED = 256;
/** Room is left for sessions that are not behind. */
const MAX_QUEUED_BEHIND = 128;
/** Of the waits between attempts: many must not come at one moment. */
const JITTER = 0.1;
/** Then others have their turn. */
const TURN = 50;
const TURN_MS = 1_000;
const READ_AGAIN_MS = 5_000;
/** Another attempt to give an event up: it is posted once more then. */
const BURY_AGAIN_MS = 60_000;
const MIN_TIMER_MS = 5;
const MAX_TIMER_MS = 60 * 60_000;

/**
 * Delivers the events of a webhook: at least once, and in order for each session. One feed reads the events of all
 * sessions as they happen. A session whose event fails, or that has too many, is behind: its events stay in the journal
 * until its turn has come, and one pass over the journal reads those of all sessions that are due.
 */
export class Courier {
  readonly #parts: CourierParts;
  readonly #health: EndpointHealth;
  readonly #feed: Feed;
  /** All events of the feed up to here are in lanes, or those lanes are behind. */
  #readUpTo: string;
  /** Read, and not in lanes yet. */
  #held: Entry[] = [];
  #gap: PendingGap | undefined;
  readonly #lanes = new Map<string, Lane>();
  #queued = 0;
  #running = 0;
  /** The sessions of the present pass over what is behind. */
  readonly #passing = new Set<string>();
  #pass: Feed | undefined;
  #isReading = false;
  #isReadingBehind = false;
  /** The journal could not be read: when it is tried again. */
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
      // Much may have changed since. A clock that was set back must not put it off for longer than the schedule has it.
      const longest = (parts.retryDelaysMs[attempts - 1] ?? 0) * (1 + JITTER);
      const waitMs = Math.min(Math.max(nextAt - Date.now(), 0), longest);
      const lane = this.#addLane(session, { behind: after, attempts, nextAt: performance.now() + waitMs });
      lane.isProbe = attempts > 0 && !this.#health.isDown;
    }
    if (this.#health.isDown) this.#probe();
    this.#stopListening = this.#feed.onMore(() => void this.#read());
    this.#wake();
  }

  /** How far it has come. What is under way counts as not delivered. */
  get progress(): Progress {
    const waiting = [...this.#lanes.values()].map((lane): [string, Waiting] => {
      const [first] = lane.queue;
      const after = first ? this.#positionBefore(first) : (lane.behind ?? this.#readUpTo);
      return [lane.session, { after, attempts: lane.attempts, nextAt: lane.attempts > 0 ? wallTime(lane.nextAt) : 0 }];
    });
    return { position: this.#readUpTo, waiting: Object.fromEntries(waiting), ...this.#health.progress };
  }

  /** Nothing was delivered when it was last tried, and something waits. */
  get isFailing(): boolean {
    return this.#health.isFailing && (this.#lanes.size > 0 || this.#gap !== undefined);
  }

  /** When it tries again, as Unix time in ms; undefined unless something waits for that. */
  get nextAttemptAt(): number | undefined {
    const nextAt = this.#nextAt();
    return nextAt > performance.now() && nextAt < Number.POSITIVE_INFINITY ? wallTime(nextAt) : undefined;
  }

  /** Stops at once. What is under way is broken off, and counts as not delivered. */
  stop(): void {
    this.#stopping.abort(new Error('the webhook has stopped'));
    this.#stopListening();
    clearTimeout(this.#retryTimer);
    this.#saver.stop();
  }

  /** To be called when there are dead letters to deliver again. */
  revive(): void {
    this.#wake();
  }

  get #hasStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  // What is to be done.

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

  /** What is due first is tried now. */
  #probe(): void {
    const failed = [...(this.#gap ? [this.#gap] : []), ...this.#lanes.values()].filter(({ attempts }) => attempts > 0);
    const soonest = failed.reduce<(typeof failed)[number] | undefined>(
      (first, one) => (first && first.nextAt <= one.nextAt ? first : one),
      undefined,
    );
    if (soonest) soonest.isProbe = true;
  }

  /** While the endpoint is down, one session that has not failed yet is tried, or the gap of all. */
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

  /** When something is due, as `performance.now()` has it. */
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
    // What runs comes back here when it ends. Without that, something may have become due just now.
    const isBusy = this.#running > 0 || this.#isReading || this.#isReadingBehind;
    if (waitMs === Number.POSITIVE_INFINITY || (waitMs <= 0 && isBusy)) return;
    this.#retryTimer = setTimeout(() => this.#wake(), Math.min(Math.max(waitMs, MIN_TIMER_MS), MAX_TIMER_MS)).unref();
  }

  // Reading what happens.

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

  /** What has failed of a session that was deleted holds back nothing, not even another session of that name. */
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

  // Reading what is behind.

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
    // While nothing runs, what is in memory waits for something else than room.
    const hasRoom = this.#queued < MAX_QUEUED_BEHIND || this.#running === 0;
    return hasRoom && now >= this.#readAgainAt && now >= this.#health.putOffUntil;
  }

  /** One pass is for all sessions that are due now: none of them reads the journal for itself. */
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

  /** What cannot be delivered now stays in the journal: the endpoint is down since the pass began, say. */
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
    if (seq > seqOf(this.#readUpTo)) return; // It comes with the events of all.
    const sessions = entry.session === undefined ? [...this.#passing] : [entry.session];
    for (const session of sessions) {
      const lane = this.#passing.has(session) ? this.#lanes.get(session) : undefined;
      if (!lane || lane.behind === undefined || seq <= seqOf(lane.behind)) continue;
      if (lane.queue.length >= MAX_QUEUED_OF_A_SESSION) {
        this.#passing.delete(session);
        continue;
      }
      const isGap = entry.session === undefined;
      // The event that has failed is not asked for any more. If it has expired, the gap takes its place.
      if (lane.queue.length === 0 && !isGap && seq !== seqOf(lane.behind) + 1) resetAttempts(lane);
      this.#push(lane, isGap ? gapOf(session, entry, lane.behind) : entry);
      lane.behind = entry.id;
    }
  }

  /** What follows of these sessions comes with the events of all. */
  #joinOthers(): void {
    for (const session of this.#passing) {
      const lane = this.#lanes.get(session);
      if (!lane) continue;
      lane.behind = undefined;
      if (lane.queue.length === 0) this.#leave(lane);
    }
    this.#passing.clear();
  }

  /** Nothing of the session waits. `isGivenUp`: its last event is a dead letter. */
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
    this.#lanes.set(lane.session, lane); // After the others.
  }

  #shift(lane: Lane): void {
    lane.queue.shift();
    this.#queued -= 1;
    lane.isProbe = false; // It was for the event that is done with.
    resetAttempts(lane);
  }

  /** What follows its failed event does not take memory. */
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

  /** Sets when an event is tried again, or gives it up. */
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

  /** Delivers dead letters again: one after the other, beside all others. */
  async #revive(): Promise<void> {
    if (this.#isReviving) return;
    this.#isReviving = true;
    const { revivals, find, post, isDeleted } = this.#parts;
    try {
      for (let next = revivals.next(); next; next = revivals.next()) {
        const now = performance.now();
        if (this.#hasStopped || now < this.#health.putOffUntil || now < this.#readAgainAt) return;
        const entry = next.gap ?? (await find(next.id));
        // A gap is no longer a dead letter once its session is deleted.
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
        this.#wake(); // Others may be due: there may be hours of dead letters.
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

/** Returns false if its time has not come: a failure is then no attempt of its event. */
function takeTurn(one: Pick<Lane, 'attempts' | 'nextAt' | 'isProbe'>): boolean {
  one.isProbe = false;
  return one.attempts === 0 || performance.now() >= one.nextAt;
}

function resetAttempts(one: Pick<Lane, 'attempts' | 'nextAt'>): void {
  one.attempts = 0;
  one.nextAt = 0;
}

/** What has expired of a session that was behind. */
function gapOf(session: string, { text, ...gap }: Stored, from: string): Stored {
  return {
    ...{ ...gap, session, expiredAfter: from, postedId: `${gap.id}-gap-${session}` },
    text: JSON.stringify({ ...JSON.parse(text), from }),
  };
}

function withId(entry: Entry): Stored {
  const id = entry.id ?? `none-${entry.at}-0`; // A gap that nothing precedes.
  return { ...entry, id, postedId: entry.session === undefined ? `${id}-gap-all` : id };
}

function wallTime(at: number): number {
  return Math.round(Date.now() + at - performance.now());
}
