import { type DeadLetter, errorText } from '@chat-web/protocol';
import type { Entry, Feed } from '../events/feed.ts';
import type { Log } from '../log.ts';
import type { Outcome } from './endpoint.ts';
import type { Progress, Waiting } from './webhook-progress.ts';

/** What a courier needs. */
export interface CourierParts {
  /** The webhook's events after a position: of one session, or of all. */
  feed(after: string, session: string | undefined): Feed;
  /** The place of an event's id, or of a position, in the order of all. */
  seqOf(id: string): number;
  /** The position before an event. */
  positionBefore(id: string): string;
  /** True for an event of a session that was deleted since. */
  isDeleted(session: string, id: string): boolean;
  /** Posts an event once. Rejects only if the signal aborts. */
  post(entry: Entry & { readonly id: string }, signal: AbortSignal): Promise<Outcome>;
  /** Stores how far it has come. Rejects if that is not possible now. */
  save(progress: Progress): Promise<void>;
  /** Stores an event that is given up, or that a dead letter was delivered. */
  bury(letter: DeadLetter): void;
  revived(id: string): void;
  /** Nothing more is delivered: the courier has stopped. */
  onDisabled(reason: 'gone' | 'no_success'): void;
  /** The waits between the attempts of an event, in ms. */
  readonly retryDelaysMs: readonly number[];
  readonly log: Pick<Log, 'error'>;
}

/** An event with an id, as all that are stored have. */
type Stored = Entry & { readonly id: string };

/** A gap of all sessions. The events behind it wait until it is delivered. */
interface PendingGap {
  readonly entry: Stored;
  attempts: number;
  nextAt: number;
}

/** Among the sessions that are being delivered: the gap of all. */
const OF_ALL = '';

/** Sessions that are delivered side by side. */
const MAX_SIDE_BY_SIDE = 8;
/** Events of a session that wait in memory for those before them; what follows stays in the journal. */
const MAX_QUEUED_OF_A_SESSION = 64;
const MAX_QUEUED = 256;
/** A session is delivered that many before others have their turn. */
const TURN = 50;
/** An endpoint that fails for that many sessions is down: the events of others are not tried one by one. */
const SESSIONS_OF_AN_OUTAGE = 3;
/** How often the event of another session is tried meanwhile. */
const TRIAL_MS = 60_000;
/** How often an endpoint with no success is tried, beside the attempts of each event. */
const PROBE_MS = 5 * 60_000;
/** After a longer outage, all that waits is tried at the first success. */
const OUTAGE_MS = 60_000;
/** Without a success for so long, a webhook is disabled. */
const MAX_FAILING_MS = 72 * 60 * 60_000;
const SAVE_AFTER_MS = 500;
/** What is saved is a record of the journal, and as long as many wait. */
const MANY_WAITING = 20;
const SAVE_LONG_AFTER_MS = 10_000;
const SAVE_AGAIN_MS = 5_000;
const READ_AGAIN_MS = 5_000;
/** What passes by and is not for this webhook is saved seldom: only lest the position expires. */
const SAVE_PASSED_MS = 10 * 60_000;
const MANY_PASSED = 1_000;
const MAX_TIMER_MS = 60 * 60_000;

/**
 * Delivers the events of a webhook: at least once, and in order for each session. One feed reads the events of all
 * sessions. A session whose event fails leaves it, and waits; when its turn has come, a feed of its own catches up.
 */
