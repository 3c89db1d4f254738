import type { Outcome } from './endpoint.ts';
import type { Progress } from './webhook-progress.ts';

/** An endpoint that fails for that many sessions is down: the events of others are not tried one by one. */
const SESSIONS_OF_AN_OUTAGE = 3;
/** How often the event of another session is tried meanwhile. */
const TRIAL_MS = 60_000;
/** How often an endpoint with no success is tried, beside the attempts of each event. */
const PROBE_MS = 60_000;
/** After a longer outage, all that waits is tried at the first success. */
const OUTAGE_MS = 60_000;
/** Without a success for so long, a webhook is disabled. */
const MAX_FAILING_MS = 72 * 60 * 60_000;

type Failure = Exclude<Outcome, { readonly kind: 'delivered' }>;

/** What is known of an endpoint. Times are ms of `performance.now()`, which no change of the clock moves. */
export class EndpointHealth {
  /** Sessions of which something failed since the last success. */
  readonly #failing: Set<string>;
  #failingSince: number | undefined;
  #lastSuccessAt: number | undefined;
  #lastFailure: Progress['lastFailure'];
  #lastAttemptAt = Number.NEGATIVE_INFINITY;
  #lastTrialAt = Number.NEGATIVE_INFINITY;
  /** The endpoint has asked not to be called before. */
  #putOffUntil = Number.NEGATIVE_INFINITY;
  /** Nothing was delivered since the gateway started. */
  #isNew = true;

  constructor({ waiting, failingMs, lastSuccessAt, lastFailure }: Progress) {
    this.#failing = new Set(Object.keys(waiting).filter((session) => (waiting[session]?.attempts ?? 0) > 0));
    this.#failingSince = failingMs === undefined ? undefined : performance.now() - failingMs;
    this.#lastSuccessAt = lastSuccessAt;
    this.#lastFailure = lastFailure;
  }

  /** What is stored of it. The time during which the gateway does not run is nobody's failure. */
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

  /** Nothing was delivered for so long that nothing will be. */
  get isGivenUp(): boolean {
    return this.#failingSince !== undefined && performance.now() - this.#failingSince >= MAX_FAILING_MS;
  }

  get putOffUntil(): number {
    return this.#putOffUntil;
  }

  /** When the event of a session that has not failed is tried, while the endpoint is down. */
  get trialAt(): number {
    return this.#lastTrialAt + TRIAL_MS;
  }

  /** When something is tried although its time has not come. */
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

  /** Returns true if all that waits is to be tried at once. */
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

  /** To be called when what has failed is not to be delivered any more. */
  forgetFailures(): void {
    this.#failingSince = undefined;
    this.#failing.clear();
  }
}
