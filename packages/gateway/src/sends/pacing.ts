import { DAY_MS, type ErrorCode, GatewayError, getOrAdd, SECOND_MS } from '@chat-web/protocol';
import { Budget } from '../budget.ts';
import type { RequestJournal } from '../events/request-journal.ts';
import { type KnownPeople, peopleNotes, personOf } from './known-people.ts';

/** The limits of each session; 0: none. */
export interface PacingLimits {
  readonly maxSendsPerSecond: number;
  readonly maxNewChatsPerDay: number;
}

interface Dependencies {
  readonly limits: PacingLimits;
  readonly people: KnownPeople;
  readonly journal: Pick<RequestJournal, 'append'>;
  readonly sessions: {
    /** The error that a call to this session would get now; undefined if it would be forwarded. */
    refusalOf(session: string, operation: 'sendMessage'): GatewayError | undefined;
  };
}

/** The name of a limit in the metrics. */
export type Pace = 'sends_per_second' | 'new_chats_per_day';

export interface PacedInput {
  readonly id: string;
  readonly type?: unknown;
  readonly to?: unknown;
}

/** A first message of a session to a person, and the key that sends it. */
interface First {
  readonly id: string;
  readonly person: number;
  readonly keyId: string | undefined;
}

/** First messages to one person that are in progress. */
interface Opening {
  /** Resolves when the record of the first message is on disk. */
  readonly noted: Promise<void>;
  sends: number;
  /** One of them was, or may have been, sent. */
  mayBeSent: boolean;
  /** The network has returned the recipient's id. */
  isNamed: boolean;
  /** None was sent: resolves when that is on disk, or could not be stored. */
  undone: Promise<void> | undefined;
}

const PACED = new Set(['sendMessage', 'forwardMessage', 'postStatus', 'postToChannel']);
/** After these errors it is uncertain whether anything was sent. */
const UNCERTAIN = new Set<ErrorCode>(['outcome_unknown', 'session_lost', 'internal_error']);
/** One token, minus rounding errors of fractions. */
const ONE = 1 - 1e-9;

/**
 * Limits what each session sends, before anything is done, so that the network does not restrict its account. The
 * limits hold across restarts of session, worker and gateway: a first message to a person is on disk before it is sent,
 * and is removed if it certainly was not sent. How many messages were sent in the second before a restart of the
 * gateway is unknown: its budget begins empty.
 */
export class Pacing {
  readonly refused = new Map<Pace, number>([
    ['sends_per_second', 0],
    ['new_chats_per_day', 0],
  ]);
  readonly #dependencies: Dependencies;
  readonly #budgets = new Map<string, Budget>();
  readonly #openings = new Map<string, Map<number, Opening>>();
  readonly #beganAt = performance.now();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Carries an operation out, if the limits allow it. 429 `rate_limited` with the time after which it would be allowed;
   * 503 if a first message cannot be recorded. `keyId`: of the caller; undefined for the operator.
   */
  async send<T>(operation: string, input: PacedInput, send: () => Promise<T>, keyId?: string): Promise<T> {
    if (!PACED.has(operation) || input.type === 'reaction') return send();
    const { limits, people, sessions } = this.#dependencies;
    const { id, to } = input;
    const refusal = sessions.refusalOf(id, 'sendMessage');
    if (refusal) throw refusal;
    const person = limits.maxNewChatsPerDay > 0 ? personOf(String(to)) : undefined;
    if (person === undefined) {
      this.#takeToken(id);
      return send();
    }
    for (let undone = this.#undoing(id, person); undone; undone = this.#undoing(id, person)) await undone;
    // Nothing else runs until it is reserved.
    const underWay = this.#openings.get(id)?.get(person);
    const isKnown = underWay === undefined && people.knows(id, person);
    if (!underWay && !isKnown) this.#requireRoom(id);
    this.#takeToken(id);
    return isKnown ? send() : this.#open({ id, person, keyId }, underWay, send);
  }

  #undoing(id: string, person: number): Promise<void> | undefined {
    return this.#openings.get(id)?.get(person)?.undone;
  }