export class Courier {
  readonly #parts: CourierParts;
  readonly #feed: Feed;
  /** How far the events of the feed are in the queues. */
  #readUpTo: string;
  #savedUpTo: string;
  /** Events in order, of sessions that do not wait. */
  readonly #queues = new Map<string, Stored[]>();
  #queued = 0;
  /** Read, and not in the queues yet. */
  #held: Entry[] = [];
  #gap: PendingGap | undefined;
  readonly #waiting: Map<string, Waiting>;
  /** Those of them that are tried now, although they are not due: that is no attempt of their event. */
  readonly #tryNow: Set<string>;
  /** Sessions of which something is being delivered. */
  readonly #running = new Set<string>();
  /** Sessions of which something failed since the last success. */
  readonly #failing: Set<string>;
  #lastSuccessAt: number | undefined;
  #failingSince: number | undefined;
  #lastFailure: Progress['lastFailure'];
  #lastAttemptAt = 0;
  /** The endpoint has asked not to be called before. */
  #putOffUntil = 0;
  #isReading = false;
  /** The journal could not be read: when it is tried again. */
  #readAgainAt = 0;
  #retryTimer: NodeJS.Timeout | undefined;
  #saveTimer: NodeJS.Timeout | undefined;
  #passedTimer: NodeJS.Timeout | undefined;
  #reviving: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();
  readonly #stopListening: () => void;

  constructor(progress: Progress, parts: CourierParts) {
    this.#parts = parts;
    const { position, waiting, lastSuccessAt, failingSince, lastFailure } = progress;
    this.#feed = parts.feed(position, undefined);
    this.#readUpTo = this.#savedUpTo = position;
    this.#waiting = new Map(Object.entries(waiting));
    this.#tryNow = new Set(this.#waiting.keys()); // Much may have changed since.
    this.#failing = new Set([...this.#waiting].filter(([, { attempts }]) => attempts > 0).map(([session]) => session));
    this.#lastSuccessAt = lastSuccessAt;
    this.#failingSince = failingSince;
    this.#lastFailure = lastFailure;
    this.#stopListening = this.#feed.onMore(() => void this.#read());
    this.#wake();
  }

