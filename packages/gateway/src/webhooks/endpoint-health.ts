import type { Outcome } from './endpoint.ts';
import type { Progress } from './webhook-progress.ts';

/** An endpoint that fails for this many sessions is down: events of other sessions are not tried one by one. */
const SESSIONS_OF_AN_OUTAGE = 3;
/** How often an event of another session is tried meanwhile. */
const TRIAL_MS = 60_000;
/** How often an endpoint without a success is tried, beside the attempts of each event. */
const PROBE_MS = 60_000;
/** After a longer outage, the first success triggers all waiting events. */
const OUTAGE_MS = 60_000;
/** A webhook without a success for this long is disabled. */
const MAX_FAILING_MS = 72 * 60 * 60_000;

type Failure = Exclude<Outcome, { readonly kind: 'delivered' }>;

/** The health of an endpoint. Times are ms of `performance.now()`, which clock changes do not affect. */
export class EndpointHealth {
  /** Sessions with a failure since the last success. */
  readonly #failing: Set<string>;
  #failingSince: number | undefined;
  #lastSuccessAt: number | undefined;
  #lastFailure: Progress['lastFailure'];
  #lastAttemptAt = Number.NEGATIVE_INFINITY;
  #lastTrialAt = Number.NEGATIVE_INFINITY;
  /** The endpoint asked not to be called before this time. */
  #putOffUntil = Number.NEGATIVE_INFINITY;
  /** Nothing has been delivered since the gateway started. */
  #isNew = true;

  constructor({ waiting, failingMs, lastSuccessAt, lastFailure }: Progress) {
    this.#failing = new Set(Object.keys(waiting).filter((session) => (waiting[session]?.attempts ?? 0) > 0));
    this.#failingSince = failingMs === undefined ? undefined : performance.now() - failingMs;
    this.#lastSuccessAt = lastSuccessAt;
    this.#lastFailure = lastFailure;
  }

  /** The stored part. Time while the gateway is not running does not count as failing. */
  get progress(): Pick<Progress, 'failingMs' | 'lastSuccessAt' | 'lastFailure'> {
    return {
      ...(this.#failingSince === undefined ? {} : { failingMs: Math.round(performance.now() - this.#failingSince) }),
      ...(this.#lastSuccessAt === undefined ? {} : { lastSuccessAt: this.#lastSuccessAt }),
      ...(this.#lastFailure === undefined ? {} : { lastFailure: this.#lastFailure }),
    };
  }

  get isFailing(): boolean {
    return this.#failingSince !== undefined;
  }

  get isDown(): boolean {
    return this.#failing.size >= SESSIONS_OF_AN_OUTAGE;
  }

  /** True if the endpoint has failed for so long that the webhook is disabled. */
  get isGivenUp(): boolean {
    return this.#failingSince !== undefined && performance.now() - this.#failingSince >= MAX_FAILING_MS;
  }

  get putOffUntil(): number {
    return this.#putOffUntil;
  }

  /** When to try an event of a session that has not failed, while the endpoint is down. */
  get trialAt(): number {
    return this.#lastTrialAt + TRIAL_MS;
  }

  /** When to try an event before its time. */
  get probeAt(): number {
    const isFailing = this.#failingSince !== undefined || this.#failing.size > 0;
    return isFailing ? this.#lastAttemptAt + PROBE_MS : Number.POSITIVE_INFINITY;
  }

  trialBegins(): void {
    this.#lastTrialAt = performance.now();
  }

  attemptBegins(): void {
    this.#lastAttemptAt = performance.now();
  }

  /** Returns true if all waiting events should be tried at once. */
  succeeded(): boolean {
    const outageMs = performance.now() - (this.#failingSince ?? performance.now());
    const isBack = this.#isNew || outageMs > OUTAGE_MS;
    this.#isNew = false;
    this.#lastSuccessAt = Date.now();
    this.forgetFailures();
    return isBack;
  }

  failed(session: string, outcome: Failure): void {
    const now = performance.now();
    this.#failingSince ??= now;
    this.#lastFailure = { at: Date.now(), message: outcome.message };
    if (outcome.kind === 'put_off') this.#putOffUntil = Math.max(this.#putOffUntil, now + outcome.waitMs);
    else this.#failing.add(session);
  }

  /** Call when failed events will not be delivered any more. */
  forgetFailures(): void {
    this.#failingSince = undefined;
    this.#failing.clear();
  }
}