  async #open<T>(first: First, underWay: Opening | undefined, send: () => Promise<T>): Promise<T> {
    const opening = underWay ?? this.#reserve(first);
    opening.sends += 1;
    try {
      await opening.noted;
      const answer = await send().catch((error: unknown) => {
        if (!isCertainlyUnsent(error)) opening.mayBeSent = true;
        throw error;
      });
      opening.mayBeSent = true;
      if (!opening.isNamed) this.#learn(first, answer, opening);
      return answer;
    } finally {
      opening.sends -= 1;
      if (opening.sends === 0) this.#close(first, opening);
    }
  }

  #reserve({ id, person, keyId }: First): Opening {
    const noted = this.#dependencies.journal.append(peopleNotes.first(id, person), keyId).catch((error: unknown) => {
      if (error instanceof GatewayError) throw error;
      throw new GatewayError(
        'insufficient_resources',
        'nothing was sent: the first message to a new person cannot be recorded (CHAT_WEB_MAX_NEW_CHATS_PER_DAY); free space on the disk',
      );
    });
    const opening: Opening = { noted, sends: 0, mayBeSent: false, isNamed: false, undone: undefined };
    getOrAdd(this.#openings, id, () => new Map<number, Opening>()).set(person, opening);
    return opening;
  }

  #close({ id, person, keyId }: First, opening: Opening): void {
    if (opening.mayBeSent || !this.#dependencies.people.hasFirst(id, person)) {
      this.#leave(id, person);
      return;
    }
    // If that cannot be stored, it counts for a day.
    opening.undone = this.#dependencies.journal
      .append(peopleNotes.unsent(id, person), keyId, 'nothing')
      .catch(() => {})
      .then(() => this.#leave(id, person));
  }

  #leave(id: string, person: number): void {
    const openings = this.#openings.get(id);
    openings?.delete(person);
    if (openings?.size === 0) this.#openings.delete(id);
  }

  /**
   * The network may name the recipient by another id, which their answers will have. If that one is known, this was no
   * first message: a number can have two forms.
   */
  #learn({ id, person, keyId }: First, answer: unknown, opening: Opening): void {
    const { to } = (answer ?? {}) as { readonly to?: unknown };
    const named = typeof to === 'string' ? personOf(to) : undefined;
    if (named === undefined) return;
    opening.isNamed = true;
    if (named === person) return;
    const notes = this.#dependencies.people.knows(id, named)
      ? [peopleNotes.unsent(id, person), peopleNotes.known(id, person)]
      : [peopleNotes.known(id, named)];
    // What cannot be stored counts as another person.
    for (const noted of notes) this.#dependencies.journal.append(noted, keyId, 'nothing').catch(() => {});
  }

  #requireRoom(id: string): void {
    const { people, limits } = this.#dependencies;
    const now = Date.now();
    const times = people.firstsOf(id, now);
    const openings = [...(this.#openings.get(id)?.keys() ?? [])];
    const taken = times.length + openings.filter((person) => !people.hasFirst(id, person)).length;
    if (taken < limits.maxNewChatsPerDay) return;
    // Those in progress count as sent now.
    const freeAt = (times[taken - limits.maxNewChatsPerDay] ?? now) + DAY_MS;
    throw this.#refusal(
      'new_chats_per_day',
      `the session has written to ${limits.maxNewChatsPerDay} new people within 24 hours, which is the limit (CHAT_WEB_MAX_NEW_CHATS_PER_DAY)`,
      freeAt - now,
    );
  }

  #takeToken(id: string): void {
    const { maxSendsPerSecond: perSecond } = this.#dependencies.limits;
    if (perSecond === 0) return;
    const budget = getOrAdd(this.#budgets, id, () => this.#emptyBudget(perSecond));
    const now = performance.now();
    if (budget.take(ONE, now)) return;
    throw this.#refusal(
      'sends_per_second',
      `the session may send ${perSecond} messages a second, which is the limit (CHAT_WEB_MAX_SENDS_PER_SECOND)`,
      budget.msUntil(ONE, now),
    );
  }

  /** As full as it would be if it had been empty when the gateway started. */
  #emptyBudget(perSecond: number): Budget {
    const burst = Math.max(1, perSecond);
    const budget = new Budget({ burst, perSecond }, this.#beganAt);
    budget.charge(burst, this.#beganAt);
    return budget;
  }

  #refusal(pace: Pace, message: string, waitMs: number): GatewayError {
    this.refused.set(pace, (this.refused.get(pace) ?? 0) + 1);
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / SECOND_MS));
    return new GatewayError('rate_limited', `nothing was sent: ${message}`, { retryAfterSeconds });
  }
}

function isCertainlyUnsent(error: unknown): boolean {
  return error instanceof GatewayError && !UNCERTAIN.has(error.code);
}