  /** How far it has come. What is under way counts as not delivered. */
  get progress(): Progress {
    const underWay = [...this.#queues].flatMap(([session, [first]]): [string, Waiting][] =>
      first ? [[session, { after: this.#parts.positionBefore(first.id), attempts: 0, nextAt: 0 }]] : [],
    );
    return {
      position: this.#readUpTo,
      waiting: Object.fromEntries([...this.#waiting, ...underWay]),
      ...(this.#lastSuccessAt === undefined ? {} : { lastSuccessAt: this.#lastSuccessAt }),
      ...(this.#failingSince === undefined ? {} : { failingSince: this.#failingSince }),
      ...(this.#lastFailure === undefined ? {} : { lastFailure: this.#lastFailure }),
    };
  }

  /** When it tries again, as Unix time in ms; undefined unless something waits for that. */
  get nextAttemptAt(): number | undefined {
    const nextAt = this.#nextAt();
    return nextAt > Date.now() && nextAt < Number.POSITIVE_INFINITY ? nextAt : undefined;
  }

  /** Stops at once. What is under way is broken off, and counts as not delivered. */
  stop(): void {
    this.#stopping.abort(new Error('the webhook has stopped'));
    this.#stopListening();
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#saveTimer);
    clearTimeout(this.#passedTimer);
  }

  /** Delivers these events again, one after the other and each once, beside all others. */
  revive(letters: readonly DeadLetter[]): void {
    this.#reviving = this.#reviving.then(async () => {
      for (const letter of letters) {
        if (this.#hasStopped) return;
        await this.#revive(letter).catch((error: unknown) => this.#failedItself(error));
      }
    });
  }

  get #hasStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  // What is to be done.

  #wake(): void {
    if (this.#hasStopped) return;
    void this.#read();
    this.#startDeliveries();
  }

  get #isDown(): boolean {
    return this.#failing.size >= SESSIONS_OF_AN_OUTAGE;
  }

  get #mayRead(): boolean {
    if (this.#gap || Date.now() < this.#readAgainAt) return false;
    return this.#isDown ? this.#queues.size === 0 && Date.now() >= this.#trialAt : this.#queued < MAX_QUEUED;
  }

  /** When the event of a session that has not failed is tried, while the endpoint is down. */
  get #trialAt(): number {
    return this.#lastAttemptAt + TRIAL_MS;
  }

  /** Reads what is new into the queues. */
  async #read(): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (!this.#hasStopped && this.#mayRead) {
        if (this.#held.length === 0 && this.#feed.isAtEnd) break;
        if (this.#held.length === 0) this.#held = await this.#feed.read();
        const hasNew = this.#held.length > 0;
        this.#enqueueHeld();
        if (this.#held.length === 0) this.#readUpTo = this.#feed.position;
        if (hasNew) this.#startDeliveries();
      }
      this.#savePassed();
    } catch (error) {
      this.#failedItself(error);
      this.#readAgainAt = Date.now() + READ_AGAIN_MS;
      this.#setTimer();
    } finally {
      this.#isReading = false;
    }
  }

  #enqueueHeld(): void {
    for (let [entry] = this.#held; entry; [entry] = this.#held) {
      const stored = withId(entry);
      if (entry.session === undefined) {
        this.#gap = { entry: stored, attempts: 0, nextAt: 0 };
        return;
      }
      this.#enqueue(entry.session, stored);
      this.#readUpTo = stored.id;
      this.#held.shift();
    }
  }

  #enqueue(session: string, entry: Stored): void {
    if (this.#waiting.has(session)) return; // It comes with those that wait.
    const queue = this.#queues.get(session) ?? [];
    const last = queue.at(-1);
    if (last && queue.length >= MAX_QUEUED_OF_A_SESSION) {
      this.#waiting.set(session, { after: last.id, attempts: 0, nextAt: 0 });
      return;
    }
    queue.push(entry);
    this.#queued += 1;
    this.#queues.set(session, queue);
  }

  #startDeliveries(): void {
    if (this.#hasStopped) return;
    const now = Date.now();
    if (now >= this.#putOffUntil) {
      if (this.#gap && now >= this.#gap.nextAt) this.#start(OF_ALL, () => this.#deliverGap());
      const isTrial = this.#isDown;
      for (const [session, queue] of this.#queues) {
        if (isTrial && (now < this.#trialAt || this.#running.size > 0)) break;
        this.#start(session, () => this.#deliverQueue(session, queue));
      }
      for (const session of this.#waiting.keys())
        if (this.#dueAt(session) <= now && !this.#queues.has(session))
          this.#start(session, () => this.#catchUp(session));
      const probed = this.#running.size === 0 && now >= this.#probeAt() ? this.#soonest()?.session : undefined;
      if (probed !== undefined) this.#start(probed, () => this.#catchUp(probed));
    }
    this.#setTimer();
  }

  #start(session: string, work: () => Promise<void>): void {
    if (this.#running.has(session) || this.#running.size >= MAX_SIDE_BY_SIDE) return;
    this.#running.add(session);
    this.#tryNow.delete(session);
    void work()
      .catch((error: unknown) => this.#failedItself(error))
      .finally(() => {
        this.#running.delete(session);
        this.#wake();
      });
  }

  /** The session that waits and is due first, of those that may be delivered. */
  #soonest(): { readonly session: string; readonly dueAt: number } | undefined {
    let soonest: { readonly session: string; readonly dueAt: number } | undefined;
    for (const session of this.#waiting.keys()) {
      if (this.#queues.has(session)) continue;
      const dueAt = this.#dueAt(session);
      if (soonest === undefined || dueAt < soonest.dueAt) soonest = { session, dueAt };
    }
    return soonest;
  }

  #dueAt(session: string): number {
    return this.#tryNow.has(session) ? 0 : (this.#waiting.get(session)?.nextAt ?? 0);
  }

  #probeAt(): number {
    return this.#failingSince === undefined ? Number.POSITIVE_INFINITY : this.#lastAttemptAt + PROBE_MS;
  }

  /** When something is due, as Unix time in ms. */
  #nextAt(): number {
    const soonest = this.#soonest();
    const othersAt = this.#isDown ? this.#trialAt : 0;
    const times = [
      ...(this.#gap ? [this.#gap.nextAt] : []),
      ...(soonest ? [soonest.dueAt, this.#probeAt()] : []),
      ...(this.#queues.size > 0 ? [othersAt] : []),
      ...(this.#gap || this.#feed.isAtEnd ? [] : [Math.max(othersAt, this.#readAgainAt)]),
    ];
    return Math.max(Math.min(...times), this.#putOffUntil);
  }

  #setTimer(): void {
    clearTimeout(this.#retryTimer);
    const waitMs = this.#nextAt() - Date.now();
    // What runs comes back here when it ends. Without that, something may have become due just now.
    if (waitMs === Number.POSITIVE_INFINITY || (waitMs <= 0 && (this.#running.size > 0 || this.#isReading))) return;
    this.#retryTimer = setTimeout(() => this.#wake(), Math.min(Math.max(waitMs, 1), MAX_TIMER_MS)).unref();
  }

  // Deliveries.

  /** The events of a session that came with the others. */
  async #deliverQueue(session: string, queue: Stored[]): Promise<void> {
    for (let turn = 0; turn < TURN; turn += 1) {
      const [entry] = queue;
      if (!entry) break;
      const outcome = await this.#deliver(entry);
      if (outcome.kind === 'put_off' || this.#hasStopped) return;
      if (outcome.kind !== 'delivered') {
        this.#queued -= queue.length;
        this.#queues.delete(session);
        const nextAt = Date.now() + this.#retryDelay(0);
        this.#waiting.set(session, { after: this.#parts.positionBefore(entry.id), attempts: 1, nextAt });
        return;
      }
      queue.shift();
      this.#queued -= 1;
    }
    this.#queues.delete(session);
    if (queue.length > 0) this.#queues.set(session, queue); // Behind the others.
  }

  async #deliverGap(): Promise<void> {
    const gap = this.#gap;
    if (!gap) return;
    const outcome = await this.#deliver(gap.entry);
    if (outcome.kind === 'put_off' || this.#hasStopped) return;
    const isLast = gap.attempts >= this.#parts.retryDelaysMs.length;
    if (outcome.kind !== 'delivered' && !isLast) {
      gap.nextAt = Date.now() + this.#retryDelay(gap.attempts);
      gap.attempts += 1;
      return;
    }
    if (outcome.kind !== 'delivered') this.#bury(gap.entry, gap.attempts + 1, outcome.message);
    this.#gap = undefined;
    this.#held.shift();
  }

  /** The events of a session that waits, until it has caught up with the others. */
  async #catchUp(session: string): Promise<void> {
    const { seqOf } = this.#parts;
    const feed = this.#parts.feed(this.#waiting.get(session)?.after ?? this.#readUpTo, session);
    for (let turn = 0; turn < TURN; ) {
      const entries = await feed.read();
      for (const entry of entries.map(withId)) {
        if (this.#hasStopped) return;
        if (seqOf(entry.id) > seqOf(this.#readUpTo)) {
          this.#waiting.delete(session); // It comes with the others.
          return;
        }
        const outcome = await this.#deliver(entry);
        if (outcome.kind === 'put_off' || this.#hasStopped) return;
        if (outcome.kind !== 'delivered') {
          this.#retryLater(session, entry, outcome.message);
          return;
        }
        this.#waiting.set(session, { after: entry.id, attempts: 0, nextAt: 0 });
        turn += 1;
      }
      if (seqOf(feed.position) >= seqOf(this.#readUpTo)) {
        this.#waiting.delete(session);
        this.#saveSoon();
        return;
      }
      this.#waiting.set(session, { after: feed.position, attempts: 0, nextAt: 0 });
    }
  }

  /** Sets when the event of a session is tried again, or gives it up. */
  #retryLater(session: string, entry: Stored, message: string): void {
    const waiting = this.#waiting.get(session);
    const now = Date.now();
    if (!waiting || (waiting.attempts > 0 && now < waiting.nextAt)) return; // A probe is no attempt of the event.
    const { attempts } = waiting;
    if (attempts < this.#parts.retryDelaysMs.length) {
      this.#waiting.set(session, { ...waiting, attempts: attempts + 1, nextAt: now + this.#retryDelay(attempts) });
      return;
    }
    this.#bury(entry, attempts + 1, message);
    this.#waiting.set(session, { after: entry.id, attempts: 0, nextAt: 0 });
  }

  #bury({ id, event, session }: Stored, attempts: number, message: string): void {
    const whose = session === undefined ? {} : { session };
    this.#parts.bury({ id, event, ...whose, at: new Date().toISOString(), attempts, message });
    this.#saveSoon();
  }

  /** With jitter, so that many do not come at one moment. */
  #retryDelay(attempt: number): number {
    return (this.#parts.retryDelaysMs[attempt] ?? 0) * (0.9 + Math.random() * 0.2);
  }

  async #revive({ id, session }: DeadLetter): Promise<void> {
    const { feed: open, positionBefore, seqOf, revived } = this.#parts;
    const feed = open(positionBefore(id), session);
    while (seqOf(feed.position) < seqOf(id)) {
      const entry = (await feed.read()).find((found) => found.id === id);
      if (this.#hasStopped) return;
      if (!entry) continue; // It is further on, or not kept any more.
      const outcome = await this.#deliver({ ...entry, id });
      if (outcome.kind === 'delivered') revived(id);
      return;
    }
  }

  async #deliver(entry: Stored): Promise<Outcome> {
    if (entry.session !== undefined && this.#parts.isDeleted(entry.session, entry.id)) return { kind: 'delivered' };
    this.#lastAttemptAt = Date.now();
    const outcome = await this.#parts.post(entry, this.#stopping.signal);
    if (this.#hasStopped) return outcome;
    if (outcome.kind === 'delivered') this.#succeeded();
    else this.#failed(entry.session ?? OF_ALL, outcome);
    this.#saveSoon();
    return outcome;
  }

  #succeeded(): void {
    const now = Date.now();
    this.#lastSuccessAt = now;
    const outageMs = now - (this.#failingSince ?? now);
    this.#failingSince = undefined;
    this.#failing.clear();
    if (outageMs <= OUTAGE_MS) return;
    for (const session of this.#waiting.keys()) this.#tryNow.add(session);
  }

  #failed(session: string, outcome: Exclude<Outcome, { kind: 'delivered' }>): void {
    const now = Date.now();
    this.#failingSince ??= now;
    this.#lastFailure = { at: now, message: outcome.message };
    if (outcome.kind === 'put_off') this.#putOffUntil = Math.max(this.#putOffUntil, now + outcome.waitMs);
    else this.#failing.add(session);
    if (outcome.kind === 'gone') this.#disable('gone');
    else if (now - this.#failingSince >= MAX_FAILING_MS) this.#disable('no_success');
  }

  #disable(reason: 'gone' | 'no_success'): void {
    const { progress } = this;
    this.stop();
    void this.#parts.save(progress).catch(() => {});
    this.#parts.onDisabled(reason);
  }

  // Its progress.

  #savePassed(): void {
    const passed = this.#parts.seqOf(this.#readUpTo) - this.#parts.seqOf(this.#savedUpTo);
    if (passed >= MANY_PASSED) this.#saveSoon();
    else if (passed > 0 && !this.#hasStopped)
      this.#passedTimer ??= setTimeout(() => this.#saveSoon(0), SAVE_PASSED_MS).unref();
  }

  #saveSoon(waitMs = this.#waiting.size > MANY_WAITING ? SAVE_LONG_AFTER_MS : SAVE_AFTER_MS): void {
    clearTimeout(this.#passedTimer);
    this.#passedTimer = undefined;
    this.#savedUpTo = this.#readUpTo;
    this.#saveTimer ??= setTimeout(() => {
      this.#saveTimer = undefined;
      this.#parts.save(this.progress).catch(() => this.#hasStopped || this.#saveSoon(SAVE_AGAIN_MS));
    }, waitMs).unref();
  }

  #failedItself(error: unknown): void {
    if (!this.#hasStopped) this.#parts.log.error({ error: errorText(error) }, 'webhook not delivered');
  }
}

/** A gap that nothing precedes has none. */
function withId(entry: Entry): Stored {
  return { ...entry, id: entry.id ?? `gap-${entry.at}-none` };
}
